// Texts of the server in the page's language.
import { afterAll, beforeAll, expect, it } from 'vitest'
import de from './de.json' with { type: 'json' }
import { setPageLocale } from './locale.ts'
import { shownText } from './server-text.ts'
import { setCatalog } from './t.ts'

beforeAll(() => {
  setCatalog(de)
  setPageLocale('de')
})
afterAll(() => {
  setCatalog({})
  setPageLocale(undefined)
})

it('writes texts in texts, plurals and numbers', () => {
  const headline = {
    message: '{done} of {total, plural, one {# file} other {# files}} {what}',
    values: { done: 1200, total: 1204, what: { message: 'imported', values: {} } },
  }
  expect(shownText(headline)).toBe('1.200 von 1.204 Dateien importiert')
  expect(shownText({ ...headline, values: { ...headline.values, done: 1, total: 1 } })).toBe(
    '1 von 1 Datei importiert',
  )
})

it('shows names and texts that the catalog lacks as they are', () => {
  const named = { message: '{name} and {count} more', values: { name: '{a}  b', count: 2 } }
  expect(shownText(named)).toBe('{a}  b und 2 weitere')
  expect(shownText({ message: '{text}', values: { text: 'Import' } })).toBe('Import')
  expect(shownText({ message: 'A text of a plugin', values: {} })).toBe('A text of a plugin')
  expect(shownText({ message: '{missing}', values: {} })).toBe('{missing}')
})
