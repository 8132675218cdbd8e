import { expect, test } from 'vitest'
import {
  changedText,
  type ExtendedFile,
  presetTerms,
  shortenedBy,
  shortenedText,
  termChanges,
  viewsShortenedText,
} from './extend-terms.ts'

const now = new Date('2026-11-22T12:00:00Z')
const ended = '2026-11-01T00:00:00Z'
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString()
const file = (file_id: string, more: Partial<ExtendedFile> = {}): ExtendedFile => ({
  file_id,
  status: 'active',
  available_at: null,
  expires_at: null,
  download_limit: null,
  downloads: 0,
  view: 'both',
  view_limit: null,
  views: 0,
  view_expires_at: null,
  ...more,
})
const nothing = { days: undefined, more: undefined, viewDays: undefined, moreViews: undefined }

test('the presets give what is lacking, and nothing else', () => {
  const preset = (...files: ExtendedFile[]) => presetTerms(files, now)
  expect(preset(file('fine'))).toEqual(nothing)
  expect(preset(file('ended', { view_expires_at: ended }))).toEqual({ ...nothing, viewDays: 30 })
  const unviewed = { view: 'download', view_expires_at: ended, view_limit: 1, views: 1 } as const
  expect(preset(file('zip', unviewed), file('viewed'))).toEqual(nothing)
  // Its views are not over, and it has no downloads.
  const running = { expires_at: ended, view_expires_at: inDays(9), download_limit: 1, downloads: 1 }
  expect(preset(file('only', { ...running, view: 'view_only' }))).toEqual(nothing)
  expect(preset(file('gone', { status: 'withdrawn', expires_at: ended }))).toEqual(nothing)
  expect(preset(file('both', running))).toEqual({ ...nothing, days: 30, more: 3 })
})

test('terms of views are sent for files that are viewed', () => {
  const files = [file('zip', { view: 'download' }), file('read'), file('play')]
  const views = { ...nothing, viewDays: 30, moreViews: null }
  expect(termChanges(files, views, {})).toEqual([
    { file_ids: ['read', 'play'], view_days: 30, view_limit: null },
  ])
  expect(termChanges(files, { ...views, days: null, more: 3 }, { ask_for: 'email' })).toEqual([
    {
      file_ids: ['zip', 'read', 'play'],
      expiry_days: null,
      more_downloads: 3,
      ask_for: 'email',
    },
    { file_ids: ['read', 'play'], view_days: 30, view_limit: null },
  ])
})

test('days that would take time away are refused', () => {
  const from = now.getTime()
  expect(shortenedBy([{ end: ended, from }], 1)).toBeNull()
  expect(shortenedBy([{ end: inDays(40.5), from }], 40)).toBe(41)
  expect(shortenedBy([{ end: inDays(40), from }], 40)).toBeNull()
  expect(
    shortenedBy(
      [
        { end: ended, from },
        { end: null, from },
      ],
      40,
    ),
  ).toBe('never')
  // Days of a file that is not released count from its release.
  const preorder = file('preorder', { available_at: inDays(20), expires_at: inDays(50) })
  expect(shortenedText([preorder], 30, now)).toBeNull()
  expect(shortenedText([preorder], 29, now)).toMatch(/valid for 30 days/)
})

test('days of views that would take time from any viewed file are refused', () => {
  const over = file('over', { view_expires_at: ended })
  const refused = (other: Partial<ExtendedFile>, viewDays: number | null = 30) =>
    viewsShortenedText([over, file('other', other)], { days: undefined, viewDays }, now)
  expect(refused({ view_expires_at: inDays(100) })).toMatch(/viewed for 100 days more/)
  expect(refused({ expires_at: inDays(100) })).toMatch(/viewed for 100 days more/)
  expect(refused({})).toMatch(/never expires/)
  expect(refused({ view: 'download' })).toBeNull()
  expect(refused({ view_expires_at: inDays(20) })).toBeNull()
  const longer = { view_expires_at: inDays(100), expires_at: inDays(10) }
  expect(refused(longer, null)).toMatch(/last longer than the link/)
  expect(refused({ ...longer, expires_at: null }, null)).toBeNull()
})

test('the answer says what stays blocked', () => {
  const viewless = file('viewless', { view_expires_at: ended, view_limit: 1, views: 1 })
  const said = (terms: object) => changedText([viewless], { ...nothing, ...terms }, now)
  expect(said({ more: 3 })).toMatch(/views have still ended/)
  expect(said({ viewDays: 30 })).toMatch(/views are still used up/)
  // New days of the link are also those of views that had ended.
  expect(said({ days: 30, moreViews: 3 })).toBe('The terms were changed')
})
