// Items by the month of their operation: retention, and the upgrade that divides them beside a
// process of the version before it.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { migrate, migrateDown } from '../../core/db/migrate.ts'
import { makeMonths, readParts } from '../../core/db/month-parts.ts'
import { listItems } from './items.ts'
import { sweepOperations } from './retention.ts'
import { partsIn, schemaOf } from '../../../test/divided-tables.ts'

const DAY = 86_400_000
const after = (from: Date, days: number) => new Date(+from + days * DAY)
const thisMonth = (months: number) =>
  new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + months))
/** Three months that are to come, so that no row of the tests' own clock is in them. */
const [FIRST, SECOND, THIRD] = [4, 5, 6].map(thisMonth) as [Date, Date, Date]
const nameOf = (month: Date) => `items_${month.toISOString().slice(0, 7).replace('-', '_')}`

async function opened() {
  const database = await openTestDatabase()
  onTestFinished(() => database.drop())
  const shop = await createTestShop(database)
  /** An operation of two files. */
  const operation = async (created: Date, ended: Date | null): Promise<string> => {
    const { rows } = await database.pool.query<{ id: string }>(
      `insert into operations (shop_id, id, kind, action, channel, workflow, requested_by, total, done,
         status, created_at, finished_at)
       values ($1, uuidv7($2::timestamptz - clock_timestamp()), 'bulk', 'test', 'api', '{}', 'test', 2, 2,
         case when $3::timestamptz is null then 'paused' else 'success' end, $2, $3) returning id`,
      [shop, created, ended],
    )
    const { id } = rows[0]!
    await database.pool.query(
      `insert into items (shop_id, operation_id, position, status, after)
       values ($1, $2, 0, 'done', '{"filename": "a.pdf"}'), ($1, $2, 1, 'done', null)`,
      [shop, id],
    )
    return id
  }
  const end = (id: string, at: Date) =>
    database.pool.query(
      `update operations set status = 'success', finished_at = $2 where id = $1`,
      [id, at],
    )
  /** For each operation how many of its items are stored, and how many are shown. */
  const kept = async (...ids: string[]) => {
    const found: string[] = []
    for (const id of ids) {
      const { rows } = await database.pool.query('select from items where operation_id = $1', [id])
      const shown = await listItems(forShop(database, shop), id, { limit: 10 })
      found.push(`${rows.length} stored, ${shown.length} shown`)
    }
    return found
  }
  const partOf = async (id: string) =>
    (
      await database.pool.query<{ part: string }>(
        'select tableoid::regclass::text as part from items where operation_id = $1 limit 1',
        [id],
      )
    ).rows[0]?.part
  const months = async () => (await readParts(database.pool, 'items')).map(({ name }) => name)
  return { database, shop, operation, end, kept, partOf, months }
}

test('results that are over are shown no longer, and dropped with their month', async () => {
  const { database, operation, kept, partOf, months } = await opened()
  await makeMonths(database.pool, 'items', FIRST)
  const early = await operation(after(FIRST, 1), after(FIRST, 1))
  const late = await operation(after(FIRST, 20), after(FIRST, 20))
  const next = await operation(after(SECOND, 1), after(SECOND, 1))
  expect([await partOf(early), await partOf(next)]).toEqual([nameOf(FIRST), nameOf(SECOND)])
  await sweepOperations(database.pool, after(FIRST, 92))
  expect(await kept(early, late, next)).toEqual([
    '2 stored, 0 shown',
    '2 stored, 2 shown',
    '2 stored, 2 shown',
  ])
  await sweepOperations(database.pool, after(SECOND, 90.1))
  expect(await kept(early, late, next)).toEqual([
    '0 stored, 0 shown',
    '0 stored, 0 shown',
    '2 stored, 2 shown',
  ])
  expect((await months()).slice(0, 2)).toEqual(['items_before', nameOf(SECOND)])
  expect(await sweepOperations(database.pool, after(SECOND, 90.1))).toBe(0)
})

