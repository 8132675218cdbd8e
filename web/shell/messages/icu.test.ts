// Our reader of ICU messages against the library that knows all of ICU.
import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, test } from 'vitest'
import { someOf } from '../../../test/scale.ts'
import { textsIn } from '../../../test/texts.ts'
import { parseIcu, writeIcu } from './icu.ts'
import { TRANSLATED } from './locale.ts'

const COUNTS = [0, 1, 2, 3, 5, 11, 21, 22, 100, 1234, 1_000_000]

/** Values that choose between the forms of a message. */
function samplesOf(message: string): readonly (string | number)[] {
  if (/, (plural|selectordinal),/.test(message)) return COUNTS
  return message.includes(', number}') ? [1234] : ['none', 'true', 'one']
}

const valuesOf = (message: string, value: string | number): Values =>
  Object.fromEntries(
    [...message.matchAll(/\{\s*([\w-]+)\s*[,}]/g)].map(([, name]) => [name!, value]),
  )

type Values = Record<string, string | number>

/** Writes a message with values. Both read a message once: reading it takes most of the time. */
function ours(message: string, locale: string, tags: boolean): (values: Values) => string {
  const parts = parseIcu(message, tags)
  const tag = (name: string, inside: string) => `[${name}:${inside}]`
  return (values) => {
    const value = (name: string) => {
      if (!(name in values)) throw new Error(name)
      return values[name]!
    }
    return writeIcu<string>(parts, { locale, value, tag }).join('')
  }
}

function theirs(message: string, locale: string, tags: boolean): (values: Values) => string {
  const format = new IntlMessageFormat(message, locale, undefined, { ignoreTag: !tags })
  const names = [...message.matchAll(/<([a-z]\w*)>/g)].map(([, name]) => name!)
  const renderers = Object.fromEntries(
    names.map((name) => [name, (parts: string[]) => `[${name}:${parts.join('')}]`]),
  )
  return (values) => String(format.format({ ...values, ...renderers }))
}

describe.each(someOf(['en', ...TRANSLATED], (_, at) => at < 2))('%s', (locale) => {
  test('every text is written as the library writes it', () => {
    const wrong: string[] = []
    for (const message of Object.values(textsIn(locale))) {
      const tags = message.includes('<link>')
      const writers = [ours, theirs].map((read) => read(message, locale, tags))
      for (const value of samplesOf(message)) {
        const values = valuesOf(message, value)
        const [one, other] = writers.map((write) => write(values))
        if (one !== other) wrong.push(`${message}: ${one} instead of ${other}`)
      }
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
      expect(ours(message, 'en', tags)({ n })).toBe(theirs(message, 'en', tags)({ n }))
})

const MALFORMED = ['{', '{n', '{n, plural, one {a}}', '{n, plural, one', '{n,}', '{}']
test.each(MALFORMED)('%s is no message, for either', (message) => {
  expect(() => parseIcu(message, false)).toThrow(SyntaxError)
  expect(() => new IntlMessageFormat(message, 'en')).toThrow()
})
