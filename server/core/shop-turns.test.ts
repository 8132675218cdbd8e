// Each shop has its turn once a day, also where runs are late, long, failed or missed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { firstOf } from './lazy.ts'
import { sweepBlobsInTurn, sweepInTurn, turnSince } from './shop-turns.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())

const at = (time: string) => new Date(`2026-03-${time}Z`)

test('runs beside the border of an hour take each hour once', () => {
  const last = at('10T09:00:00.000')
  expect(turnSince(last, at('10T09:59:59.999')).hours).toEqual([])
  expect(turnSince(last, at('10T10:00:00.000')).hours).toEqual([10])
  // A run at 9:59 whose successor is due an hour after its end.
  expect(turnSince(at('10T09:59:59.999'), at('10T11:00:07.000')).hours).toEqual([10, 11])
  expect(turnSince(at('10T23:30:00.000'), at('11T01:00:00.000')).hours).toEqual([0, 1])
})

test('after a long pause each shop has one turn, and without a last turn the present hour', () => {
  const all = turnSince(at('01T10:00:00.000'), at('10T10:30:00.000')).hours
  expect(all).toHaveLength(24)
  expect(new Set(all).size).toBe(24)
  expect(all.at(-1)).toBe(10)
  expect(turnSince(null, at('10T10:30:00.000')).hours).toEqual([10])
})

test('a new month is noticed, also after its first hour', () => {
  const startsMonth = (last: string, now: string) =>
    turnSince(new Date(last), new Date(now)).startsMonth
  expect(startsMonth('2026-03-31T23:59:59Z', '2026-04-01T00:00:00Z')).toBe(true)
  expect(startsMonth('2026-03-31T23:00:00Z', '2026-04-03T05:00:00Z')).toBe(true)
  expect(startsMonth('2026-04-01T00:10:00Z', '2026-04-01T01:10:00Z')).toBe(false)
})

test('a failed sweep is repeated for its shops, and shops of two hours come together', async () => {
  const { pool } = database
  const shops: number[] = []
  for (let n = 0; n < 3; n++) shops.push(await createTestShop(database, `turn-${n}.myshopify.com`))
  const first = firstOf(shops)
  const hourOf = (shop: number) => new Date(Date.UTC(2026, 2, 10, shop % 24))
  const taken = (now: Date) => sweepInTurn(pool, 'test', now, async (ids) => ids)
  expect(await taken(hourOf(first))).toEqual([first])
  expect(await taken(hourOf(first))).toEqual([])
  const late = new Date(hourOf(first).getTime() + 2 * 3_600_000)
  const failing = sweepInTurn(pool, 'test', late, () => Promise.reject(new Error('no storage')))
  await expect(failing).rejects.toThrow('no storage')
  expect(await taken(late)).toEqual(shops.slice(1))
  expect(await taken(late)).toEqual([])
  expect(shops).toEqual([first, first + 1, first + 2])
})

test('sweeps of blobs take all shops in small installations', async () => {
  const { pool } = database
  const shops = (few: number) =>
    sweepBlobsInTurn(pool, `few-${few}`, new Date(), async (ids) => ids, few)
  await pool.query('analyze blob_locations')
  expect(await shops(100_000)).toBeUndefined()
  expect(await shops(-2)).toBeInstanceOf(Array)
})
