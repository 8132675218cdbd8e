import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cleanName,
  contentTypeOf,
  extensionOf,
  filenameProblem,
  nameKey,
  normalizeTags,
  splitTags,
  numberedName,
  shownUrl,
  tagProblem,
} from './rules.ts'

describe('filenames', () => {
  test.each([
    'a',
    'Über die Brücke.pdf',
    '日本語 (2).zip',
    '👩‍👩‍👧.png',
    '.htaccess',
    'a'.repeat(255),
    "it's 100% #1 & co.txt",
  ])('%s is allowed', (name) => {
    expect(filenameProblem(name)).toBeNull()
  })

  test.each([
    '',
    ' ',
    ' a',
    'a ',
    '.',
    '..',
    'a/b',
    'a\\b',
    'a\0b',
    'a\nb',
    'a\u2028b',
    'invoice\u202efdp.exe',
    'x'.repeat(256),
    'a\ud800',
  ])('%j is refused', (name) => {
    expect(filenameProblem(name)).toMatchObject({ code: 'invalid_filename' })
  })

  test('marks of direction are removed from a name; overrides are not', () => {
    for (const mark of '\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069') {
      expect(filenameProblem(`${mark}guide${mark}.pdf`)).toBeNull()
      expect(cleanName(`${mark} guide${mark}.pdf`)).toBe('guide.pdf')
      expect(filenameProblem(mark)).toMatchObject({ code: 'invalid_filename' })
    }
    expect(cleanName('מדריך.pdf')).toBe('מדריך.pdf')
    expect(cleanName(' kept as it is ')).toBe(' kept as it is ')
    for (const override of '\u202d\u202e')
      expect(filenameProblem(cleanName(`a${override}b`))).toMatchObject({
        code: 'invalid_filename',
      })
  })

  test('the same name in another case or form is the same name', () => {
    expect(nameKey('ÉTUDE.PDF')).toBe(nameKey('e\u0301tude.pdf'))
  })

  test('a numbered name is valid if the name is, and keeps its extension', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
        fc.integer({ min: 2, max: 9999 }),
        (name, number) => {
          fc.pre(filenameProblem(name) === null && filenameProblem(`${name}.pdf`) === null)
          const numbered = numberedName(`${name}.pdf`, number)
          expect(numbered.endsWith(` (${number}).pdf`)).toBe(true)
          expect(filenameProblem(numbered)).toBeNull()
        },
      ),
    )
  })

  test.each([
    ['Guide.PDF', 'pdf', 'application/pdf'],
    ['archive.tar.gz', 'gz', 'application/gzip'],
    ['.hidden', '', 'application/octet-stream'],
    ['no-dot', '', 'application/octet-stream'],
  ])('%s has the extension %j and is served as %s', (name, extension, type) => {
    expect(extensionOf(name)).toBe(extension)
    expect(contentTypeOf(name)).toBe(type)
  })
})

test('an address is shown without possible secrets', () => {
  expect(shownUrl('https://me:pass@cdn.example.com:8443/a/guide%20b.pdf?sig=1#part')).toBe(
    'https://cdn.example.com:8443/a/guide%20b.pdf',
  )
  expect(shownUrl('no address')).toBeNull()
})

describe('tags', () => {
  test.each(['', '  ', 'a,b', 'a;b', 'a\nb', 'x'.repeat(101)])('%j is refused', (tag) => {
    expect(tagProblem(tag)).toMatchObject({ code: 'invalid_tag' })
  })

  test('are trimmed and deduplicated, in order', () => {
    expect(normalizeTags([' b', 'a', 'b ', 'A'])).toEqual(['b', 'a', 'A'])
    expect(normalizeTags(['e\u0301', 'x', 'é'])).toEqual(['é', 'x'])
    expect(splitTags('b,a; b\r\n, c\u037ed')).toEqual(['b', 'a', 'c', 'd'])
  })
})
