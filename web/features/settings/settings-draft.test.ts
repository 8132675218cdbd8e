import { expect, test } from 'vitest'
import { type ShopSettings } from '../../shell/client/types.ts'
import { changeOf, draftOf, methodOrder, methodsOf, numberProblems } from './settings-draft.ts'

const saved: ShopSettings = {
  expiry_days: 60,
  download_limit: null,
  visibility: 'private',
  view: 'download',
  cdn: true,
  storage_location: 'primary',
  auto_map: true,
  match_by: ['sku', 'filename', 'title'],
  match_threshold: 0.8,
  notify_unmapped: true,
  email_on_complete: true,
  email_on_errors: true,
  weekly_summary: false,
  mail_language: null,
  recipients: ['a@b.example'],
  sms_on_large_import: false,
  sms_recipients: [],
  time_zone: 'UTC',
  watermark: null,
  deliver_on: 'paid',
  hold_risky_orders: true,
  multiply_limits: true,
  paid_deliveries_survive: true,
  delivery_mail: 'own',
  fulfil_orders: true,
  order_tag: 'files-delivered',
  delivery_workflow: null,
  new_files: 'ask',
  new_files_mail: true,
  release_mail: true,
  text_buyers: false,
  mail_delay_minutes: 0,
  pack_watermarks: {},
}
const draft = draftOf(saved)

test('only what differs is sent', () => {
  expect(changeOf(saved, { ...draft, recipients: ['a@b.example'] })).toEqual({})
  expect(changeOf(saved, { ...draft, cdn: false, recipients: [], expiry_days: null })).toEqual({
    cdn: false,
    recipients: [],
    expiry_days: null,
  })
})

test('an invalid number is named, and never or unlimited are valid', () => {
  expect(numberProblems({ ...draft, expiry_days: null, download_limit: 1 })).toEqual([])
  const bad = numberProblems({ ...draft, expiry_days: undefined, download_limit: 'x' })
  expect(bad.map(({ param }) => param)).toEqual(['expiry_days', 'download_limit'])
  expect(numberProblems({ ...draft, expiry_days: 1.5, download_limit: 0 })).toHaveLength(2)
})

test('the confidence threshold is edited in per cent and sent as a fraction', () => {
  expect(draft.match_threshold).toBe(80)
  expect(changeOf(saved, { ...draft, match_threshold: 92.5 })).toEqual({ match_threshold: 0.925 })
  expect(numberProblems({ ...draft, match_threshold: 101 }).map(({ param }) => param)).toEqual([
    'match_threshold',
  ])
  expect(numberProblems({ ...draft, match_threshold: undefined })).toHaveLength(1)
})

test('matching methods keep the configured order, regardless of the selection', () => {
  const order = methodOrder(['title', 'sku', 'filename'])
  expect(order).toEqual(['title', 'sku', 'filename', 'tags'])
  expect(methodsOf(['sku', 'filename', 'tags', 'title'], order)).toEqual(order)
  expect(methodsOf(['filename'], order)).toEqual(['sku', 'filename'])
  expect(methodsOf([], order)).toEqual([])
})
