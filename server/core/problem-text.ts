// Our own messages for values that do not match their schema: the library's messages name its
// types.
import type { z } from 'zod'
import { say, sayFixed, sayPlain, type Text, ownValue } from '../../plugins/contract/index.ts'

type Issue = z.core.$ZodRawIssue
type IssueOf<Code extends z.core.$ZodIssueCode> = Extract<Issue, { code: Code }>

/** Pass it as `error` when parsing. A message of the schema itself takes precedence. */
export function problemText(issue: Issue): string {
  const text = TEXTS[issue.code] as ((issue: Issue) => string) | undefined
  return text?.(issue) ?? NOT_ALLOWED
}

const NOT_ALLOWED = sayPlain('This value is not allowed')
const REQUIRED = sayPlain('This is required')

const TEXTS: { [Code in z.core.$ZodIssueCode]: (issue: IssueOf<Code>) => string } = {
  invalid_type: ({ expected, input }) =>
    input === undefined && expected !== 'never'
      ? REQUIRED
      : (TYPES[expected] ?? sayPlain('This is of the wrong type')),
  too_big: ({ origin, maximum, inclusive, exact }) =>
    bound(origin, maximum, exact ? 'exactly' : inclusive === false ? 'less' : 'most'),
  too_small: ({ origin, minimum, inclusive, exact }) => {
    if (!exact && inclusive !== false && Number(minimum) === 1) {
      if (origin === 'string') return sayPlain('This cannot be empty')
      if (origin in UNITS) return sayPlain('This needs at least 1 entry')
    }
    return bound(origin, minimum, exact ? 'exactly' : inclusive === false ? 'more' : 'least')
  },
  invalid_format: (issue) => {
    const { prefix, suffix, includes } = issue as {
      prefix?: string
      suffix?: string
      includes?: string
    }
    if (prefix !== undefined) return sayFixed('This must begin with {text}', { text: prefix })
    if (suffix !== undefined) return sayFixed('This must end with {text}', { text: suffix })
    if (includes !== undefined) return sayFixed('This must contain {text}', { text: includes })
    return FORMATS[issue.format] ?? sayPlain('This does not have the right form')
  },
  not_multiple_of: ({ divisor }) =>
    sayFixed('This must be a multiple of {number}', { number: Number(divisor) }),
  unrecognized_keys: ({ keys }) => keys.map((key) => `There is no field ${key}`).join('; '),
  invalid_union: ({ options }) =>
    Array.isArray(options)
      ? oneOf(options as z.core.util.Primitive[])
      : sayPlain('This has none of the allowed forms'),
  invalid_key: () => sayPlain('This name is not allowed here'),
  invalid_element: () => sayPlain('An entry here is not allowed'),
  invalid_value: ({ values, input }) => (input === undefined ? REQUIRED : oneOf(values)),
  custom: () => NOT_ALLOWED,
}

const TYPES: Readonly<Record<string, string>> = {
  string: sayPlain('This must be text'),
  number: sayPlain('This must be a number'),
  int: sayPlain('This must be a whole number'),
  bigint: sayPlain('This must be a whole number'),
  boolean: sayPlain('This must be true or false'),
  date: sayPlain('This must be a date'),
  array: sayPlain('This must be a list'),
  tuple: sayPlain('This must be a list'),
  set: sayPlain('This must be a list'),
  object: sayPlain('This must be an object with fields'),
  record: sayPlain('This must be an object with fields'),
  map: sayPlain('This must be an object with fields'),
  null: sayPlain('This must be null'),
  never: sayPlain('There is no such field'),
}

const FORMATS: Readonly<Record<string, string>> = {
  email: sayPlain('This is not an email address'),
  url: sayPlain('This is not a URL'),
  uuid: sayPlain('This is not a UUID'),
  datetime: sayPlain('This is not a date and time such as 2026-01-31T12:00:00Z'),
  date: sayPlain('This is not a date such as 2026-01-31'),
  time: sayPlain('This is not a time such as 12:00:00'),
  ipv4: sayPlain('This is not an IP address'),
  ipv6: sayPlain('This is not an IP address'),
  cidrv4: sayPlain('This is not a range of IP addresses'),
  cidrv6: sayPlain('This is not a range of IP addresses'),
}

const entries = (count: number) =>
  say('{count, plural, one {# entry} other {# entries}}', { count })
const fields = (count: number) => say('{count, plural, one {# field} other {# fields}}', { count })

/** What a limit counts; a number has no unit. */
const UNITS: Readonly<Record<string, (count: number) => Text>> = {
  array: entries,
  set: entries,
  map: entries,
  object: fields,
  record: fields,
}
const LENGTHS: Readonly<Record<string, (count: number) => Text>> = {
  ...UNITS,
  string: (count) => say('{count, plural, one {# character} other {# characters}}', { count }),
  file: (count) => say('{count, plural, one {# byte} other {# bytes}}', { count }),
}

/** Limits are constants of schemas, so the texts that are kept for them are few. */
const BOUNDS = {
  exactly: (limit: Limit) => sayFixed('Exactly {limit}', { limit }),
  most: (limit: Limit) => sayFixed('At most {limit}', { limit }),
  least: (limit: Limit) => sayFixed('At least {limit}', { limit }),
  less: (limit: Limit) => sayFixed('Less than {limit}', { limit }),
  more: (limit: Limit) => sayFixed('More than {limit}', { limit }),
}
type Limit = string | number | Text

function bound(origin: string, limit: number | bigint, words: keyof typeof BOUNDS): string {
  const count = Number(limit)
  if (origin === 'date') return BOUNDS[words](new Date(count).toISOString())
  return BOUNDS[words](ownValue(LENGTHS, origin)?.(count) ?? count)
}

/** Maximum number of values that a message lists. */
const MAX_NAMED = 30

function oneOf(values: readonly z.core.util.Primitive[]): string {
  const named = values.slice(0, MAX_NAMED).map(String).join(', ')
  if (values.length === 1) return sayFixed('This must be {value}', { value: named })
  return sayFixed('This must be one of: {values}', {
    values: `${named}${values.length > MAX_NAMED ? ', …' : ''}`,
  })
}
