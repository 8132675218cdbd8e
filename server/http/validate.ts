// Validates requests against their schemas: all problems are reported together, each with a stable
// code.
import { say, type Text, textOf } from '../../plugins/contract.ts'
import type { z } from 'zod'
import { fieldNames, issueText, parseBounded, shortName, type Issue } from '../core/bounds.ts'
import {
  AppError,
  isErrorCode,
  MAX_DETAILS,
  type ErrorCode,
  type ErrorDetail,
} from '../core/errors.ts'
import { MAX_DEPTH, tooDeep } from './body-shape.ts'

/**
 * The parsed value. Throws `validation_failed` with the first hundred problems and their number,
 * and `malformed_request` for a value that is nested too deep.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const problems = new Problems(schema)
  const unstored = unstorableTexts(value)
  const parsed = parseBounded(schema, value)
  for (const issue of parsed.issues ?? []) problems.add(issue, value)
  if (unstored.length > 0) problems.addUnlessNamed(unstored)
  if (!parsed.issues && problems.total === 0) return parsed.data
  const { details, total } = problems
  const param = details[0] ? { param: details[0].param } : {}
  throw new AppError('validation_failed', { details, detailsTotal: total, ...param })
}

/** Counts all problems, and describes only as many as an answer names. */
class Problems {
  readonly details: ErrorDetail[] = []
  total = 0
  private readonly schema: z.ZodType

  constructor(schema: z.ZodType) {
    this.schema = schema
  }

  add(issue: Issue, value: unknown): void {
    for (const one of unfolded(issue)) {
      this.total += one.code === 'unrecognized_keys' ? one.keys.length : 1
      const room = MAX_DETAILS - this.details.length
      if (room > 0) this.details.push(...detailsOf(one, value, room, this.schema))
    }
  }

  addUnlessNamed(more: readonly ErrorDetail[]): void {
    const named = new Set(this.details.map(placeOf))
    const others = more.filter((problem) => !named.has(placeOf(problem)))
    this.total += others.length
    this.details.push(...others.slice(0, MAX_DETAILS - this.details.length))
  }
}

/** The issues that one stands for: those of the meant form of a union, or itself. */
function unfolded(issue: Issue): Issue[] {
  const meant = issue.code === 'invalid_union' ? meantForm(issue.errors) : []
  if (meant.length === 0) return [issue]
  return meant.flatMap((inner) =>
    unfolded({ ...inner, path: [...issue.path, ...inner.path] } as Issue),
  )
}

const placeOf = ({ index, param }: ErrorDetail) => `${index} ${param}`

/**
 * PostgreSQL cannot store the character 0 or half a surrogate pair: text with one is refused here,
 * in any field. Runs first, so that no later walk meets a value that is nested too deep for it.
 */
function unstorableTexts(value: unknown): ErrorDetail[] {
  const found: ErrorDetail[] = []
  const path: PropertyKey[] = []
  const report = (code: ErrorCode, message: Text) => found.push(detail(path, code, message))
  const inside = (key: PropertyKey, inner: unknown) => {
    path.push(key)
    visit(inner)
    path.pop()
  }
  const visit = (at: unknown): void => {
    if (found.length >= MAX_DETAILS) return
    if (typeof at === 'string' && !isStorable(at))
      report('invalid_value', say('This contains a character that cannot be stored'))
    if (typeof at !== 'object' || at === null) return
    if (path.length === MAX_DEPTH) throw tooDeep()
    if (Array.isArray(at)) return at.forEach((inner, index) => inside(index, inner))
    for (const [key, inner] of Object.entries(at))
      if (isFieldName(key)) inside(key, inner)
      else
        report(
          'unknown_field',
          say(
            'A field has a name that cannot be stored, or contains a character that cannot be stored',
          ),
        )
  }
  visit(value)
  return found
}

/** A field with this name would set an object's prototype when it is copied. */
const isFieldName = (name: string) => isStorable(name) && name !== '__proto__'
const isStorable = (text: string) => !text.includes('\u0000') && text.isWellFormed()

function detailsOf(issue: Issue, value: unknown, most: number, schema: z.ZodType): ErrorDetail[] {
  if (issue.code === 'unrecognized_keys') {
    const fields = fieldNames(schema, issue.path)
    const names = fields.join(', ')
    return issue.keys.slice(0, most).map((key, index) => {
      // Another form of a union has the field.
      if (fields.includes(key))
        return detail(
          [...issue.path, key],
          'unknown_field',
          textOf(`The field ${key} cannot be sent together with the others: ${names}`),
        )
      // The names are listed once for an object: a hundred lists of them would make the answer
      // unreadable.
      const known = index === 0 && names !== '' ? `. The fields are: ${names}` : ''
      // Only programs send unknown fields: the message is not translated.
      const message = textOf(`There is no field ${shortName(key)}${known}`)
      return detail([...issue.path, key], 'unknown_field', message)
    })
  }
  return [detail(issue.path, codeOf(issue, value), issueText(issue))]
}

/** The problems of the form of a union that was meant: the first one that has all fields of the value. */
const meantForm = (forms: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] =>
  forms.find((issues) =>
    issues.every(({ code, path }) => code !== 'unrecognized_keys' || path.length > 0),
  ) ??
  forms[0] ??
  []

/** `files[3].url` → index 3, param `url`. */
function detail(path: readonly PropertyKey[], code: ErrorCode, message: Text): ErrorDetail {
  const at = path.findIndex((part) => typeof part === 'number')
  const names = (parts: readonly PropertyKey[]) =>
    parts
      .filter((part) => typeof part === 'string')
      .map(shortName)
      .join('.')
  if (at === -1) return { param: names(path), code, message }
  return {
    index: path[at] as number,
    param: names(path.slice(at + 1)) || names(path.slice(0, at)),
    code,
    message,
  }
}

function codeOf(issue: Issue, value: unknown): ErrorCode {
  switch (issue.code) {
    case 'invalid_type':
      return valueAt(value, issue.path) === undefined ? 'required' : 'invalid_type'
    // One of several values.
    case 'invalid_value':
      return valueAt(value, issue.path) === undefined ? 'required' : 'invalid_value'
    case 'too_small':
      return issue.origin === 'number'
        ? 'out_of_range'
        : issue.origin === 'string'
          ? 'invalid_value'
          : 'too_few'
    case 'too_big':
      return issue.origin === 'number'
        ? 'out_of_range'
        : issue.origin === 'string'
          ? 'invalid_value'
          : 'too_many'
    case 'custom': {
      const code: unknown = issue.params?.code
      return typeof code === 'string' && isErrorCode(code) ? code : 'invalid_value'
    }
    default:
      return 'invalid_value'
  }
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  )
