// Titles in another spelling, found by the index and scored word by word.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { inEnglish } from '../../test/english.ts'
import { fillMirror } from '../../test/mirror.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { createMatcher } from './match.ts'
import { otherSpellings } from './spellings.ts'
import { createTitleCache } from './title-cache.ts'

test.each([
  ['Märchen', ['maerchen']],
  ['Đorđe', ['diordie']],
  ['СССР', ['sssr', 'cccp']],
  ['Рецепты', ['recepti']],
  ['Щёлково', ['schelkovo', 'schiolkovo']],
  ['Ουρανός', ['uranos']],
  ['ひかり', ['ヒカリ']],
  ['رحمة', ['رحمه']],
  ['Bread', []],
  ['α', ['a']],
])('%s is also %j', (word, spellings) => expect(otherSpellings(word)).toEqual(spellings))

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
const TITLES = [
  'Рецепты борща',
  'СССР',
  'Märchen',
  'Ouzo',
  'ひかり',
  'Ουρανός και γη',
  'Blåbær',
  'Maerten',
]
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  await fillMirror(
    scope,
    TITLES.map((title) => ({ title })),
  )
})
afterAll(() => database.drop())

test.each([
  ['retsepty-borshcha.pdf', 'Рецепты борща 0.94: Its name is the title in another spelling'],
  ['Recepty_borscha.pdf', 'Рецепты борща 0.94: Its name is the title in another spelling'],
  ['CCCP.pdf', 'СССР 0.94: Its name is the title in another spelling'],
  ['sssr.pdf', 'СССР 0.94: Its name is the title in another spelling'],
  ['ссср.pdf', 'СССР 1: Its name is the title'],
  ['Maerchen.pdf', 'Märchen 0.94: Its name is the title in another spelling'],
  ['Marchen.pdf', 'Märchen 1: Its name is the title'],
  ['ヒカリ.pdf', 'ひかり 0.94: Its name is the title in another spelling'],
  ['ouranos kai gi.pdf', 'none'],
  ['uranos-kai-gi.pdf', 'Ουρανός και γη 0.94: Its name is the title in another spelling'],
  ['blaabaer.pdf', 'Blåbær 0.94: Its name is the title in another spelling'],
  ['Slow%20M%C3%A4rchen.pdf', 'none'],
  ['M%C3%A4rchen.pdf', 'Märchen 1: Its name is the title'],
])('%s: %s', async (filename, becomes) => {
  const match = createMatcher(createTitleCache())
  const rules = { by: ['title'] as const, threshold: 0.8 }
  const [found] = await match(scope, [{ filename, tags: [] }], rules, new AbortController().signal)
  const { mapping } = inEnglish(found!)
  expect(
    mapping ? `${mapping.product_title} ${mapping.score}: ${String(mapping.reason)}` : 'none',
  ).toBe(becomes)
})
