// Names in Latin letters that sound like titles of other scripts, and the reverse.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROMANISED_CASES } from '../../test/bench/mapping/romanised.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { inEnglish } from '../../test/english.ts'
import { fillMirror } from '../../test/mirror.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { decideMatch, hitOfTitle, suggestionsOf } from './hits.ts'
import { createMatcher } from './match.ts'
import { romanisedFrom, soundOf } from './romanised.ts'
import { scoreWords } from './score.ts'
import { createTitleCache } from './title-cache.ts'
import { wordsOf, wordsOfName } from './words.ts'

test.each([
  ['しゃしん', ['shashin', 'syasin']],
  ['ファッション', ['fasshon', 'fuassyon']],
  ['한국어', ['hangugeo', 'hankugo']],
  ['종로', ['jongno', 'chongno', 'jongro']],
  ['旅行', ['lvxing', 'lüxing', 'luxing', 'lyuxing']],
])('%s sounds like %j', (word, names) => {
  const { system, sounds } = romanisedFrom([word])!
  for (const name of names) expect(sounds).toContain(soundOf(system, [name]))
})

test.each([['東京ガイド'], ['図書館の本'], ['漢字 한글'], ['茶'], ['き'], ['Bread'], ['Рецепты']])(
  'the sound of %s is not known, or too short',
  (title) => expect(romanisedFrom(title.split(' '))).toBeNull(),
)

test('each labelled name is suggested for its title first, and mapped to none', () => {
  expect(ROMANISED_CASES.length).toBeGreaterThanOrEqual(60)
  const wrong = ROMANISED_CASES.flatMap(({ name, title, titles }) => {
    const hits = titles.map((one) =>
      hitOfTitle(one, one, scoreWords(wordsOfName(name), wordsOf(one))),
    )
    const { match, near } = decideMatch(hits, 0.8)
    const first = suggestionsOf(near)[0]?.product_title ?? null
    return match === null && first === title ? [] : [{ name, title, first, match }]
  })
  expect(wrong).toEqual([])
})

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  const titles = [
    '东京指南',
    'Taijiquan',
    'origami',
    'おりがみ',
    '事实',
    '试食',
    '불고기 3',
    'Seoul',
  ]
  await fillMirror(
    scope,
    titles.map((title) => ({ title })),
  )
})
afterAll(() => database.drop())

const SPELLED = 'Its name is the title in another spelling'
test.each([
  ['dongjing-zhinan.pdf', [`东京指南 0.7: ${SPELLED}`]],
  ['dongjing-zhinan-2024.pdf', ['东京指南 0.64: Its name is 64 % like the title']],
  ['太极拳.pdf', [`Taijiquan 0.7: ${SPELLED}`]],
  ['bulgogi-3.pdf', [`불고기 3 0.7: ${SPELLED}`]],
  ['bulgogi-4.pdf', []],
  // Signs of one sound: a person chooses.
  ['shishi.pdf', [`事实 0.7: ${SPELLED}`, `试食 0.7: ${SPELLED}`]],
  // A title that is the name wins.
  ['origami.pdf', 'origami'],
  ['おりがみ.pdf', 'おりがみ'],
])('%s: %j', async (filename, becomes) => {
  const match = createMatcher(createTitleCache())
  const rules = { by: ['title'] as const, threshold: 0.8 }
  const [found] = await match(scope, [{ filename, tags: [] }], rules, new AbortController().signal)
  const { mapping, suggestions } = inEnglish(found!)
  if (mapping) return expect(mapping.product_title).toBe(becomes)
  const said = suggestions.map((one) => `${one.product_title} ${one.score}: ${String(one.reason)}`)
  expect(said.toSorted()).toEqual(becomes)
})
