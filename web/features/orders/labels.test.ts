import { expect, test } from 'vitest'
import { DELIVERIES_STATE } from './url-state.ts'
import { downloadedText, grantChanges, holdText, openedText } from './labels.ts'

const now = new Date('2026-11-22T12:00:00Z')
const file = (file_id: string, expires_at: string | null, download_limit: number | null) => ({
  ...{ file_id, expires_at, download_limit },
})

test('granting more shortens nothing', () => {
  const files = [
    file('ended', '2026-11-01T00:00:00Z', 5),
    file('long', '2027-11-01T00:00:00Z', null),
    file('never', null, 2),
  ]
  expect(grantChanges(files, now)).toEqual([
    { more_downloads: 3, file_ids: ['ended', 'never'] },
    { expiry_days: 30, file_ids: ['ended'] },
  ])
  expect(grantChanges([file('free', null, null)], now)).toEqual([])
})

test('the buyer’s actions are described', () => {
  expect(openedText({ opened_at: null })).toBe('Not opened yet')
  expect(downloadedText({ downloads: 0, last_download_at: null })).toBe('No downloads')
  expect(downloadedText({ downloads: 2, last_download_at: '2026-11-22T12:00:00Z' })).toMatch(
    /^2 downloads, last /,
  )
  expect(holdText({ hold: null })).toBe(null)
  const hold = { by: 'risk', recommendation: 'CANCEL', since: now.toISOString() } as const
  expect(holdText({ hold })).toMatch(/risk of fraud/)
  expect(holdText({ hold: { ...hold, by: 'workflow', recommendation: null } })).toBe(null)
})

test('the address keeps the search', () => {
  const place = { search: '#1001', status: 'held', cursor: '', page: 1 } as const
  expect(DELIVERIES_STATE.read(DELIVERIES_STATE.write(place))).toEqual(place)
  expect(DELIVERIES_STATE.read('?status=lost').status).toBe('')
})
