// The upgrade that divides the recorded downloads by month, beside a process of the version before
// it, and the way back.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../../test/database.ts'
import { migrate, migrateDown } from '../../core/db/migrate.ts'
import { readParts } from '../../core/db/month-parts.ts'
import { partsIn, schemaOf } from '../../../test/divided-tables.ts'

const BEFORE = '0051'
const DIVIDES = '0052_downloads-by-month'

/** A database of the version before, and a connection of one of its processes. */
async function earlier() {
  const database = await openTestDatabase()
  onTestFinished(() => database.drop())
  await migrateDown(database, BEFORE)
  const old = new pg.Client({ connectionString: database.url })
  await old.connect()
  onTestFinished(() => old.end())
  return { database, old }
}

/** Statements of that version, prepared by name as its recorder does. */
const FILE = randomUUID()
const record = (client: pg.Client | pg.Pool, agent: string) =>
  client.query({
    name: 'delivery_record',
    text: `insert into downloads (shop_id, file_id, link_id, address, agent, at)
      select 1, $1::uuid, null, '', $2, now()`,
    values: [FILE, agent],
  })
const listed = async (client: pg.Client | pg.Pool) =>
  (
    await client.query<{ agent: string }>({
      name: 'list',
      text: `select agent from downloads where shop_id = 1 and file_id = $1 order by id desc limit 50`,
      values: [FILE],
    })
  ).rows.map(({ agent }) => agent)

test('the version before goes on with its statements while the table is divided and back again', async () => {
  const { database, old } = await earlier()
  const schema = await schemaOf(database.pool, 'downloads')
  await record(old, 'first')
  await database.pool.query(
    `insert into downloads (shop_id, id, file_id, address, agent, at)
     values (1, uuidv7(interval '-20 months'), $1, '', 'old', now() - interval '20 months')`,
    [FILE],
  )
  expect(await listed(old)).toEqual(['first', 'old'])

  expect(await migrate(database)).toContain(DIVIDES)
  await record(old, 'second')
  await record(database.pool, 'third')
  for (const client of [old, database.pool])
    expect(await listed(client)).toEqual(['third', 'second', 'first', 'old'])
  // The present table takes the rows until the month after next; then they have months.
  expect(await partsIn(old, 'downloads')).toEqual(['downloads_before'])
  const parts = await readParts(database.pool, 'downloads')
  expect(parts.map(({ from, to }) => [from === null, to === null])).toEqual([
    [true, false],
    ...Array.from({ length: 3 }, () => [false, false]),
    [false, true],
  ])
  await database.pool.query(
    `insert into downloads (shop_id, id, file_id, address, agent, at)
     values (1, uuidv7(interval '3 months'), $1, '', 'fourth', now())`,
    [FILE],
  )
  expect(await partsIn(old, 'downloads')).toHaveLength(2)

  // The way back keeps all.
  expect((await migrateDown(database, BEFORE)).map(({ name }) => name)).toContain(DIVIDES)
  await record(old, 'fifth')
  expect((await listed(old)).toSorted()).toEqual([
    'fifth',
    'first',
    'fourth',
    'old',
    'second',
    'third',
  ])
  expect(await partsIn(old, 'downloads')).toEqual(['downloads'])
  expect(await schemaOf(database.pool, 'downloads')).toEqual(schema)

  // And forward again: the record of the fourth month from now is no row of the present table.
  expect(await migrate(database)).toContain(DIVIDES)
  expect(await listed(database.pool)).toHaveLength(6)
})

test('without records the current month has a part immediately', async () => {
  const { database } = await earlier()
  await migrate(database)
  await record(database.pool, 'first')
  const month = new Date().toISOString().slice(0, 7).replace('-', '_')
  expect(await partsIn(database.pool, 'downloads')).toEqual([`downloads_${month}`])
})

test('a run that was killed in between, or is retried, goes on', async () => {
  const { database, old } = await earlier()
  await record(old, 'first')
  // A check of an earlier month is replaced.
  await database.pool.query(
    `alter table downloads add constraint downloads_2020_01_begins
     check (id < 'ffffffff-0000-0000-0000-000000000000') not valid`,
  )
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('begin')
  await holder.query('select count(*) from downloads')
  const migrating = migrate(database, { pauseMs: 10 })
  const waits = async () =>
    (
      await database.pool.query<{ n: number }>(
        `select count(*)::int as n from pg_locks where relation = to_regclass('downloads') and not granted`,
      )
    ).rows[0]!.n
  await expect.poll(waits, { interval: 5 }).toBeGreaterThan(0)
  // Requests pass between its tries.
  await record(old, 'second')
  await holder.query('commit')
  await migrating
  expect(await listed(old)).toEqual(['second', 'first'])
  // As if it had been killed before it was noted.
  await database.pool.query('delete from knex_migrations where name = $1', [DIVIDES])
  const parts = await readParts(database.pool, 'downloads')
  expect(await migrate(database)).toEqual([DIVIDES])
  expect(await readParts(database.pool, 'downloads')).toEqual(parts)
  const { rows } = await database.pool.query(
    `select conname from pg_constraint where contype = 'c' and conname like '%begins'`,
  )
  expect(rows).toEqual([])
})
