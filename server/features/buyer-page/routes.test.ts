import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/app.ts'

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const PATH = '/api/settings/buyer-page'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

const call = (...args: Parameters<TestApp['owner']['call']>) => app.owner.call(...args)
const problems = ({ body }: Awaited<ReturnType<typeof call>>) =>
  (body.error.details as { param: string; message: string }[]).map(
    ({ param, message }) => `${param}: ${message}`,
  )

it('a shop without settings has the default look; changes keep unnamed fields', async () => {
  expect((await call('GET', PATH)).body).toMatchObject({
    accent: null,
    background: null,
    language: 'en',
    texts: {},
    logo: null,
    colours: { adjusted: false },
  })
  await call('PATCH', PATH, { accent: '#FFD400', texts: { de: { intro: ' Danke!\r\n' } } })
  await call('PUT', `${PATH}/logo`, { image: PNG })
  const { body } = await call('PATCH', PATH, { language: 'de' })
  expect(body).toMatchObject({
    accent: '#ffd400',
    language: 'de',
    texts: { de: { intro: 'Danke!', footer: '' } },
    logo: { type: 'image/png', url: `data:image/png;base64,${PNG}` },
    // Yellow text is unreadable on white.
    colours: { adjusted: true, link: expect.any(Number) },
  })
  expect((await call('DELETE', `${PATH}/logo`)).body).toMatchObject({
    accent: '#ffd400',
    logo: null,
  })
})

it('a preview shows unsaved changes', async () => {
  const { body } = await call('POST', `${PATH}/preview`, {
    accent: '#b5179e',
    locale: 'ja',
    page: 'files',
    texts: { ja: { intro: 'ありがとう<b>', footer: '' } },
  })
  expect(body.html).toContain('--action:#b5179e')
  expect(body.html).toContain("<html lang='ja'>")
  expect(body.html).toContain('ありがとう&lt;b&gt;')
  expect((await call('GET', PATH)).body.accent).not.toBe('#b5179e')
  const ended = await call('POST', `${PATH}/preview`, { page: 'ended', locale: 'fr' })
  expect(ended.body.html).toContain('Ce lien a expiré')
})

it('invalid settings are refused with every problem', async () => {
  const wrong = await call('PATCH', PATH, {
    accent: 'red; } body { display: none',
    background: '#12345',
    language: 'nl',
    texts: { en: { intro: 'x'.repeat(501) }, xx: {} },
  })
  expect(wrong.status).toBe(422)
  expect(problems(wrong).map((problem) => problem.split(':')[0])).toEqual([
    'texts.en.intro',
    'accent',
    'background',
    'language',
    'texts.xx',
  ])
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')
  expect(problems(await call('PUT', `${PATH}/logo`, { image: svg.toString('base64') }))).toEqual([
    'image: Choose a PNG, JPEG, WebP or GIF image',
  ])
  const large = Buffer.alloc(101 * 1024).toString('base64')
  expect(problems(await call('PUT', `${PATH}/logo`, { image: large }))).toEqual([
    'image: A logo has at most 100 KB: make it smaller',
  ])
})
