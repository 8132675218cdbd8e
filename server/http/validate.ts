// Validates requests against their schemas: all problems are reported together, each with a stable
// code.
import { say, type Text, textOf, ownValue } from '../../plugins/contract/index.ts'
import type { z } from 'zod'
import { fieldNames, issueText, parseBounded, shortName, type Issue } from '../core/bounds.ts'
import {
  AppError,
  isErrorCode,
  MAX_DETAILS,
  type ErrorCode,
  type ErrorDetail,
} from '../core/errors.ts'
import { MAX_DEPTH, tooDeep } from './body.ts'

/**
 * The parsed value. Throws `validation_failed` with the first hundred problems and their number,
 * and `malformed_request` for a value that is nested too deep.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const { data, problems } = check(schema, value)
  if (problems.total > 0) throw problems.error()
  return data as z.output<Schema>
}

/**
 * As `validate`, but names the problems that `further` finds in the well-formed fields together with
 * those of malformed ones. A value without malformed fields is returned without calling it.
 * @param value may be changed if it is refused
 */
export async function validateFully<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  further: (given: Record<string, unknown>) => Promise<readonly ErrorDetail[]>,
): Promise<z.output<Schema>> {
  const { data, problems } = check(schema, value)
  if (problems.total === 0) return data as z.output<Schema>
  const given = wellFormedFields(schema, value, problems.malformed)
  if (given) problems.addOthers(await further(given))
  throw problems.error()
}

function check(schema: z.ZodType, value: unknown): { data?: unknown; problems: Problems } {
  const problems = new Problems(schema)
  const unstored = unstorableTexts(value)
  const { data, issues = [] } = parseBounded(schema, value)
  for (const issue of issues) problems.add(issue, value)
  problems.addUnstored(unstored)
  return { data, problems }
}

/** The parsed value, or its first hundred problems and their number. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { data: z.output<Schema> | null; details: readonly ErrorDetail[]; total: number } {
  const { data, problems } = check(schema, value)
  return {
    data: problems.total === 0 ? (data as z.output<Schema>) : null,
    details: problems.details,
    total: problems.total,
  }
}

type Path = readonly PropertyKey[]

/** Counts all problems, and describes only as many as an answer names. */
class Problems {
  readonly details: ErrorDetail[] = []
  /** Where they are. */
  readonly malformed: Path[] = []
  total = 0
  private readonly schema: z.ZodType

  constructor(schema: z.ZodType) {
    this.schema = schema
  }

  add(issue: Issue, value: unknown): void {
    const isNames = issue.code === 'unrecognized_keys'
    const places = isNames ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
    this.malformed.push(...places)
    this.total += places.length
    const room = MAX_DETAILS - this.details.length
    if (room > 0) this.details.push(...detailsOf(issue, value, room, this.schema))
  }

  addUnstored(found: readonly Unstored[]): void {
    this.malformed.push(...found.map(({ path }) => path))
    this.addUnlessNamed(found.map(({ path, code, message }) => detail(path, code, message)))
  }

  /** Those of malformed places would only repeat or guess. */
  addOthers(others: readonly ErrorDetail[]): void {
    const places = new Set(this.malformed.map(writtenPlace))
    const around = new Set([...places].flatMap(outerPlaces))
    this.addUnlessNamed(
      others.filter(
        ({ index, param }) =>
          index !== undefined ||
          (!around.has(param) && !outerPlaces(param).some((outer) => places.has(outer))),
      ),
    )
  }

  error(): AppError {
    const { details, total } = this
    const param = details[0] ? { param: details[0].param } : {}
    return new AppError('validation_failed', { details, detailsTotal: total, ...param })
  }

  private addUnlessNamed(more: readonly ErrorDetail[]): void {
    const named = new Set(this.details.map(placeOf))
    const others = more.filter((problem) => !named.has(placeOf(problem)))
    this.total += others.length
    this.details.push(...others.slice(0, MAX_DETAILS - this.details.length))
  }
}

/** A path as workflows write it: `steps[2].options.tags`. */
const writtenPlace = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1)

/** The place and all that contain it: `a[1].b`, `a[1]`, `a`. */
const outerPlaces = (place: string): string[] => [
  place,
  ...[...place.matchAll(/[.[]/g)].map(({ index }) => place.slice(0, index)),
]

/**
 * The fields of an object that its schema reads without a problem, parsed. A field with a problem
 * inside it is returned as it was sent, with undefined in place of what is malformed. Null: the value
 * is no object.
 */
function wellFormedFields(
  schema: z.ZodType,
  value: unknown,
  malformed: readonly Path[],
): Record<string, unknown> | null {
  if (!('shape' in schema) || typeof value !== 'object' || value === null) return null
  for (const path of malformed) dropValue(value, path)
  const wholly = new Set(malformed.flatMap((path) => (path.length === 1 ? path : [])))
  const partly = new Set(malformed.flatMap((path) => (path.length > 1 ? path.slice(0, 1) : [])))
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>)
  return Object.fromEntries(
    fields.flatMap(([name, field]) => {
      if (wholly.has(name)) return []
      const sent = ownValue(value as Record<string, unknown>, name)
      if (partly.has(name)) return [[name, sent]]
      const { data } = parseBounded(field, sent)
      return data === undefined ? [] : [[name, data]]
    }),
  )
}

function dropValue(value: object, path: Path): void {
  const last = path.at(-1)
  const holder = valueAt(value, path.slice(0, -1))
  if (last === undefined || typeof holder !== 'object' || holder === null) return
  // The elements of a list keep their numbers.
  if (Array.isArray(holder)) holder[last as number] = undefined
  else Reflect.deleteProperty(holder, last)
}

const placeOf = ({ index, param }: ErrorDetail) => `${index} ${param}`

interface Unstored {
  path: Path
  code: ErrorCode
  message: Text
}

/**
 * PostgreSQL cannot store the character 0 or half a surrogate pair: text with one is refused here,
 * in any field. Runs first, so that no later walk meets a value that is nested too deep for it.
 */
function unstorableTexts(value: unknown): Unstored[] {
  const found: Unstored[] = []
  const path: PropertyKey[] = []
  const report = (code: ErrorCode, message: Text) => found.push({ path: [...path], code, message })
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
    (inner, key) => ownValue(inner as Record<PropertyKey, unknown> | undefined, String(key)),
    value,
  )
