// Divides the items by the month in which their operation was created, so that the sweep drops a
// month instead of deleting its rows one by one (server/core/db/month-parts.ts). No row is moved: the
// present table becomes the part of all earlier operations. The previous version keeps using the same
// name: nothing refers to the table, and its statements name operations by their ids.
import type { Knex } from 'knex'

export const config = { transaction: false }

export const undo =
  'Nothing. Running operations wait while items of those since the upgrade are moved back into one table.'

/** Shorter than the time after which PostgreSQL would end a request that waits for these locks. */
const BRIEFLY = `set local lock_timeout = '900ms'`
/** Months that have a part already, after the one that begins at the boundary. */
const AHEAD = 2
/** Room in each page, as before: an outcome updates its row within the page. */
const SETTINGS = `fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.05`

const monthAfter = (time: Date, months: number) =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months))
/** SQL: the lowest id of operations that are created at this time or later. */
const firstIdAt = (time: Date) => {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `'${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000'`
}
const nameOf = (month: Date) => `items_${month.toISOString().slice(0, 7).replace('-', '_')}`

async function has(knex: Knex, condition: string): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: unknown[] }>(`select where ${condition}`)
  return rows.length > 0
}

/** It was divided by a run that was killed before it could be noted. */
const isDivided = (knex: Knex) =>
  has(knex, `exists (select from pg_class where oid = to_regclass('items') and relkind = 'p')`)
const hasRows = (knex: Knex) => has(knex, 'exists (select from items)')

/** `first`: the first month that has a part. */
const divide = (first: Date) => `
  alter table items rename to items_before;
  alter index items_pkey rename to items_before_pkey;
  alter index items_file rename to items_before_file;
  alter index items_waiting rename to items_before_waiting;
  create table items (like items_before including defaults including constraints,
    primary key (shop_id, operation_id, position)
  ) partition by range (operation_id);
  -- The check that proves the boundary, of the present table alone.
  alter table items drop constraint if exists ${nameOf(first)}_begins;
  create index items_file on items (shop_id, file_id) where file_id is not null;
  create index items_waiting on items (shop_id, operation_id, waits_for)
    where waits_for is not null;
  alter table items attach partition items_before
    for values from (minvalue) to (${firstIdAt(first)});
  ${Array.from({ length: AHEAD + 1 }, (_, months) => monthAfter(first, months))
    .map(
      (month) => `create table ${nameOf(month)} partition of items
        for values from (${firstIdAt(month)}) to (${firstIdAt(monthAfter(month, 1))})
        with (${SETTINGS});`,
    )
    .join('\n  ')}
  create table items_later partition of items
    for values from (${firstIdAt(monthAfter(first, AHEAD + 1))}) to (maxvalue) with (${SETTINGS});
`

/** The month after next, or after that of an operation that was created while the clock was ahead. */
async function boundaryOf(knex: Knex): Promise<Date> {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `select id from operations where uuid_extract_version(id) = 7 order by id desc limit 1`,
  )
  const newest = Number.parseInt((rows[0]?.id ?? '0').replaceAll('-', '').slice(0, 12), 16)
  return monthAfter(new Date(Math.max(Date.now(), newest)), 2)
}

/**
 * A check that was validated while everything runs saves the scan of the rows while the table is
 * locked. It refuses operations that are created after the month that follows, until the table is
 * divided.
 */
async function proveEarlier(knex: Knex, boundary: Date): Promise<void> {
  const name = `${nameOf(boundary)}_begins`
  // A retry after a refused lock finds the one of the last try.
  const ofName = `conrelid = 'items'::regclass and conname = '${name}' and convalidated`
  if (await has(knex, `exists (select from pg_constraint where ${ofName})`)) return
  await dropChecks(knex)
  await knex.transaction(async (tx) => {
    await tx.raw(BRIEFLY)
    await tx.raw(
      `alter table items add constraint ${name} check (operation_id < ${firstIdAt(boundary)}) not valid`,
    )
  })
  await knex.raw(`alter table items validate constraint ${name}`)
}

async function dropChecks(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string; on: string }[] }>(
    `select conname as name, conrelid::regclass as on from pg_constraint
     where contype = 'c' and conname ~ '^items_.*_begins$'`,
  )
  for (const { name, on } of rows)
    await knex.transaction(async (tx) => {
      await tx.raw(BRIEFLY)
      await tx.raw(`alter table ${on} drop constraint ${name}`)
    })
}

export async function up(knex: Knex): Promise<void> {
  if (await isDivided(knex)) return dropChecks(knex)
  const boundary = await boundaryOf(knex)
  const filled = await hasRows(knex)
  if (filled) await proveEarlier(knex, boundary)
  await knex.transaction(async (tx) => {
    await tx.raw(BRIEFLY)
    await tx.raw('lock table items in access exclusive mode')
    await tx.raw(divide((await hasRows(tx)) ? boundary : monthAfter(new Date(), 0)))
  })
  await dropChecks(knex)
  await knex.raw('analyze only items')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table items detach partition items_before;
    insert into items_before select * from items;
    drop table items;
    -- Their names after a restore.
    alter index if exists items_before_shop_id_file_id_idx rename to items_before_file;
    alter index if exists items_before_shop_id_operation_id_waits_for_idx
      rename to items_before_waiting;
    alter table items_before rename to items;
    alter index items_before_pkey rename to items_pkey;
    alter index items_before_file rename to items_file;
    alter index items_before_waiting rename to items_waiting;
    -- Whose results are over, though their month was not: no sweep of the previous version would
    -- find them.
    delete from items using operations o
    where o.shop_id = items.shop_id and o.id = items.operation_id and o.detail = 'record';
  `)
}
