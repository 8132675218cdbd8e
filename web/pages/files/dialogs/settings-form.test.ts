import { describe, expect, test } from 'vitest'
import { EMPTY_SETTINGS, readSettings, type SettingsForm } from './settings-form.ts'

const read = (part: Partial<SettingsForm>) => readSettings({ ...EMPTY_SETTINGS, ...part })

test('what is left alone is not sent, and nothing at all is refused', () => {
  expect(read({})).toEqual({ errors: { form: 'Choose at least one setting to change' } })
  expect(read({ cdn: 'off' })).toEqual({ options: { cdn: false } })
})

describe('each choice is sent in the API’s words', () => {
  test.each<[Partial<SettingsForm>, object]>([
    [{ expiry: 'set', days: ' 30 ' }, { expiry_days: 30 }],
    [{ expiry: 'add', days: '7' }, { add_expiry_days: 7 }],
    [{ expiry: 'never', days: 'x' }, { expiry_days: null }],
    [{ limit: 'set', downloads: '3' }, { download_limit: 3 }],
    [{ limit: 'unlimited' }, { download_limit: null }],
    [{ visibility: 'public' }, { visibility: 'public' }],
    [{ referrers: 'any', sites: ['a.example'] }, { allowed_referrers: [] }],
    [{ referrers: 'these', sites: ['a.example'] }, { allowed_referrers: ['a.example'] }],
    [
      { download_notification: 'on', download_tracking: 'off' },
      { download_notification: true, download_tracking: false },
    ],
  ])('%o', (part, options) => expect(read(part)).toEqual({ options }))
})

test('every field that makes no sense is named at once', () => {
  expect(read({ expiry: 'set', days: '0', limit: 'set', downloads: 'many', referrers: 'these' })).toEqual({
    errors: { days: expect.any(String), downloads: expect.any(String), sites: expect.any(String) },
  })
})
