import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { insertManyFiles } from '../../test/factories.ts'
import { sweepTrash } from '../files/trash.ts'
import { sweepOperations } from './retention.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let shop: number
beforeAll(async () => {
  database = await openTestDatabase()
  shop = await createTestShop(database)
})
afterAll(() => database.drop())

const NOW = new Date('2027-03-15T12:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

/**
 * Creates an operation of two items, one with a ledger, that ended (or, as a preview, was made)
 * this many days ago.
 */
async function operation(
  days: number,
  status = 'success',
  undoneBy: string | null = null,
): Promise<string> {
  const at = daysAgo(days)
  const id = randomUUID()
  const ended = !['previewed', 'running'].includes(status)
  await database.pool.query(
    `insert into operations (shop_id, id, kind, action, channel, workflow, requested_by, total,
       done, status, created_at, finished_at, undo_until, undone_by)
     values ($1, $2, 'bulk', 'test', 'api', '{}', 'test', 2, 2, $3, $4, $5, $6, $7)`,
    [shop, id, status, at, ended ? at : null, ended ? daysAgo(days - 7) : null, undoneBy],
  )
  await database.pool.query(
    `insert into items (shop_id, operation_id, position, status, before, after, error)
     values ($1, $2, 0, 'done', '{"a": 1}', '{"a": 2}', null),
       ($1, $2, 1, 'failed', null, null, '{"code": "file_in_use"}')`,
    [shop, id],
  )
  return id
}

async function stateOf(id: string) {
  const { rows } = await database.pool.query<
    Record<'items' | 'ledgers' | 'done' | 'cancelled', number> & { detail: string; status: string }
  >(
    `select detail, status, done, cancelled,
       (select count(*) from items where operation_id = o.id)::int as items,
       (select count(*) from items where operation_id = o.id and after is not null)::int as ledgers
     from operations o where id = $1`,
    [id],
  )
  return rows[0] ?? null
}

test('before and after are deleted after 7 days, items after 90, the operation after 13 months', async () => {
  const fresh = await operation(6.9)
  const week = await operation(7.1)
  const quarter = await operation(91)
  const year = await operation(390)
  const old = await operation(400)
  await sweepOperations(database.pool, NOW)
  expect(await stateOf(fresh)).toMatchObject({ detail: 'kept', items: 2, ledgers: 1 })
  expect(await stateOf(week)).toMatchObject({ detail: 'results', items: 2, ledgers: 0 })
  expect(await stateOf(quarter)).toMatchObject({ detail: 'record', items: 0 })
  expect(await stateOf(year)).toMatchObject({ detail: 'record', items: 0 })
  expect(await stateOf(old)).toBe(null)
  expect(await sweepOperations(database.pool, NOW)).toBe(0)
})

test('results are kept while the workflow waits for its next part', async () => {
  const days = [8, 91, 400]
  const ids = await Promise.all(days.map((day) => operation(day)))
  const wait = (until: Date | null) =>
    database.pool.query('update operations set continue_at = $2 where id = any($1)', [ids, until])
  await wait(daysAgo(-1))
  await sweepOperations(database.pool, NOW)
  for (const id of ids)
    expect(await stateOf(id)).toMatchObject({ detail: 'results', items: 2, ledgers: 0 })
  await wait(null)
  await sweepOperations(database.pool, NOW)
  const [week, quarter, old] = await Promise.all(ids.map(stateOf))
  expect([week, quarter, old]).toMatchObject([
    { detail: 'results', items: 2 },
    { detail: 'record', items: 0 },
    null,
  ])
})

test('an operation that is being undone keeps the data that the undo needs', async () => {
  const undo = await operation(0, 'running')
  const undone = await operation(8, 'success', undo)
  await sweepOperations(database.pool, NOW)
  expect(await stateOf(undone)).toMatchObject({ ledgers: 1 })
  // Items that it did not revert can be retried.
  await database.pool.query(
    `update operations set status = 'partial', failed = 1, finished_at = $2 where id = $1`,
    [undo, NOW],
  )
  await sweepOperations(database.pool, NOW)
  expect(await stateOf(undone)).toMatchObject({ ledgers: 1 })
  await database.pool.query(`update operations set status = 'success', failed = 0 where id = $1`, [
    undo,
  ])
  await sweepOperations(database.pool, NOW)
  expect(await stateOf(undone)).toMatchObject({ ledgers: 0 })
})

test('messages without an operation are deleted after 13 months, unless they are still to be sent', async () => {
  for (const [name, days] of [
    ['old', 400],
    ['young', 390],
  ] as const) {
    await database.pool.query(
      `insert into notices (shop_id, level, title, body, title_text, body_text, created_at)
         values ($1, 'info', $2, '', '{}', '{}', $3)`,
      [shop, name, daysAgo(days)],
    )
    for (const status of ['sent', 'waiting'])
      await database.pool.query(
        `insert into outbox (shop_id, key, kind, payload, status, created_at)
           values ($1, $2, 'email', '{}', $3, $4)`,
        [shop, `${name} ${status}`, status, daysAgo(days)],
      )
  }
  await sweepOperations(database.pool, NOW)
  const left = async (column: string, table: string) =>
    (
      await database.pool.query<{ name: string }>(
        `select ${column} as name from ${table} order by 1`,
      )
    ).rows.map(({ name }) => name)
  expect(await left('title', 'notices')).toEqual(['young'])
  expect(await left('key', 'outbox')).toEqual(['old waiting', 'young sent', 'young waiting'])
})

test('a preview that nobody confirmed is discarded after 7 days', async () => {
  const [waiting, forgotten] = [await operation(6, 'previewed'), await operation(8, 'previewed')]
  await sweepOperations(database.pool, NOW)
  expect(await stateOf(waiting)).toMatchObject({ status: 'previewed' })
  expect(await stateOf(forgotten)).toMatchObject({ status: 'cancelled', done: 0, cancelled: 2 })
})

test('files are purged after 7 days in the trash', async () => {
  await insertManyFiles(database.pool, { shop, count: 30, prefix: 'trash', mapped: 0.5 })
  const names = async () =>
    (
      await database.pool.query<{ n: number }>(
        `select count(*)::int as n from files where shop_id = $1`,
        [shop],
      )
    ).rows[0]!.n
  await database.pool.query(
    `update files set deleted_at = case when tags @> array['tenth'] then $2::timestamptz
       else $3::timestamptz end
     where shop_id = $1 and right(filename, 5) <> '7.zip'`,
    [shop, daysAgo(7.1), daysAgo(6.9)],
  )
  const before = await names()
  expect(await sweepTrash(database.pool, NOW)).toBe(3)
  expect(await names()).toBe(before - 3)
  expect(await sweepTrash(database.pool, NOW)).toBe(0)
})

test('purges files in several batches; a claimed file does not end the sweep', async () => {
  await insertManyFiles(database.pool, { shop, count: 4, prefix: 'batched' })
  const { rows } = await database.pool.query<{ id: string }>(
    `select id from files where shop_id = $1 and filename like 'batched%' order by id`,
    [shop],
  )
  const claimed = await operation(1)
  const ids = rows.map(({ id }) => id)
  await database.pool.query('update files set deleted_at = $2 where id = any($1::uuid[])', [
    ids,
    daysAgo(8),
  ])
  await database.pool.query(
    'insert into file_claims (shop_id, file_id, operation_id, lease) values ($1, $2, $3, 1)',
    [shop, ids[0], claimed],
  )
  expect(await sweepTrash(database.pool, NOW, 1)).toBe(3)
})

test('deleting an operation deletes its items, and deleting a shop all of them; others are kept', async () => {
  const stays = await operation(1)
  const goes = await operation(1)
  const itemsOf = async (id: string) =>
    (await database.pool.query('select position from items where operation_id = $1', [id])).rows
      .length
  await database.pool.query('delete from operations where shop_id = $1 and id = $2', [shop, goes])
  expect([await itemsOf(goes), await itemsOf(stays)]).toEqual([0, 2])
  await database.pool.query('delete from shops where id = $1', [shop])
  expect(await itemsOf(stays)).toBe(0)
  shop = await createTestShop(database)
})
