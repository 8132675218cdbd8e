import { expect, test } from 'vitest'
import { dayText } from '../../shell/labels/time.ts'
import { termsText } from './terms.ts'

const NOW = new Date('2027-03-10T12:00:00Z')
const file = {
  deleted_at: null,
  visibility: 'private',
  available_from: null,
  view: 'download',
  download_limit: 5,
  expiry_days: 60,
} as const

test.each([
  ['its terms', {}, '5 downloads, 60 days'],
  ['no limits', { download_limit: null, expiry_days: null }, 'Unlimited'],
  ['a day in the future', { available_from: '2027-04-01' }, `From ${dayText('2027-04-01')}`],
  ['a day that has passed', { available_from: '2027-03-01' }, '5 downloads, 60 days'],
  ['a public file', { visibility: 'public' }, 'Public'],
  ['a file that is only viewed', { view: 'view_only' }, 'View only'],
  ['a file in the trash', { deleted_at: '2027-03-08T12:00:00Z' }, '5 days left'],
] as const)('%s in one line', (_, about, text) => {
  expect(termsText({ ...file, ...about }, NOW)).toBe(text)
})
