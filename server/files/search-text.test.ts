// `search_text` of PostgreSQL and `searchKey` are one rule: every character, and texts of them.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasWord, searchKey } from '../../plugins/_page/search-key.ts'
import { openTestDatabase } from '../../test/database.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())

async function inSql(texts: readonly string[]): Promise<string[]> {
  const { rows } = await database.pool.query<{ key: string }>(
    'select search_text(t) as key from unnest($1::text[]) with ordinality as u (t, n) order by n',
    [texts],
  )
  return rows.map(({ key }) => key)
}

/** PostgreSQL 18 knows Unicode 16, Node 24 these letters of Unicode 17. */
const NEWER = /[\ua7ce-\ua7d5\ua7f1\u{16ea0}-\u{16ed3}]/u
const CHARACTERS = Array.from({ length: 0x2_0000 }, (_, at) => String.fromCodePoint(at)).filter(
  (character) =>
    character !== '\0' && /[^\p{Cs}\p{Cn}\p{Co}]/u.test(character) && !NEWER.test(character),
)

describe('search_text', () => {
  it('is searchKey, for each character between letters', async () => {
    const texts = CHARACTERS.map((character) => `Ab${character}é${character}`)
    const found = await inSql(texts)
    expect(texts.filter((text, at) => found[at] !== searchKey(text))).toEqual([])
  })

  it('is searchKey, for any text', async () => {
    const texts = fc.sample(
      fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 30 }),
      2000,
    )
    const found = await inSql(texts)
    expect(texts.filter((text, at) => found[at] !== searchKey(text))).toEqual([])
  })
})

describe('hasWord', () => {
  it.each([
    ['Café.pdf', 'cafe'],
    ['Cafe\u0301.pdf', 'CAFÉ'],
    ['Über.pdf', 'uber'],
    ['Straße.pdf', 'STRASSE'],
    ['STRASSE.pdf', 'straße'],
    ['Smørrebrød', 'smorrebrod'],
    ['Łódź', 'lodz'],
    ['Đà Nẵng', 'da nang'],
    ['IŞIK', 'ışık'],
    ['ışık', 'ISIK'],
    ['İstanbul', 'istanbul'],
    ['ΆΝΟΙΞΗ', 'ανοιξη'],
    ['λόγος', 'ΛΟΓΟΣ'],
    ['Ёлка', 'елка'],
    ['ｇｕｉｄｅ．ｐｄｆ', 'guide.pdf'],
    ['ｶﾞｲﾄﾞ', 'ガイド'],
    ['ﬁnal', 'final'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['soft\u00adware', 'software'],
    ['Mother’s–Day', "mother's-day"],
    ['１２ charts', '12'],
    ['كتاب ٣', '3'],
    ['पाठ १', '1'],
    ['کتاب مدرسة', 'كتاب مدرسه'],
    ['ملف على', 'علي'],
    ['don´t', "don't"],
    ['10″ hoop', '10"'],
    ['Etude in C♯', 'c#'],
  ])('%s has %s', (text, word) => expect(hasWord(text, word)).toBe(true))

  it.each([
    ['かき', 'がき'],
    ['ไทย', 'ไท้ย'],
    ['chart 21', '1'],
    ['Café', 'caffe'],
  ])('%s lacks %s', (text, word) => expect(hasWord(text, word)).toBe(false))
})
