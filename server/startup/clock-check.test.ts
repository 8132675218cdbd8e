import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../core/log.ts'
import { warnOfOtherClock, watchClock } from './database.ts'

const NOON = Date.UTC(2026, 5, 1, 12)

/** The lines of a check in which this machine's clock shows these times around the answer. */
async function checked(...times: [before: number, after: number]): Promise<string[]> {
  const lines: string[] = []
  const pool = { query: () => Promise.resolve({ rows: [{ ms: NOON }] }) }
  const log = createLogger('info', (line) => void lines.push(line))
  await warnOfOtherClock({ pool } as never, log, () => times.shift()!)
  return lines
}

test('a clock that differs from the database’s is reported, with the difference', async () => {
  expect(await checked(NOON - 5_000, NOON + 5_000)).toEqual([])
  const [slow] = await checked(NOON - 301_000, NOON - 300_000)
  expect(JSON.parse(slow!)).toMatchObject({ level: 'warn', differs_seconds: 300 })
  const [fast] = await checked(NOON + 60_000, NOON + 61_000)
  expect(JSON.parse(fast!)).toMatchObject({ differs_seconds: -60 })
})

test('a slow answer is no difference', async () => {
  expect(await checked(NOON - 60_000, NOON + 1_000)).toEqual([])
})

test('a clock that is set while the process runs is reported once, and compared each hour', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const lines: Record<string, unknown>[] = []
  const log = createLogger('info', (line) => void lines.push(JSON.parse(line)))
  let [clock, elapsed, asked] = [NOON, 0, 0]
  const pool = { query: () => Promise.resolve({ rows: [{ ms: (asked++, NOON + elapsed) }] }) }
  const parts = { now: () => clock, elapsed: () => elapsed }
  onTestFinished(watchClock({ pool } as never, log, parts))
  const minute = async (setMs = 0) => {
    elapsed += 60_000
    clock += 60_000 + setMs
    await vi.advanceTimersByTimeAsync(60_000)
    return lines.splice(0).map(({ by_seconds, differs_seconds }) => by_seconds ?? differs_seconds)
  }
  expect(await minute(5000)).toEqual([])
  expect(await minute(3_600_000)).toEqual([3600, -3605])
  expect(await minute()).toEqual([])
  expect(await minute(-3_605_000)).toEqual([-3605])
  expect(asked).toBe(2)
  for (let n = 4; n < 60; n++) expect(await minute()).toEqual([])
  expect(asked).toBe(3)
})
