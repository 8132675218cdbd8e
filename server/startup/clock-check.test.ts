import { expect, test } from 'vitest'
import { createLogger } from '../core/log.ts'
import { warnOfOtherClock } from './clock-check.ts'

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
