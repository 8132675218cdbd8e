import { expect, test } from 'vitest'
import { beginningOf } from './days.ts'

test.each([
  ['2026-01-31', 'UTC', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31', 'Europe/Berlin', '2026-01-30T23:00:00.000Z'],
  ['2026-07-01', 'America/New_York', '2026-07-01T04:00:00.000Z'],
  ['2026-07-01', 'Asia/Kathmandu', '2026-06-30T18:15:00.000Z'],
  ['2026-07-01', 'Pacific/Kiritimati', '2026-06-30T10:00:00.000Z'],
  // The clock changes at midnight: a day without its first hour, and a day whose previous evening
  // has an hour twice.
  ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z'],
  ['2022-03-27', 'Asia/Beirut', '2022-03-26T22:00:00.000Z'],
  ['2022-10-30', 'Asia/Beirut', '2022-10-29T22:00:00.000Z'],
  // Midnight occurs twice: the day begins at the first.
  ['2025-11-02', 'America/Havana', '2025-11-02T04:00:00.000Z'],
  ['1900-01-01', 'America/New_York', '1900-01-01T05:00:00.000Z'],
])('%s in %s begins at %s', (day, zone, moment) => {
  expect(beginningOf(day, zone).toISOString()).toBe(moment)
})
