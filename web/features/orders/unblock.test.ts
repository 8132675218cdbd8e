import { expect, test } from 'vitest'
import { blockedUse, isEmpty, plannedUse, shownStatus, unblockPlan } from './unblock.ts'

const now = new Date('2026-11-22T12:00:00Z')
const file = (file_id: string, more: object = {}) => ({
  file_id,
  filename: `${file_id}.pdf`,
  status: 'active' as const,
  preparing: false,
  expires_at: null,
  download_limit: null,
  downloads: 0,
  view: 'both' as const,
  view_limit: null,
  views: 0,
  view_expires_at: null,
  ...more,
})
const ended = '2026-11-01T00:00:00.000Z'

test('only what blocks a file is changed, and an undo gives it back', () => {
  const plan = unblockPlan(
    {
      status: 'ready',
      reason: null,
      file_list: [
        file('fine', { download_limit: 3, downloads: 2, expires_at: '2027-01-01T00:00:00.000Z' }),
        file('used', { download_limit: 2, downloads: 4 }),
        file('both', { download_limit: 1, downloads: 1, expires_at: ended }),
        file('gone', { status: 'withdrawn', expires_at: ended }),
        file('waiting', { preparing: true }),
      ],
    },
    now,
  )
  expect(plan.files.map((one) => [one.file.file_id, one.usedUp, one.expired])).toEqual([
    ['used', true, false],
    ['both', true, true],
  ])
  expect(plan.terms).toEqual([
    { file_id: 'used', download_limit: 7 },
    { file_id: 'both', download_limit: 4, expires_at: '2026-12-22T12:00:00.000Z' },
  ])
  expect(plan.earlier).toEqual([
    { file_id: 'used', download_limit: 2 },
    { file_id: 'both', download_limit: 1, expires_at: ended },
  ])
  expect(plan.prepare).toEqual([])
})

test('views are given apart from downloads', () => {
  const file_list = [
    file('used', { view_limit: 2, views: 2 }),
    file('ended', { view_expires_at: ended, download_limit: 1, downloads: 1 }),
    // It can still be viewed, and nothing else was sold.
    file('only', { view: 'view_only', expires_at: ended, view_expires_at: '2027-01-01T00:00:00Z' }),
    file('not-viewed', { view: 'download', view_expires_at: ended, view_limit: 1, views: 1 }),
    file('not-downloaded', { view: 'view_only', download_limit: 1, downloads: 1 }),
  ]
  const plan = unblockPlan({ status: 'ready', reason: null, file_list }, now)
  expect(plan.terms).toEqual([
    { file_id: 'used', view_limit: 5 },
    { file_id: 'ended', download_limit: 4, view_expires_at: '2026-12-22T12:00:00.000Z' },
  ])
  expect(plan.earlier).toEqual([
    { file_id: 'used', view_limit: 2 },
    { file_id: 'ended', download_limit: 1, view_expires_at: ended },
  ])
})

test('a file that is only viewed has the status of its views', () => {
  const only = (more: object) => shownStatus(file('only', { view: 'view_only', ...more }), now)
  const later = '2027-01-01T00:00:00.000Z'
  const expired = { status: 'expired', expires_at: ended }
  expect(only({ ...expired, view_expires_at: later })).toBe('active')
  expect(only({ ...expired, view_expires_at: null })).toBe('expired')
  expect(only({ status: 'exhausted', download_limit: 1, downloads: 1 })).toBe('active')
  expect(only({ status: 'withdrawn' })).toBe('withdrawn')
  expect(shownStatus(file('both', { ...expired, view_expires_at: later }), now)).toBe('expired')
})

test('the action is named by what it gives', () => {
  const use = (...file_list: ReturnType<typeof file>[]) =>
    plannedUse(unblockPlan({ status: 'ready', reason: null, file_list }, now))
  const viewless = file('viewless', { view_limit: 1, views: 1 })
  expect(use(file('used', { download_limit: 1, downloads: 1 }))).toBe('download')
  expect(use(viewless)).toBe('view')
  expect(use(viewless, file('used', { download_limit: 1, downloads: 1 }))).toBe('use')
  expect(use(file('only', { view: 'view_only', expires_at: ended }))).toBe('view')
  const none = { used_up: 0, expired: 0, not_prepared: 0, views_used_up: 0, views_expired: 0 }
  expect(blockedUse({ blocked_by: { ...none, views_expired: 1 } })).toBe('view')
  expect(blockedUse({ blocked_by: { ...none, views_expired: 1, expired: 1 } })).toBe('use')
  expect(blockedUse({ blocked_by: { ...none, not_prepared: 1 } })).toBe('download')
})

test('files that could not be prepared are prepared again', () => {
  const file_list = [file('failed', { preparing: true })]
  const plan = unblockPlan({ status: 'ready', reason: 'It is damaged.', file_list }, now)
  expect(plan).toMatchObject({ terms: [], prepare: ['failed.pdf'] })
  expect(isEmpty(plan)).toBe(false)
  expect(isEmpty(unblockPlan({ status: 'ready', reason: null, file_list: [] }, now))).toBe(true)
})
