import { expect, test } from 'vitest'
import { savedPage } from '../downloads/buyer-page.ts'
import { LOCALES } from '../downloads/translate.ts'
import { renderBuyerMail, type MailLook } from './buyer-mail.ts'
import { BUYER_MAILS } from './texts.ts'

const BASE = 'https://a.example'
const logo = { bytes: Buffer.from('a'), type: 'image/png' }
const look: MailLook = {
  shop: 'A',
  zone: 'UTC',
  own: {},
  page: { ...savedPage(undefined), logo },
}
const mailOf = (parts: Partial<Parameters<typeof renderBuyerMail>[1]>) =>
  renderBuyerMail(
    look,
    {
      mail: 'link',
      locale: 'en',
      address: `${BASE}/download?key=${'k'.repeat(43)}`,
      values: { order: '1', count: 1, waiting: 0, names: '', name: 'a.pdf', date: 'today' },
      ...parts,
    },
    BASE,
  ).html ?? ''

// SpamAssassin's HTML_IMAGE_ONLY_…: up to 2.8 of the 5 points of spam.
test('no mail with a logo is so short that filters take it for a picture', () => {
  // A mail with links has one for each file, in place of the button.
  const mails = BUYER_MAILS.filter((mail) => mail !== 'text' && mail !== 'links')
  const lengths = mails.flatMap((mail) =>
    LOCALES.map((locale) => Buffer.byteLength(mailOf({ mail, locale }))),
  )
  expect(Math.min(...lengths)).toBeGreaterThan(3200)
})

test.each([
  [200, 'A long name of a file '.repeat(4)],
  [160, '名'.repeat(82)],
])('Gmail shows all of a mail with %i links: %s', (count, named) => {
  const linked = Array.from({ length: count }, (_, at) => ({
    name: `${named}${at}.pdf`,
    terms: 'It works 5 times, until January 31, 2027.',
    address: `${BASE}/download?key=${'k'.repeat(43)}&page=1`,
  }))
  const html = mailOf({ mail: 'links', linked, address: '' })
  expect(html.match(/page=1/g)?.length).toBe(count)
  expect(Buffer.byteLength(html)).toBeLessThan(102 * 1024)
})
