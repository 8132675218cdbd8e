// Names of more than forty languages, in the forms in which software writes them as those of files: each
// has to find its own product among all of its language, and no other.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forShop } from '../../server/core/db/for-shop.ts'
import { createMatcher } from '../../server/matching/match.ts'
import { createTitleCache } from '../../server/matching/title-cache.ts'
import { createTestShop, openTestDatabase } from '../database.ts'
import { fillMirror } from '../mirror.ts'
import { FORMS, LOCALES, namesIn } from '../name-corpus.ts'

const EXTENSIONS = ['pdf', 'PDF', 'zip', 'Mp3']
const rules = { by: ['filename', 'title'] as const, threshold: 0.8 }

interface Found {
  locale: string
  form: string
  title: string
  filename: string
  /** The title of the product that the file got. */
  got: string | null
}

let database: Awaited<ReturnType<typeof openTestDatabase>>
const found: Found[] = []
beforeAll(async () => {
  database = await openTestDatabase()
  for (const locale of LOCALES) found.push(...(await foundIn(locale)))
})
afterAll(() => database.drop())

async function foundIn(locale: string): Promise<Found[]> {
  const titles = namesIn(locale)
  const scope = forShop(
    database,
    await createTestShop(database, `${locale.toLowerCase()}.myshopify.com`),
  )
  await fillMirror(
    scope,
    titles.map((title) => ({ title })),
  )
  const files = titles
    .flatMap((title) =>
      Object.entries(FORMS).flatMap(([form, write]) => {
        const name = write(title, locale)
        return name === null ? [] : [{ form, title, name }]
      }),
    )
    .map(({ name, ...file }, at) => ({
      ...file,
      filename: `${name}.${EXTENSIONS[at % EXTENSIONS.length] ?? ''}`,
    }))
  const match = createMatcher(createTitleCache())
  const named = files.map(({ filename }) => ({ filename, tags: [] }))
  const matches = await match(scope, named, rules, new AbortController().signal)
  return files.map((file, at) => ({
    locale,
    ...file,
    got: matches[at]?.mapping?.product_title ?? null,
  }))
}

test('there are 1,500 names in twenty scripts', () => {
  expect(
    new Set(found.map(({ locale, title }) => `${locale} ${title}`)).size,
  ).toBeGreaterThanOrEqual(1500)
  const scripts = new Set(LOCALES.map((locale) => new Intl.Locale(locale).maximize().script))
  expect(scripts.size).toBeGreaterThanOrEqual(20)
})

test('no file gets another product than its own', () => {
  expect(found.filter(({ title, got }) => got !== null && got !== title)).toEqual([])
})

test('each file finds its product', () => {
  expect(found.filter(({ got }) => got === null)).toEqual([])
})