test('a month with an open operation loses the rows of the others, and is dropped after it', async () => {
  const { database, operation, end, kept, months } = await opened()
  await makeMonths(database.pool, 'items', FIRST)
  const open = await operation(after(FIRST, 1), null)
  const others = [
    await operation(after(FIRST, 2), after(FIRST, 2)),
    await operation(after(FIRST, 3), after(SECOND, 14)),
    await operation(after(SECOND, 1), after(SECOND, 1)),
  ]
  await sweepOperations(database.pool, after(SECOND, 90.1))
  const [gone, there] = ['0 stored, 0 shown', '2 stored, 2 shown']
  expect(await kept(open, ...others)).toEqual([there, gone, there, there])
  // The second one ended after its month: its rows go when they are over.
  await sweepOperations(database.pool, after(SECOND, 104.1))
  expect(await kept(open, ...others)).toEqual([there, gone, gone, '2 stored, 0 shown'])
  // A month that is not the oldest is emptied.
  await sweepOperations(database.pool, after(THIRD, 90.1))
  expect(await kept(open, ...others)).toEqual([there, gone, gone, gone])
  expect(await months()).toEqual(expect.arrayContaining([nameOf(FIRST), nameOf(SECOND)]))
  await end(open, after(THIRD, 100))
  await sweepOperations(database.pool, after(THIRD, 190.1))
  expect(await kept(open)).toEqual([gone])
  expect(await months()).not.toEqual(expect.arrayContaining([nameOf(FIRST)]))
  expect(await months()).not.toEqual(expect.arrayContaining([nameOf(SECOND)]))
})

test('operations without a month, of the past or of a clock that is ahead, keep their items as long', async () => {
  const { database, operation, kept, partOf, months } = await opened()
  await makeMonths(database.pool, 'items', FIRST)
  const past = await operation(thisMonth(-3), after(FIRST, 1))
  const ahead = await operation(thisMonth(40), after(FIRST, 1))
  expect([await partOf(past), await partOf(ahead)]).toEqual(['items_before', 'items_later'])
  await sweepOperations(database.pool, after(FIRST, 90))
  expect(await kept(past, ahead)).toEqual(['2 stored, 2 shown', '2 stored, 2 shown'])
  await sweepOperations(database.pool, after(FIRST, 91.1))
  expect(await kept(past, ahead)).toEqual(['0 stored, 0 shown', '0 stored, 0 shown'])
  // A month before which something is open stays, so that this is not dropped with it.
  const open = await operation(thisMonth(-3), null)
  await sweepOperations(database.pool, after(SECOND, 90.1))
  expect(await kept(open)).toEqual(['2 stored, 2 shown'])
  expect(await months()).toEqual(expect.arrayContaining([nameOf(FIRST)]))
})

test('deleting an operation deletes its items in whichever part they are', async () => {
  const { database, shop, operation, kept } = await opened()
  const ids = [await operation(thisMonth(-3), null), await operation(new Date(), null)]
  ids.push(await operation(thisMonth(1), null))
  await database.pool.query('delete from operations where id = $1', [ids[0]])
  expect((await kept(...ids)).map((text) => text[0])).toEqual(['0', '2', '2'])
  await database.pool.query('delete from shops where id = $1', [shop])
  expect((await kept(...ids)).map((text) => text[0])).toEqual(['0', '0', '0'])
})

const BEFORE = '0054'
const DIVIDES = '0055_items-by-month'

/** A database of the version before, and a connection of one of its processes. */
async function earlier() {
  const { database, shop, operation } = await opened()
  await migrateDown(database, BEFORE)
  const old = new pg.Client({ connectionString: database.url })
  await old.connect()
  onTestFinished(() => old.end())
  return { database, shop, operation, old }
}

/** Statements of that version, prepared by name. */
const claim = async (client: pg.Client, operation: string) =>
  (
    await client.query<{ position: number }>({
      name: 'claim',
      text: `with first as (select position from items where shop_id = $1 and operation_id = $2
           and status = 'done' order by position limit 1 for update skip locked)
         update items set attempt = attempt + 1 where shop_id = $1 and operation_id = $2
           and position = (select position from first) returning position`,
      values: [1, operation],
    })
  ).rows
