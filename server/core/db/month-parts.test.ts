// On the recorded downloads, which are divided.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { openTestDatabase } from '../../../test/database.ts'
import { dropMonths, firstIdAt, makeMonths, readParts } from './month-parts.ts'

const TABLE = 'downloads'
const FILE = randomUUID()
let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())
beforeEach(() => database.pool.query(`delete from ${TABLE}`))

const parts = () => readParts(database.pool, TABLE)
const month = (from: Date, months: number) =>
  new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months))
const NOW = new Date()

/** A record that was written then. */
const record = (at: Date, file = FILE) =>
  database.pool.query(
    `insert into downloads (shop_id, id, file_id, address, agent, at)
     values (1, uuidv7($1::timestamptz - clock_timestamp()), $2, '', '', $1)`,
    [at, file],
  )
/** The times of all records with their parts. */
async function records(): Promise<{ at: Date; part: string }[]> {
  const { rows } = await database.pool.query<{ at: Date; part: string }>(
    `select at, tableoid::regclass::text as part from ${TABLE} order by id`,
  )
  return rows
}
const nameOf = (time: Date) => `${TABLE}_${time.toISOString().slice(0, 7).replace('-', '_')}`

async function expectNoGaps() {
  const all = await parts()
  expect([all[0]!.from, all.at(-1)!.to]).toEqual([null, null])
  expect(all.slice(1).map(({ from }) => from)).toEqual(all.slice(0, -1).map(({ to }) => to))
  expect([all[0]!.name, all.at(-1)!.name]).toEqual([`${TABLE}_before`, `${TABLE}_later`])
}

test('an id belongs to the month in which it was made', async () => {
  const edge = month(NOW, 1)
  await record(new Date(+edge - 5 * 60_000))
  await record(new Date(+edge + 5 * 60_000))
  expect((await records()).map(({ part }) => part)).toEqual([nameOf(NOW), nameOf(edge)])
  expect(firstIdAt(new Date('2026-11-01T00:00:00Z'))).toBe('01a19467-e800-0000-0000-000000000000')
})

test('a new table has parts for this month and the next ones', async () => {
  expect((await parts()).map(({ name }) => name)).toEqual([
    `${TABLE}_before`,
    ...[0, 1, 2].map((ahead) => nameOf(month(NOW, ahead))),
    `${TABLE}_later`,
  ])
})

test('months are made ahead, and rows that came before their month move into it', async () => {
  await expectNoGaps()
  const before = await parts()
  await makeMonths(database.pool, TABLE, NOW)
  expect(await parts()).toEqual(before)
  // Nothing has run for half a year: no download was refused, whenever it is.
  const times = [month(NOW, -30), month(NOW, 5), month(NOW, 6), month(NOW, 100)]
  for (const time of times) await record(new Date(+time + 3_600_000))
  const later = new Date(+month(NOW, 6) + 86_400_000)
  await makeMonths(database.pool, TABLE, later)
  await expectNoGaps()
  expect((await parts()).map(({ name }) => name).slice(-5)).toEqual(
    [5, 6, 7, 8].map((months) => nameOf(month(NOW, months))).concat(`${TABLE}_later`),
  )
  const found = await records()
  expect(found.map(({ at }) => +at)).toEqual(times.map((time) => +time + 3_600_000))
  expect(found.map(({ part }) => part)).toEqual([
    `${TABLE}_before`,
    ...[5, 6].map((months) => nameOf(month(NOW, months))),
    `${TABLE}_later`,
  ])
})

soakTest('a clock that is a hundred years ahead makes twelve months a run', async () => {
  const before = (await parts()).length
  await makeMonths(database.pool, TABLE, month(NOW, 1200))
  expect((await parts()).length).toBe(before + 12)
  await expectNoGaps()
})

test('old months are dropped without a gap, and rows from before them with them', async () => {
  for (const months of [-3, 0, 1, 2]) await record(new Date(+month(NOW, months) + 3_600_000))
  const end = month(NOW, 2)
  const after = (now: Date) => dropMonths(database.pool, TABLE, { now, kept: 13 })
  expect(await after(new Date(+month(NOW, 15) - 1))).toEqual([nameOf(NOW)])
  expect(await after(month(NOW, 15))).toEqual([nameOf(month(NOW, 1))])
  await expectNoGaps()
  expect((await records()).map(({ part }) => part)).toEqual([nameOf(end)])
  // A clock that is behind is refused nothing either.
  await record(month(NOW, 0))
  expect((await records())[0]).toMatchObject({ part: `${TABLE}_before` })
})

soakTest('a month waits briefly for a long transaction, and is made after it', async () => {
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query(`select count(*) from ${TABLE}`)
    const before = await parts()
    const making = makeMonths(database.pool, TABLE, new Date('2200-01-01'))
    // Its wait ends, and lets other statements pass.
    await expect
      .poll(async () => {
        const { rows } = await database.pool.query<{ waiting: boolean }>(
          `select exists (select from pg_locks where relation = '${TABLE}'::regclass and not granted) as waiting`,
        )
        return rows[0]!.waiting
      })
      .toBe(true)
    await record(NOW)
    await holder.query('commit')
    await making
    expect((await parts()).length).toBe(before.length + 12)
    expect(await records()).toHaveLength(1)
  } finally {
    await holder.end()
  }
})

test('a list in the order of the ids reads the newest months first, and no others if they are enough', async () => {
  const [first, second] = (await parts()).slice(-3, -1)
  for (const { from } of [first!, second!])
    for (let n = 0; n < 5; n++)
      await database.pool.query(
        `insert into downloads (shop_id, id, file_id, address, agent, at)
         values (1, $1, $2, '', '', now())`,
        [from!.replace(/.{12}$/, String(n).padStart(12, '0')), FILE],
      )
  const { rows } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `explain (analyze, format json) select id from ${TABLE} where shop_id = 1 and file_id = '${FILE}'
     order by id desc limit 3`,
  )
  const read = leavesOf(rows[0]!['QUERY PLAN'][0].Plan).filter((node) => node['Actual Loops'] > 0)
  expect(read.map((node) => node['Relation Name'])).toEqual([`${TABLE}_later`, second!.name])
})

interface Node {
  'Relation Name': string
  'Actual Loops': number
  Plans?: Node[]
}
const leavesOf = (node: Node): Node[] => (node.Plans ? node.Plans.flatMap(leavesOf) : [node])
