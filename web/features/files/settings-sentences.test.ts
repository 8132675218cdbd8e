import { expect, test } from 'vitest'
import { settingSentences } from './settings-sentences.ts'

const USUAL = {
  download_limit: null,
  expiry_days: null,
  visibility: 'private',
  view: 'download',
  view_limit: null,
  view_days: null,
  available_from: null,
  available_after_days: null,
  first_use_hours: null,
  customer_tag: null,
  ask_for: null,
  buyer_text: null,
} as const

const PRIVATE = 'Only buyers and people with a link get it.'

test('the usual settings are two sentences', () => {
  expect(settingSentences({ ...USUAL, download_limit: 5, expiry_days: 60 })).toEqual([
    'Buyers can download it 5 times, for 60 days.',
    PRIVATE,
  ])
  expect(settingSentences({ ...USUAL, download_limit: 1 })[0]).toBe(
    'Buyers can download it once, for ever.',
  )
  expect(settingSentences({ ...USUAL, expiry_days: 1 })[0]).toBe(
    'Buyers can download it as often as they like, for 1 day.',
  )
})

test('a rare setting has a sentence only where it is set', () => {
  expect(
    settingSentences({
      ...USUAL,
      visibility: 'public',
      view: 'view_only',
      view_limit: 3,
      view_days: 7,
      available_after_days: 2,
      first_use_hours: 48,
      customer_tag: 'vip',
      ask_for: 'email',
      buyer_text: 'Print it.',
    }),
  ).toEqual([
    'Buyers cannot download it.',
    'They can view it in the browser 3 times.',
    'Views end after 7 days.',
    'It is public: everyone with its address can download it.',
    'They get it: 2 days after the purchase.',
    'A link ends 2 days after its first use.',
    'Customers with the tag vip.',
    'It asks for their email address first.',
    'Buyers read: “Print it.”',
  ])
})
