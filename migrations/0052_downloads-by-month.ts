// Divides the recorded downloads by month, so that the sweep drops a month instead of deleting its
// rows one by one (server/core/db/month-parts.ts). No row is moved: the present table becomes the
// part of all earlier rows. The previous version keeps using the same name: nothing refers to the
// table, and no statement has a conflict.
import type { Knex } from 'knex'

export const config = { transaction: false }

export const undo =
  'Nothing. New records wait while those since the upgrade are moved back into one table.'

/** Shorter than the time after which PostgreSQL would end a request that waits for these locks. */
const BRIEFLY = `set local lock_timeout = '900ms'`
/** Months that have a part already, after the one that begins at the boundary. */
const AHEAD = 2
const SETTINGS = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05`

const monthIn = (months: number, now = new Date()) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months))
/** SQL: the lowest id of rows that are written at this time or later. */
const firstIdAt = (time: Date) => {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `'${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000'`
}
const nameOf = (month: Date) => `downloads_${month.toISOString().slice(0, 7).replace('-', '_')}`

async function has(knex: Knex, condition: string): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: unknown[] }>(`select where ${condition}`)
  return rows.length > 0
}

/** It was divided by a run that was killed before it could be noted. */
const isDivided = (knex: Knex) =>
  has(knex, `exists (select from pg_class where oid = to_regclass('downloads') and relkind = 'p')`)
const hasRows = (knex: Knex) => has(knex, 'exists (select from downloads)')

/** `months`: how many months from now the first month begins that has a part. */
const divide = (months: number) => `
  alter table downloads rename to downloads_before;
  alter index downloads_pkey rename to downloads_before_pkey;
  alter index downloads_age rename to downloads_before_age;
  create table downloads (like downloads_before including defaults,
    -- The order of a file's downloads, as before.
    primary key (shop_id, file_id, id)
  ) partition by range (id);
  create index downloads_age on downloads using brin (at) with (autosummarize = on);
  alter table downloads attach partition downloads_before
    for values from (minvalue) to (${firstIdAt(monthIn(months))});
  ${Array.from({ length: AHEAD + 1 }, (_, at) => months + at)
    .map(
      (month) => `create table ${nameOf(monthIn(month))} partition of downloads
        for values from (${firstIdAt(monthIn(month))}) to (${firstIdAt(monthIn(month + 1))})
        with (${SETTINGS});`,
    )
    .join('\n  ')}
  create table downloads_later partition of downloads
    for values from (${firstIdAt(monthIn(months + AHEAD + 1))}) to (maxvalue) with (${SETTINGS});
`

/** The month after next: the check refuses later rows, until the table is divided. */
const BOUNDARY = 2

/**
 * A check that was validated while everything runs saves the scan of the rows while the table is
 * locked.
 */
async function proveEarlier(knex: Knex): Promise<void> {
  const boundary = monthIn(BOUNDARY)
  const name = `${nameOf(boundary)}_begins`
  // A retry after a refused lock finds the one of the last try.
  const ofName = `conrelid = 'downloads'::regclass and conname = '${name}' and convalidated`
  if (await has(knex, `exists (select from pg_constraint where ${ofName})`)) return
  await dropChecks(knex)
  await knex.transaction(async (tx) => {
    await tx.raw(BRIEFLY)
    await tx.raw(
      `alter table downloads add constraint ${name} check (id < ${firstIdAt(boundary)}) not valid`,
    )
  })
  const validate = () => knex.raw(`alter table downloads validate constraint ${name}`)
  await validate().catch(async (error: unknown) => {
    if ((error as { code?: string }).code !== '23514') throw error
    // Written while the clock was ahead.
    await knex.raw(`update downloads set id = uuidv7(least(at, now()) - now())
      where id >= ${firstIdAt(boundary)}`)
    await validate()
  })
}

async function dropChecks(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string; on: string }[] }>(
    `select conname as name, conrelid::regclass as on from pg_constraint
     where contype = 'c' and conname ~ '^downloads_.*_begins$'`,
  )
  for (const { name, on } of rows)
    await knex.transaction(async (tx) => {
      await tx.raw(BRIEFLY)
      await tx.raw(`alter table ${on} drop constraint ${name}`)
    })
}

export async function up(knex: Knex): Promise<void> {
  if (await isDivided(knex)) return dropChecks(knex)
  if (await hasRows(knex)) await proveEarlier(knex)
  await knex.transaction(async (tx) => {
    await tx.raw(BRIEFLY)
    await tx.raw('lock table downloads in access exclusive mode')
    await tx.raw(divide((await hasRows(tx)) ? BOUNDARY : 0))
  })
  await dropChecks(knex)
  await knex.raw('analyze only downloads')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table downloads detach partition downloads_before;
    insert into downloads_before select * from downloads;
    drop table downloads;
    -- Its name after a restore.
    alter index if exists downloads_before_at_idx rename to downloads_before_age;
    alter table downloads_before rename to downloads;
    alter index downloads_before_pkey rename to downloads_pkey;
    alter index downloads_before_age rename to downloads_age;
  `)
}