const history = async (client: pg.Client, file: string) =>
  (
    await client.query<{ position: number }>({
      name: 'history',
      text: `select position from items where shop_id = 1 and file_id = $1 order by position`,
      values: [file],
    })
  ).rows.map(({ position }) => position)
const FILE = randomUUID()
const add = (client: pg.Client, operation: string, position: number) =>
  client.query({
    name: 'add',
    text: `insert into items (shop_id, operation_id, position, file_id) values (1, $1, $2, $3)`,
    values: [operation, position, FILE],
  })

test('the version before works on while the items are divided and back again', async () => {
  const { database, operation, old } = await earlier()
  const schema = await schemaOf(database.pool, 'items')
  const [ofPast, ofNow] = [await operation(thisMonth(-3), null), await operation(new Date(), null)]
  await add(old, ofPast, 2)
  expect([await claim(old, ofPast), await history(old, FILE)]).toEqual([[{ position: 0 }], [2]])

  expect(await migrate(database)).toContain(DIVIDES)
  await add(old, ofNow, 3)
  expect([await claim(old, ofNow), await history(old, FILE)]).toEqual([[{ position: 0 }], [2, 3]])
  // The present table takes the operations until the month after next; then they have months.
  expect(await partsIn(old, 'items')).toEqual(['items_before'])
  const coming = await operation(after(thisMonth(2), 1), null)
  const far = await operation(thisMonth(30), null)
  await add(old, coming, 4)
  expect(await claim(old, coming)).toEqual([{ position: 0 }])
  expect(await partsIn(old, 'items')).toEqual(
    ['items_before', nameOf(thisMonth(2)), 'items_later'].toSorted(),
  )
  await expect(
    database.pool.query(
      `update items set status = 'failed', error = null where operation_id = $1`,
      [coming],
    ),
  ).rejects.toMatchObject({ constraint: 'items_say_why' })

  // The way back keeps all, except what is shown no longer.
  await database.pool.query(`update operations set detail = 'record' where id = $1`, [far])
  expect((await migrateDown(database, BEFORE)).map(({ name }) => name)).toContain(DIVIDES)
  expect([await claim(old, coming), await history(old, FILE)]).toEqual([
    [{ position: 0 }],
    [2, 3, 4],
  ])
  expect(await partsIn(old, 'items')).toEqual(['items'])
  expect(await schemaOf(database.pool, 'items')).toEqual(schema)
  const left = 'select from items where operation_id = $1'
  expect((await database.pool.query(left, [far])).rows).toHaveLength(0)

  // And forward again.
  expect(await migrate(database)).toContain(DIVIDES)
  expect(await history(old, FILE)).toEqual([2, 3, 4])
})

test('a run that was killed in between, or is retried, continues', async () => {
  const { database, operation, old } = await earlier()
  // Created while a clock was ahead.
  const ahead = await operation(after(thisMonth(5), 1), null)
  await database.pool.query(
    `alter table items add constraint items_2020_01_begins
     check (operation_id < 'ffffffff-0000-0000-0000-000000000000') not valid`,
  )
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('begin')
  await holder.query('select count(*) from items')
  const migrating = migrate(database, { pauseMs: 10 })
  const waits = async () =>
    (
      await database.pool.query<{ n: number }>(
        `select count(*)::int as n from pg_locks where relation = to_regclass('items') and not granted`,
      )
    ).rows[0]!.n
  await expect.poll(waits, { interval: 5 }).toBeGreaterThan(0)
  // Requests pass between its tries.
  await add(old, ahead, 2)
  await holder.query('commit')
  await migrating
  expect(await history(old, FILE)).toEqual([2])
  const parts = await readParts(database.pool, 'items')
  expect(parts[0]!.to! > ahead).toBe(true)
  // As if it had been killed before it was noted.
  await database.pool.query('delete from knex_migrations where name = $1', [DIVIDES])
  expect(await migrate(database)).toEqual([DIVIDES])
  expect(await readParts(database.pool, 'items')).toEqual(parts)
  const { rows } = await database.pool.query(
    `select conname from pg_constraint where contype = 'c' and conname like '%begins'`,
  )
  expect(rows).toEqual([])
  await add(old, await operation(thisMonth(60), null), 2)
})
