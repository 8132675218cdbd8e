import { afterEach, expect, test } from 'vitest'
import { formatParts } from './format.ts'
import { chooseLocale, setPageLocale, translationFor } from './locale.ts'
import { mapTexts } from './map-texts.ts'
import { setCatalog, t, translated, translationOf } from './t.ts'

afterEach(() => {
  setCatalog({})
  setPageLocale(undefined)
})

const storageOf = (stored: string | null = null) => {
  let value = stored
  return () => ({
    getItem: () => value,
    setItem: (_key: string, next: string) => {
      value = next
    },
  })
}

test('the address chooses the language, and the tab remembers it', () => {
  const storage = storageOf()
  expect(chooseLocale('?locale=ja', ['en-GB'], storage)).toBe('ja')
  expect(chooseLocale('', ['en-GB'], storage)).toBe('ja')
  expect(chooseLocale('?locale=de-CH', ['de-AT'], storage)).toBe('de-CH')
  expect(chooseLocale('', ['de-AT'], storage)).toBe('de-CH')
})

test('a browser’s locale refines the language in the address', () => {
  expect(chooseLocale('?locale=de', ['en', 'de-AT'], storageOf())).toBe('de-AT')
})

test('by default it is the first of the browser’s languages that the page has', () => {
  expect(chooseLocale('', ['nl-NL', 'ja', 'en'], storageOf())).toBe('ja')
  expect(chooseLocale('', ['nl-NL'], storageOf())).toBe('nl-NL')
  expect(chooseLocale('', [], storageOf())).toBeUndefined()
})

test('ignores an invalid address and a browser that forbids storage', () => {
  expect(chooseLocale('?locale=not a locale', ['en-GB'], storageOf())).toBe('en-GB')
  const forbidden = () => {
    throw new Error('denied')
  }
  expect(chooseLocale('?locale=de', ['en-GB'], forbidden)).toBe('de')
})

test.each([
  ['de-AT', 'de'],
  ['ja', 'ja'],
  ['en-GB', undefined],
  ['es-MX', 'es'],
  ['fr-CA', 'fr'],
  ['pt-BR', 'pt'],
  ['pt-PT', 'pt'],
  ['nl', undefined],
])('the translation for %s is %s', (locale, language) =>
  expect(translationFor(locale)).toBe(language),
)

test('texts and their numbers follow the catalog and the locale', () => {
  setCatalog({
    '{count, plural, one {# file} other {# files}}':
      '{count, plural, one {# Datei} other {# Dateien}}',
    'See <link>{name}</link>.': 'Siehe <link>{name}</link>.',
    'Delete files': 'Dateien löschen',
  })
  setPageLocale('de')
  expect(t('{count, plural, one {# file} other {# files}}', { count: 2000 })).toBe('2.000 Dateien')
  expect(t('Not translated')).toBe('Not translated')
  expect(translated('Delete files')).toBe('Dateien löschen')
  expect(
    formatParts<object>(
      'Siehe <link>{name}</link>.',
      { name: 'Karte' },
      { link: (link) => ({ link }) },
    ),
  ).toEqual(['Siehe ', { link: 'Karte' }, '.'])
})

test('a text that the catalog lacks is shown in English', () => {
  setCatalog({ Save: 'Enregistrer' })
  setPageLocale('fr')
  expect(t('Save')).toBe('Enregistrer')
  expect(t('Delete {count, plural, one {# file} other {# files}}', { count: 2 })).toBe(
    'Delete 2 files',
  )
  expect(t('Order', {}, 'purchase')).toBe('Order')
  expect(translated('Import of “{label}”', { label: 'prices.csv' })).toBe('Import of “prices.csv”')
  expect(
    formatParts<object>(
      translationOf('See <link>{name}</link>.'),
      { name: 'it' },
      { link: (link) => ({ link }) },
    ),
  ).toEqual(['See ', { link: 'it' }, '.'])
})

test('the texts of a record are translated, its data is not', () => {
  const upper = (text: string) => text.toUpperCase()
  expect(
    mapTexts(
      {
        id: 'sort-files',
        title: 'Tag files',
        kind: 'act',
        actions: [{ labels: { menu: 'Tag', intro: null }, fits: { noun: { one: 'image' } } }],
        options: {
          properties: {
            title: { type: 'string', title: 'Title', default: 'none' },
            choices: { type: 'array', choices: { one: 'First', id: 'ID of the file' } },
          },
        },
        advice: { file_in_use: 'Wait' },
      },
      upper,
    ),
  ).toEqual({
    id: 'sort-files',
    title: 'TAG FILES',
    kind: 'act',
    actions: [{ labels: { menu: 'TAG', intro: null }, fits: { noun: { one: 'IMAGE' } } }],
    options: {
      properties: {
        title: { type: 'string', title: 'TITLE', default: 'none' },
        choices: { type: 'array', choices: { one: 'FIRST', id: 'ID OF THE FILE' } },
      },
    },
    advice: { file_in_use: 'WAIT' },
  })
})
