// Items by the month of their operation: retention.
import { expect, onTestFinished, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { forShop } from '../core/db/for-shop.ts'
import { makeMonths, readParts } from '../core/db/month-parts.ts'
import { listItems } from './items.ts'
import { sweepOperations } from './retention.ts'

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

soakTest(
  'operations without a month, of the past or of a clock that is ahead, keep their items as long',
  async () => {
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
  },
)

soakTest('deleting an operation deletes its items in whichever part they are', async () => {
  const { database, shop, operation, kept } = await opened()
  const ids = [await operation(thisMonth(-3), null), await operation(new Date(), null)]
  ids.push(await operation(thisMonth(1), null))
  await database.pool.query('delete from operations where id = $1', [ids[0]])
  expect((await kept(...ids)).map((text) => text[0])).toEqual(['0', '2', '2'])
  await database.pool.query('delete from shops where id = $1', [shop])
  expect((await kept(...ids)).map((text) => text[0])).toEqual(['0', '0', '0'])
})
