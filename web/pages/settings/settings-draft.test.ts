import { expect, test } from 'vitest'
import { type ShopSettings } from '../../client/types.ts'
import { changeOf, numberProblems } from './settings-draft.ts'

const saved: ShopSettings = {
  expiry_days: 60,
  download_limit: null,
  visibility: 'private',
  cdn: true,
  auto_map: true,
  email_on_complete: true,
  email_on_errors: true,
  recipients: ['a@b.example'],
  time_zone: 'UTC',
}

test('only what differs is sent', () => {
  expect(changeOf(saved, { ...saved, recipients: ['a@b.example'] })).toEqual({})
  expect(changeOf(saved, { ...saved, cdn: false, recipients: [], expiry_days: null })).toEqual({
    cdn: false,
    recipients: [],
    expiry_days: null,
  })
})

test('a number that is no number is named, and never or unlimited are fine', () => {
  expect(numberProblems({ ...saved, expiry_days: null, download_limit: 1 })).toEqual([])
  const bad = numberProblems({ ...saved, expiry_days: undefined, download_limit: 'x' })
  expect(bad.map(({ param }) => param)).toEqual(['expiry_days', 'download_limit'])
  expect(numberProblems({ ...saved, expiry_days: 1.5, download_limit: 0 })).toHaveLength(2)
})
