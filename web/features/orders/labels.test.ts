import { expect, test } from 'vitest'
import { DELIVERIES_STATE } from './url-state.ts'
import {
  blockedText,
  downloadedText,
  grantChanges,
  grantText,
  holdText,
  openedText,
  orderIn,
} from './labels.ts'

const now = new Date('2026-11-22T12:00:00Z')
const file = (file_id: string, expires_at: string | null, download_limit: number | null) => ({
  file_id,
  expires_at,
  download_limit,
  view: 'both' as 'download' | 'both' | 'view_only',
  view_limit: null,
  view_expires_at: null,
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
  const viewed = { ...file('viewed', null, null), view_limit: 2 }
  expect(grantChanges([{ ...viewed, view_expires_at: '2026-11-01T00:00:00Z' }], now)).toEqual([
    { more_views: 3, file_ids: ['viewed'] },
    { view_days: 30, file_ids: ['viewed'] },
  ])
})

test('granting names what it gives, for files that are downloaded and viewed', () => {
  const ended = '2026-11-01T00:00:00Z'
  const limits = { view_limit: 2, view_expires_at: ended }
  const granted = (...files: Parameters<typeof grantChanges>[0]) => grantChanges(files, now)
  const download = granted({ ...file('zip', ended, 2), ...limits, view: 'download' })
  expect(download.flatMap(Object.keys)).not.toContain('more_views')
  expect(grantText(download)).toBe('Grant 3 more downloads and 30 days')
  expect(grantText(granted({ ...file('both', ended, 2), ...limits }))).toBe(
    'Grant 3 more downloads, 3 more views and 30 days',
  )
  const onlyViewed = { ...file('only', null, 2), ...limits, view: 'view_only' as const }
  expect(grantText(granted(onlyViewed))).toBe('Grant 3 more views and 30 days')
  expect(grantText(granted({ ...onlyViewed, view_expires_at: null }))).toBe('Grant 3 more views')
  expect(grantText(granted(file('limited', null, 2)))).toBe('Grant 3 more downloads')
  expect(grantText(granted(file('free', null, null)))).toBeNull()
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

test.each([
  [{ used_up: 2 }, '2 of 3 files used up'],
  [{ expired: 2 }, '2 of 3 files expired'],
  [{ used_up: 2, expired: 1 }, '2 of 3 files used up or expired'],
  [{ not_prepared: 2 }, '2 of 3 files not prepared'],
  [{ views_used_up: 2 }, '2 of 3 files without views left'],
  [{ views_expired: 2 }, '2 of 3 files not viewable any more'],
  [{ views_used_up: 1, expired: 1 }, '2 of 3 files used up or expired'],
  [{ used_up: 1, not_prepared: 1 }, '2 of 3 files cannot be downloaded'],
])('%j is “%s”', (why, text) => {
  const none = { used_up: 0, expired: 0, not_prepared: 0, views_used_up: 0, views_expired: 0 }
  const blocked_by = { ...none, ...why }
  const delivery = { files: 3, blocked_files: 2, blocked_by }
  expect(blockedText({ ...delivery, status: 'ready' })).toBe(text)
  expect(blockedText({ ...delivery, status: 'held' })).toBeNull()
})

test('the address keeps the search', () => {
  const place = {
    search: '#1001',
    status: 'held',
    cursor: '',
    page: 1,
    file: 'file_1',
    product: 'gid://shopify/Product/1',
    about: 'Tides',
    view: '',
  } as const
  expect(DELIVERIES_STATE.read(DELIVERIES_STATE.write(place))).toEqual(place)
  expect(DELIVERIES_STATE.read('?status=lost').status).toBe('')
})

test('the word for an order is not part of its number', () => {
  expect(['order 1012', 'Order #1012', 'ORDER  mia@example.com'].map(orderIn)).toEqual([
    '1012',
    '#1012',
    'mia@example.com',
  ])
  expect(['1012', 'order', 'orders 1012'].map(orderIn)).toEqual(['1012', 'order', 'orders 1012'])
})
