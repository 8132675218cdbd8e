// Checking requests against their schemas: every problem is named at once, each with our own stable code.
import type { z } from 'zod'
import { AppError, isErrorCode, type ErrorCode, type ErrorDetail } from '../errors.ts'
import { problemText } from '../problem-text.ts'

/** The parsed value; throws `validation_failed` with every problem, and `malformed_request` for what no request looks like. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const unstored = unstorable(value)
  const parsed = schema.safeParse(value, { error: problemText })
  const details = (parsed.error?.issues ?? []).flatMap((issue) => detailsOf(issue, value))
  const named = new Set(details.map(placeOf))
  details.push(...unstored.filter((problem) => !named.has(placeOf(problem))))
  if (parsed.success && details.length === 0) return parsed.data
  throw new AppError('validation_failed', { details, ...(details[0] ? { param: details[0].param } : {}) })
}

const placeOf = ({ index, param }: ErrorDetail) => `${index} ${param}`

/** Deeper than anything that we ask for; far below what whoever walks through it could not get out of. */
const MOST_DEEP = 50

/**
 * PostgreSQL keeps neither the character 0 nor half a character: text with one is refused here, in whatever field it came. First of all
 * looks at a request, and so sees to it that none is too deep for those that follow.
 */
function unstorable(value: unknown, path: readonly PropertyKey[] = []): ErrorDetail[] {
  if (typeof value === 'string')
    return isStorable(value) ? [] : [detail(path, 'invalid_value', 'This has a character that cannot be stored')]
  if (typeof value !== 'object' || value === null) return []
  if (path.length === MOST_DEEP)
    throw new AppError('malformed_request', { message: `The request is nested more than ${MOST_DEEP} deep` })
  return Object.entries(value).flatMap(([key, inner]) => {
    if (!isStorable(key)) return [detail(path, 'unknown_field', 'A field’s name has a character that cannot be stored')]
    return unstorable(inner, [...path, Array.isArray(value) ? Number(key) : key])
  })
}

const isStorable = (text: string) => !text.includes('\u0000') && text.isWellFormed()

type Issue = z.core.$ZodIssue

function detailsOf(issue: Issue, value: unknown): ErrorDetail[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => detail([...issue.path, key], 'unknown_field', `There is no field ${key}`))
  if (issue.code === 'invalid_union' && issue.errors[0]?.[0])
    return detailsOf({ ...issue.errors[0][0], path: [...issue.path, ...issue.errors[0][0].path] } as Issue, value)
  return [detail(issue.path, codeOf(issue, value), issue.message)]
}

/** `files[3].url` → index 3, param `url`. */
function detail(path: readonly PropertyKey[], code: ErrorCode, message: string): ErrorDetail {
  const at = path.findIndex((part) => typeof part === 'number')
  const names = (parts: readonly PropertyKey[]) => parts.filter((part) => typeof part === 'string').join('.')
  if (at === -1) return { param: names(path), code, message }
  return { index: path[at] as number, param: names(path.slice(at + 1)) || names(path.slice(0, at)), code, message }
}

function codeOf(issue: Issue, value: unknown): ErrorCode {
  switch (issue.code) {
    case 'invalid_type':
      return valueAt(value, issue.path) === undefined ? 'required' : 'invalid_type'
    case 'too_small':
      return issue.origin === 'number' ? 'out_of_range' : issue.origin === 'string' ? 'invalid_value' : 'too_few'
    case 'too_big':
      return issue.origin === 'number' ? 'out_of_range' : issue.origin === 'string' ? 'invalid_value' : 'too_many'
    case 'custom': {
      const code: unknown = issue.params?.code
      return typeof code === 'string' && isErrorCode(code) ? code : 'invalid_value'
    }
    default:
      return 'invalid_value'
  }
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value)
