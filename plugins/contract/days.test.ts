import { expect, test } from 'vitest'
import { dayAt } from './days.ts'

test('a day is one of the time zone', () => {
  const late = new Date('2026-03-01T23:30:00Z')
  const days = ['UTC', 'Europe/Berlin', 'Pacific/Pago_Pago', 'Pacific/Kiritimati', 'Asia/Kathmandu']
  expect(days.map((zone) => dayAt(late, zone))).toEqual([
    '2026-03-01',
    '2026-03-02',
    '2026-03-01',
    '2026-03-02',
    '2026-03-02',
  ])
})
