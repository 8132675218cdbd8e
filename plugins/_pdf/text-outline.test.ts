import { describe, expect, it } from 'vitest'
import { someOf } from '../../test/scale.ts'
import { english, type AnyText } from '../contract/text.ts'
import { outlineOf } from './picture-mark.ts'

const widthOf = async (text: string) => {
  const { left, right } = await outlineOf(text)
  return right - left
}
/** The left edge of each subpath, from left to right. */
const beginnings = async (text: string) =>
  [...(await outlineOf(text)).path.matchAll(/^(-?\d+) -?\d+ m$/gm)].map(([, x]) => Number(x))

describe('the outline of a text', () => {
  it.each(
    someOf(
      [
        'Sample',
        'Ångström',
        'Tiếng Việt',
        'Образец',
        'Δείγμα',
        'Նմուշ',
        'ნიმუში',
        'נסיון',
        'نموذج',
        'ናሙና',
        'नमूना',
        'নমুনা',
        'નમૂનો',
        'ਨਮੂਨਾ',
        'ಮಾದರಿ',
        'മാതൃക',
        'மாதிரி',
        'నమూనా',
        'නියැදිය',
        'ตัวอย่าง',
        'ຕົວຢ່າງ',
        'គំរូ',
        'နမူနာ',
        '样本',
        '樣本',
        '見本',
        'サンプル',
        '견본',
        '© 2026 “Acme” – No. 5 €',
        '1 + 1 = 2 (100 %)',
      ] as const,
      (_, at) => at % 6 === 0,
    ),
  )('exists: %s', async (text) => {
    const { path, left, right, bottom, top } = await outlineOf(text)
    expect(path).toMatch(/^-?\d+ -?\d+ m\n/)
    expect(path).toMatch(/^[-\d mlch\n]+$/)
    expect(right - left).toBeGreaterThan(300)
    expect(top - bottom).toBeGreaterThan(300)
  })
  it('joins letters if their script does: a word is narrower than its letters', async () => {
    expect(await widthOf('بببب')).toBeLessThan((await widthOf('ب')) * 4 * 0.8)
    expect((await outlineOf('क्ष')).path).not.toBe((await outlineOf('कष')).path)
  })
  it('has visual order: right to left if the script is, with numbers left to right', async () => {
    // Hebrew letters do not change with their neighbours.
    const [alone, before] = [await widthOf('א'), await beginnings('א ו')]
    expect(Math.max(...before)).toBeGreaterThan(alone / 2)
    expect((await outlineOf('אב')).path).not.toBe((await outlineOf('בא')).path)
    const numbered = await outlineOf('א 12')
    // The number is to the left of the word before it.
    expect(numbered.path.startsWith((await outlineOf('12')).path.split('\n')[0]!)).toBe(true)
  })
  it('is the same for every encoding of the letters, and ignores invisible characters', async () => {
    expect(await outlineOf('e\u0301')).toEqual(await outlineOf('é'))
    expect(await outlineOf('  a\n b ')).toEqual(await outlineOf('a b'))
    expect(await outlineOf('a\u200bb')).toMatchObject({ left: (await outlineOf('ab')).left })
  })
  it('is refused if no font has the letters, and names each once', async () => {
    const refused = (text: string) =>
      outlineOf(text).catch(({ code, text: words }: { code: string; text: AnyText }) => [
        code,
        english(words),
      ])
    expect(await refused('a 😀😀 𓀀')).toEqual(['glyph_missing', 'No installed font has 😀 𓀀'])
    expect(await refused('\u200b')).toEqual([
      'glyph_missing',
      'This text has no visible characters',
    ])
    const many = await refused(
      [...Array(20).keys()].map((n) => String.fromCodePoint(0x13000 + n)).join(''),
    )
    expect((many as string[])[1]).toMatch(/ and others$/)
  })
})
