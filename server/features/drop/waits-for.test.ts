import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { HAS_OWN_NAME } from './waits-for.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

test('names that people give are not temporary names of programs', async () => {
  const temporary = ['a.pdf-4kT9xQ2z', 'A.PDF-aBcDeFgH', 'a.pdf-1a2b3c4d', 'a.pdf.part', '~a.pdf']
  const own = [
    'a.pdf',
    'prices.csv-20261127',
    'guide.pdf-original',
    'guide.pdf-Original',
    'guide.pdf-ORIGINAL',
    'guide-2x4kT9xQ.pdf',
  ]
  const { rows } = await app.engine.parts.database.pool.query<{ name: string }>(
    `select name from unnest($1::text[]) n(name), (select '' as folder) f where ${HAS_OWN_NAME}`,
    [[...temporary, ...own]],
  )
  expect(rows.map(({ name }) => name)).toEqual(own)
})
