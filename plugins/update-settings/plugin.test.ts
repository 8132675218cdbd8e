import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { FileSettings, Item } from '../contract/index.ts'
import { updateSettings } from './plugin.ts'

const settings: FileSettings = {
  expiry_days: 30,
  download_limit: 3,
  visibility: 'public',
  cdn: false,
  download_notification: true,
  download_tracking: false,
  allowed_referrers: ['blog.example.com'],
  view: 'both',
  available_from: '2027-03-01',
  available_after_days: 7,
  view_limit: 3,
  view_days: 365,
  first_use_hours: 48,
  customer_tag: 'subscriber',
  buyer_text: 'Open Start.pdf first.',
  ask_for: 'email',
  sample_pages: 5,
  sample_seconds: null,
}

const changesOf = async (items: readonly Item[], options: Record<string, unknown>) => {
  const outcomes = updateSettings.plan(items, updateSettings.options.parse(options), writeContext())
  return (await Array.fromAsync(outcomes)).map(
    (outcome) => outcome.status === 'ok' && outcome.change?.set,
  )
}
const problemsOf = (options: unknown) =>
  updateSettings.options
    .safeParse(options)
    .error!.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)

pluginSuite(updateSettings, () =>
  Promise.resolve({
    items: [fileItem('a'), fileItem('never', { expiry_days: null })],
    options: { add_expiry_days: 10, download_limit: 7 },
    context: writeContext(),
    state: () => null,
  }),
)

describe('update-settings', () => {
  it.each(Object.entries(settings))('changes %s and nothing else', async (field, value) => {
    expect(await changesOf([fileItem('a')], { [field]: value })).toEqual([{ [field]: value }])
  })
  it('changes all of them together', async () => {
    expect(await changesOf([fileItem('a')], { ...settings })).toEqual([settings])
  })
  it('accepts null as never or unlimited, and an empty list as any referrer', async () => {
    const wanted = { expiry_days: null, download_limit: null, allowed_referrers: [] }
    expect(await changesOf([fileItem('a')], wanted)).toEqual([wanted])
  })
  it('adds days to each file’s expiry; never stays never, and the maximum is a hundred years', async () => {
    const items = [
      fileItem('a', { expiry_days: 60 }),
      fileItem('b', { expiry_days: 7 }),
      fileItem('never', { expiry_days: null }),
      fileItem('old', { expiry_days: 36_499 }),
    ]
    expect(await changesOf(items, { add_expiry_days: 30, cdn: true })).toEqual([
      { cdn: true, expiry_days: 90 },
      { cdn: true, expiry_days: 37 },
      { cdn: true },
      { cdn: true, expiry_days: 36_500 },
    ])
  })
  it('takes the time after the first use in hours or in days', async () => {
    expect(await changesOf([fileItem('a')], { first_use_days: 7 })).toEqual([
      { first_use_hours: 168 },
    ])
    const none = { available_from: null, first_use_hours: null, customer_tag: null }
    expect(await changesOf([fileItem('a')], none)).toEqual([none])
  })
  it.each([
    ['nothing', {}, ': Choose at least one setting to change'],
    [
      'setting and adding days',
      { expiry_days: 1, add_expiry_days: 1 },
      'add_expiry_days: Either set the expiry or add to it',
    ],
  ])('refuses %s', (_what, options, problem) => {
    expect(problemsOf(options)).toContain(problem)
  })
  it.each([
    { expiry_days: 0 },
    { expiry_days: -1 },
    { expiry_days: 1.5 },
    { expiry_days: 36_501 },
    { expiry_days: '60' },
    { add_expiry_days: 0 },
    { add_expiry_days: null },
    { download_limit: 0 },
    { download_limit: 1_000_000_001 },
    { available_from: '01.03.2027' },
    { available_from: '2027-02-30' },
    { available_after_days: 0 },
    { first_use_hours: 0 },
    { first_use_days: 0, first_use_hours: 1 },
    { customer_tag: '' },
    { customer_tag: 'a,b' },
    // In a CSV file it means that no tag is required.
    { customer_tag: 'None' },
    { visibility: 'secret' },
    { visibility: null },
    { cdn: 'yes' },
    { allowed_referrers: [''] },
    { allowed_referrers: 'blog.example.com' },
  ])('refuses %j, and names the field', (options) => {
    expect(problemsOf(options).join()).toContain(Object.keys(options)[0])
  })
  it('describes what it does', () => {
    const summary = (options: unknown) =>
      inEnglish(updateSettings.summary!(updateSettings.options.parse(options)))
    expect(summary({ expiry_days: 30, download_limit: null, cdn: false })).toBe(
      'expiry 30 days, unlimited downloads, CDN off',
    )
    expect(summary({ expiry_days: null, allowed_referrers: [] })).toBe(
      'links never expire, any referrer',
    )
    expect(summary({ available_from: '2027-03-01', first_use_days: 2, customer_tag: 'vip' })).toBe(
      'available from 2027-03-01, expires 48 hours after the first use, customer tag vip',
    )
    expect(summary({ add_expiry_days: 5, visibility: 'public', download_tracking: true })).toBe(
      '5 days more, public, download tracking on',
    )
  })
})
