// Texts as data: in English as before, and in another language by their messages.
import { expect, it } from 'vitest'
import { languageOf, writtenIn } from '../../server/core/texts.ts'
import {
  english,
  lines,
  phrases,
  say,
  sayFixed,
  sentence,
  sentences,
  textIn,
  textOf,
} from './index.ts'

const german = (text: Parameters<typeof textOf>[0]) => textIn(textOf(text), languageOf('de-AT'))

it('writes numbers as the language does, and strings as they are', () => {
  const text = say(
    'It would delete {count, plural, one {# file} other {# files}}, and one run may delete {limit}.',
    {
      count: 12_345,
      limit: '12345',
    },
  )
  expect(english(text)).toBe('It would delete 12,345 files, and one run may delete 12345.')
  expect(german(text)).toContain('12.345')
  expect(german(text)).toContain(' 12345 ')
})

it('joins texts, which are values of each other', () => {
  const done = say('{done} of {total, plural, one {# file} other {# files}} {what}', {
    done: 1,
    total: 2000,
    what: say('imported'),
  })
  const body = sentences(
    sentence(phrases(done, say('{count} failed', { count: 1 }))),
    'Nothing is left to do.',
  )
  expect(english(body)).toBe('1 of 2,000 files imported, 1 failed. Nothing is left to do.')
  expect(german(body)).toBe(
    '1 von 2.000 Dateien importiert, 1 fehlgeschlagen. Es bleibt nichts zu tun.',
  )
  expect(english(lines('a', 'b'))).toBe('a\nb')
})

it('keeps names with the syntax of messages, and texts that no catalog has', () => {
  expect(english("{date} isn't <b>")).toBe("{date} isn't <b>")
  expect(german(say('{name} and {count} more', { name: '{date}', count: 2 }))).toBe(
    '{date} und 2 weitere',
  )
  expect(german('A text of a plugin of this installation')).toBe(
    'A text of a plugin of this installation',
  )
})

it('tells equal English words apart by their context', () => {
  expect(textIn(say('Import', {}, 'noun'), languageOf('es'))).toBe('Importación')
  expect(english(say('Import', {}, 'noun'))).toBe('Import')
})

it('shows an invalid message unformatted, and is English for other languages', () => {
  expect(english(say('{count, plural, one {'))).toBe('{count, plural, one {')
  expect(english({ message: '{missing}', values: {} })).toBe('{missing}')
  expect(languageOf('nl').locale).toBe('en-US')
  expect(languageOf(null).locale).toBe('en-US')
})

it('writes the texts in plain data, and leaves other messages', () => {
  const failure = { filename: 'a.pdf', code: 'unknown', message: say('imported') }
  expect(writtenIn({ listed: [failure], message: 'x' }, languageOf('de'))).toEqual({
    listed: [{ ...failure, message: 'importiert' }],
    message: 'x',
  })
})

it('finds the text of a string with constants', () => {
  const string = sayFixed('At most {count} days; null means never', { count: 36_500 })
  expect(string).toBe('At most 36,500 days; null means never')
  expect(german(string)).toBe('Höchstens 36.500 Tage; null bedeutet nie')
})

it('writes a name that every object inherits as it is, in every language', () => {
  for (const name of Object.getOwnPropertyNames(Object.prototype)) {
    expect([english(name), german(name)]).toEqual([name, name])
    expect(german(say('{name} failed', { name }))).toContain(name)
  }
})
