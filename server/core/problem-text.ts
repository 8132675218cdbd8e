// Our own messages for values that do not match their schema: the library's messages name its
// types.
import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue
type IssueOf<Code extends z.core.$ZodIssueCode> = Extract<Issue, { code: Code }>

/** Pass it as `error` when parsing. A message of the schema itself takes precedence. */
export function problemText(issue: Issue): string {
  const text = TEXTS[issue.code] as ((issue: Issue) => string) | undefined
  return text?.(issue) ?? NOT_ALLOWED
}

const NOT_ALLOWED = 'This value is not allowed'
const REQUIRED = 'This is required'

const TEXTS: { [Code in z.core.$ZodIssueCode]: (issue: IssueOf<Code>) => string } = {
  invalid_type: ({ expected, input }) =>
    input === undefined && expected !== 'never'
      ? REQUIRED
      : (TYPES[expected] ?? 'This is of the wrong type'),
  too_big: ({ origin, maximum, inclusive, exact }) =>
    bound(origin, maximum, exact ? 'Exactly' : 'At most', inclusive),
  too_small: ({ origin, minimum, inclusive, exact }) => {
    if (!exact && inclusive !== false && Number(minimum) === 1) {
      if (origin === 'string') return 'This cannot be empty'
      if (origin in UNITS) return 'This needs at least 1 entry'
    }
    return bound(origin, minimum, exact ? 'Exactly' : 'At least', inclusive)
  },
  invalid_format: (issue) => {
    const { prefix, suffix, includes } = issue as {
      prefix?: string
      suffix?: string
      includes?: string
    }
    if (prefix !== undefined) return `This must begin with ${prefix}`
    if (suffix !== undefined) return `This must end with ${suffix}`
    if (includes !== undefined) return `This must contain ${includes}`
    return FORMATS[issue.format] ?? 'This does not have the right form'
  },
  not_multiple_of: ({ divisor }) => `This must be a multiple of ${divisor}`,
  unrecognized_keys: ({ keys }) => keys.map((key) => `There is no field ${key}`).join('; '),
  invalid_union: ({ options }) =>
    Array.isArray(options)
      ? oneOf(options as z.core.util.Primitive[])
      : 'This has none of the allowed forms',
  invalid_key: () => 'This name is not allowed here',
  invalid_element: () => 'An entry here is not allowed',
  invalid_value: ({ values, input }) => (input === undefined ? REQUIRED : oneOf(values)),
  custom: () => NOT_ALLOWED,
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'This must be text',
  number: 'This must be a number',
  int: 'This must be a whole number',
  bigint: 'This must be a whole number',
  boolean: 'This must be true or false',
  date: 'This must be a date',
  array: 'This must be a list',
  tuple: 'This must be a list',
  set: 'This must be a list',
  object: 'This must be an object with fields',
  record: 'This must be an object with fields',
  map: 'This must be an object with fields',
  null: 'This must be null',
  never: 'There is no such field',
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'This is not an email address',
  url: 'This is not a URL',
  uuid: 'This is not a UUID',
  datetime: 'This is not a date and time such as 2026-01-31T12:00:00Z',
  date: 'This is not a date such as 2026-01-31',
  time: 'This is not a time such as 12:00:00',
  ipv4: 'This is not an IP address',
  ipv6: 'This is not an IP address',
  cidrv4: 'This is not a range of IP addresses',
  cidrv6: 'This is not a range of IP addresses',
}

/** The unit that a limit counts, singular and plural; a number has no unit. */
const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
  object: ['field', 'fields'],
  record: ['field', 'fields'],
}
const LENGTHS: Readonly<Record<string, readonly [string, string]>> = {
  ...UNITS,
  string: ['character', 'characters'],
  file: ['byte', 'bytes'],
}

function bound(
  origin: string,
  limit: number | bigint,
  words: string,
  inclusive: boolean | undefined,
): string {
  const unit = LENGTHS[origin]?.[Number(limit) === 1 ? 0 : 1]
  const value = origin === 'date' ? new Date(Number(limit)).toISOString() : String(limit)
  if (inclusive === false && words !== 'Exactly')
    return `${words === 'At most' ? 'Less' : 'More'} than ${value}${unit ? ` ${unit}` : ''}`
  return `${words} ${value}${unit ? ` ${unit}` : ''}`
}

/** Maximum number of values that a message lists. */
const MAX_NAMED = 30

function oneOf(values: readonly z.core.util.Primitive[]): string {
  const named = values.slice(0, MAX_NAMED).map(String).join(', ')
  if (values.length === 1) return `This must be ${named}`
  return `This must be one of: ${named}${values.length > MAX_NAMED ? ', …' : ''}`
}
