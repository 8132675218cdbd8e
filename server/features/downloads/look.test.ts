import { beforeAll, expect, test } from 'vitest'
import { changeBuyerPage, changeLogo, savedPage } from './buyer-page.ts'
import { get, openTestDepot, type Depot } from '../../../test/delivery.ts'

let depot: Depot
let port: number
beforeAll(async () => {
  const opened = await openTestDepot()
  ;({ depot, port } = opened)
  return opened.end
})

const PIXEL = Buffer.from('iVBORw0KGgo=', 'base64')

test('a page shows the shop’s look in the buyer’s language as soon as it is saved', async () => {
  const link = await depot.addLink(Buffer.from('bytes'), { download_limit: 1 })
  await get(port, link.key)
  const plain = await get(port, link.key)
  expect(plain.headers['content-language']).toBe('en')
  await changeBuyerPage(depot.scope, {
    accent: '#aa1122',
    background: '#102030',
    language: 'fr',
    texts: { fr: { intro: '', footer: 'Une question ?\n<b>Écrivez-nous</b>' } },
  })
  await changeLogo(depot.scope, { bytes: PIXEL, type: 'image/png' })
  await depot.notificationsArrived()
  const { text, headers } = await get(port, link.key, { 'accept-language': 'de-AT,en;q=0.5' })
  expect(headers['content-language']).toBe('de')
  expect(headers.vary).toBe('Accept, Accept-Language')
  expect(text).toContain("<html lang='de'>")
  expect(text).toContain('<h1>Dieser Link ist aufgebraucht</h1>')
  expect(text).toContain('--action:#aa1122')
  expect(text).toContain(`<img src='data:image/png;base64,${PIXEL.toString('base64')}'`)
  // Without a German text, the text in the shop's language is shown, escaped.
  expect(text).toContain('Une question ?\n&lt;b&gt;Écrivez-nous&lt;/b&gt;')
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'/,
  )
  expect(text).not.toContain('<script')
  expect(text).not.toBe(plain.text)
  // A buyer whose language is not available gets the shop's.
  expect((await get(port, link.key, { 'accept-language': 'nl' })).text).toContain(
    '<h1>Ce lien est épuisé</h1>',
  )
  expect((await get(port, 'A'.repeat(43))).text).not.toContain('--action:#aa1122')
})

test('a language that only a later version knows is English, and its texts are left out', () => {
  const fr = { intro: 'Bonjour', footer: '' }
  const settings = { accent: '#aa1122', language: 'xx', texts: { xx: fr, fr } }
  expect(savedPage({ settings, logo: null, logo_type: null }).page).toMatchObject({
    accent: '#aa1122',
    language: 'en',
    texts: { fr },
  })
  const read = savedPage({ settings, logo: null, logo_type: null }).page
  expect(Object.keys(read.texts)).toEqual(['fr'])
})

test('a chosen language is kept from page to page', async () => {
  const link = await depot.addLink(Buffer.from('bytes'), { download_limit: 1 })
  await get(port, link.key)
  const { text } = await get(port, `${link.key}&locale=ja`)
  expect(text).toContain("<html lang='ja'>")
  expect(text).toContain("action='download/ask?locale&#x3D;ja'")
})
