// Our reader of ICU messages against the library that knows all of ICU.
import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, test } from 'vitest'
import { textsIn } from '../../../test/texts.ts'
import { parseIcu, writeIcu } from './icu.ts'
import { TRANSLATED } from './locale.ts'

const COUNTS = [0, 1, 2, 3, 5, 11, 21, 22, 100, 1234, 1_000_000]

/** Values that choose between the forms of a message. */
function samplesOf(message: string): readonly (string | number)[] {
  if (/, (plural|selectordinal),/.test(message)) return COUNTS
  return message.includes(', number}') ? [1234] : ['none', 'true', 'one']
}

const valuesOf = (message: string, value: string | number): Record<string, string | number> =>
  Object.fromEntries(
    [...message.matchAll(/\{\s*([\w-]+)\s*[,}]/g)].map(([, name]) => [name!, value]),
  )

function ours(
  message: string,
  locale: string,
  values: Record<string, string | number>,
  tags: boolean,
) {
  const value = (name: string) => {
    if (!(name in values)) throw new Error(name)
    return values[name]!
  }
  const tag = (name: string, inside: string) => `[${name}:${inside}]`
  return writeIcu<string>(parseIcu(message, tags), { locale, value, tag }).join('')
}

function theirs(
  message: string,
  locale: string,
  values: Record<string, string | number>,
  tags: boolean,
) {
  const format = new IntlMessageFormat(message, locale, undefined, { ignoreTag: !tags })
  const names = [...message.matchAll(/<([a-z]\w*)>/g)].map(([, name]) => name!)
  const renderers = names.map((name) => [name, (parts: string[]) => `[${name}:${parts.join('')}]`])
  return String(format.format({ ...values, ...Object.fromEntries(renderers) }))
}

describe.each(['en', ...TRANSLATED])('%s', (locale) => {
  test('every text is written as the library writes it', () => {
    const wrong: string[] = []
    for (const message of Object.values(textsIn(locale)))
      for (const value of samplesOf(message)) {
        const values = valuesOf(message, value)
        const tags = message.includes('<link>')
        const [one, other] = [ours, theirs].map((write) => write(message, locale, values, tags))
        if (one !== other) wrong.push(`${message}: ${one} instead of ${other}`)
      }
    expect(wrong).toEqual([])
  })
})

const ODD = [
  "It's {n}",
  "It''s {n}",
  "'{n}' is {n}",
  "'{n",
  "a '{'' {n}' b",
  "{n, plural, one {'#' is #} other {it''s '{#}' #}}",
  '{n, plural, =2 {two} one {#} other {{n, select, 2 {#} other {# of {n, plural, other {#}}}}}}',
  '{ n , select , 1 {a} other { b } } #',
  '{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}',
  '{n, plural, other {}}',
  'a < b, <1>, 2<3',
  '} {n}}',
  'see <link>{n, plural, one {<b># file</b>} other {# files}}</link>, a < 2',
]
test.each(ODD)('%s', (message) => {
  for (const tags of [false, true])
    for (const n of COUNTS)
      expect(ours(message, 'en', { n }, tags)).toBe(theirs(message, 'en', { n }, tags))
})

const MALFORMED = ['{', '{n', '{n, plural, one {a}}', '{n, plural, one', '{n,}', '{}']
test.each(MALFORMED)('%s is no message, for either', (message) => {
  expect(() => parseIcu(message, false)).toThrow(SyntaxError)
  expect(() => new IntlMessageFormat(message, 'en')).toThrow()
})
