// The first check of a request: only values within a schema's limits reach that schema. zod
// continues after a failed .max(): it runs refinements on the whole text, and parses every element
// of a list that is too long.
import { z } from 'zod'
import {
  type AnyText,
  sayFixed,
  type Text,
  textOf,
  ownValue,
} from '../../plugins/contract/index.ts'
import { problemText } from './problem-text.ts'

type Schema = z.core.$ZodType
export type Issue = z.core.$ZodIssue
type BoundedResult<T> = { data: T; issues?: never } | { data?: never; issues: readonly Issue[] }

/** The limit of texts whose schema has none. */
const MAX_CHARACTERS = 10_000
const MAX_ELEMENTS = 1_000
const MAX_FIELDS = 1_000

/**
 * Like `safeParse`, in a time that grows with the schema's limits, not with the value. A value that
 * is too long is reported at its place and cut to its limit, so that all other problems are found
 * too. Of a union, the problems of the form that was meant are returned.
 */
export function parseBounded<S extends z.ZodType>(
  schema: S,
  value: unknown,
): BoundedResult<z.output<S>> {
  const cuts = new Cuts()
  const parsed = schema.safeParse(cuts.fit(unwrapSchema(schema), value), { error: problemText })
  if (parsed.success && cuts.issues.length === 0) return { data: parsed.data }
  const places = new Set(cuts.issues.map(({ path }) => placeOf(path)))
  const others = (parsed.error?.issues ?? []).flatMap(unfolded)
  return { issues: [...cuts.issues, ...others.filter(({ path }) => !places.has(placeOf(path)))] }
}

/** The issues that one stands for: those of the meant form of a union, or itself. */
function unfolded(issue: Issue): Issue[] {
  const meant = issue.code === 'invalid_union' ? meantForm(issue.errors) : []
  if (meant.length === 0) return [issue]
  return meant.flatMap((inner) =>
    unfolded({ ...inner, path: [...issue.path, ...inner.path] } as Issue),
  )
}

/** The problems of the form of a union that was meant: the first one that has all fields of the value. */
const meantForm = (forms: readonly (readonly Issue[])[]): readonly Issue[] =>
  forms.find((issues) =>
    issues.every(({ code, path }) => code !== 'unrecognized_keys' || path.length > 0),
  ) ??
  forms[0] ??
  []

/** The message of a problem; those of `textIssue` and `sayFixed` have values. */
export const issueText = (issue: Issue): Text =>
  textOf(
    issue.code === 'custom' ? ((issue.params?.text as AnyText) ?? issue.message) : issue.message,
  )

/** A field's name as an answer repeats it: a client's name may be as long as the body. */
export const shortName = (name: string): string =>
  name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME).toWellFormed()}…`
const MAX_NAME = 100

const placeOf = (path: readonly PropertyKey[]) => JSON.stringify(path)

/** Walks through a value, with the schemas that each place in it may have. */
class Cuts {
  readonly issues: Issue[] = []
  private readonly path: PropertyKey[] = []

  fit(schemas: readonly Schema[], value: unknown): unknown {
    // A value without a schema is not read, except by a schema that is applied later and has its
    // own limits.
    if (schemas.length === 0 || schemas.some(isOpen)) return value
    if (typeof value === 'string') return this.fitText(schemas, value)
    if (Array.isArray(value)) return this.fitList(schemas, value)
    return typeof value === 'object' && value !== null ? this.fitObject(schemas, value) : value
  }

  private fitText(schemas: readonly Schema[], text: string): string {
    const { most, check } = limitOf(schemas.filter(isText), MAX_CHARACTERS)
    if (text.length <= most) return text
    this.report(
      'string',
      check,
      text,
      sayFixed('At most {count} characters', { count: most }),
      most,
    )
    return text.slice(0, most)
  }

  private fitList(schemas: readonly Schema[], list: readonly unknown[]): unknown[] {
    const lists = schemas.filter(isList)
    const { most, check } = limitOf(lists, MAX_ELEMENTS)
    if (list.length > most)
      this.report('array', check, list, sayFixed('At most {limit}', { limit: most }), most)
    const inner = lists.flatMap((one) => unwrapSchema(one._zod.def.element))
    return list.slice(0, most).map((element, at) => this.inside(at, inner, element))
  }

  private fitObject(schemas: readonly Schema[], object: object): object {
    const fields = Object.entries(object)
    if (fields.length > MAX_FIELDS)
      this.report(
        'object',
        undefined,
        object,
        sayFixed('At most {count} fields', { count: MAX_FIELDS }),
        MAX_FIELDS,
      )
    const fitted = fields.slice(0, MAX_FIELDS).map(([name, value]) => {
      const inner = schemas.flatMap((schema) => fieldOf(schema, name))
      return [name, this.inside(name, inner, value)] as const
    })
    return Object.fromEntries(fitted)
  }

  private inside(key: PropertyKey, schemas: readonly Schema[], value: unknown): unknown {
    this.path.push(key)
    const fitted = this.fit(schemas, value)
    this.path.pop()
    return fitted
  }

  /**
   * Reports a value that is too long, with the message of the schema that has the limit, if any.
   */
  private report(
    origin: 'string' | 'array' | 'object',
    check: z.core.$ZodCheck | undefined,
    input: unknown,
    message: string,
    maximum: number,
  ): void {
    const path = [...this.path]
    const payload: z.core.ParsePayload = { value: input, issues: [] }
    void (check as z.core.$ZodCheck<unknown> | undefined)?._zod.check(payload)
    const [raw] = payload.issues
    const issue = raw && z.core.util.finalizeIssue(raw, { error: problemText }, z.core.config())
    this.issues.push({ ...(issue ?? { code: 'too_big', origin, maximum, message }), path })
  }
}

const isText = (schema: Schema): schema is z.core.$ZodString => schema._zod.def.type === 'string'
const isList = (schema: Schema): schema is z.core.$ZodArray => schema._zod.def.type === 'array'
const isOpen = (schema: Schema) => ['unknown', 'any'].includes(schema._zod.def.type)

/** The largest limit that one of several schemas for the same place has. */
function limitOf(schemas: readonly Schema[], usual: number) {
  const limits = schemas.map((schema) => {
    const checks = schema._zod.def.checks ?? []
    const at = checks.findIndex((check) => lengthIn(check) !== null)
    const check = checks[at]
    const most = check ? lengthIn(check) : null
    // A text that is trimmed first may be longer before.
    const changed = checks.slice(0, at).some((one) => one._zod.def.check === 'overwrite')
    return check && most !== null && !changed ? { most, check } : { most: usual, check: undefined }
  })
  return limits.sort((a, b) => b.most - a.most)[0] ?? { most: usual, check: undefined }
}

/** The length that a check allows; null for checks of anything else. */
function lengthIn(check: z.core.$ZodCheck<never>): number | null {
  const { def } = (check as z.core.$ZodChecks)._zod
  if (def.check === 'max_length') return def.maximum
  return def.check === 'length_equals' ? def.length : null
}

function fieldOf(schema: Schema, name: string): readonly Schema[] {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  if (def.type === 'record') return unwrapSchema(def.valueType)
  if (def.type !== 'object') return []
  const field = ownValue(def.shape, name)
  if (field) return unwrapSchema(field)
  return def.catchall ? unwrapSchema(def.catchall) : []
}

/** The names that `schema` allows in the object at `path`, for an answer about another name. */
export function fieldNames(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  const at = path.reduce<readonly Schema[]>(
    (schemas, key) =>
      schemas.flatMap((one) =>
        isList(one) ? unwrapSchema(one._zod.def.element) : fieldOf(one, String(key)),
      ),
    unwrapSchema(schema),
  )
  const names = at.flatMap((one) => {
    const { def } = one._zod as z.core.$ZodTypes['_zod']
    return def.type === 'object' ? Object.keys(def.shape) : []
  })
  return [...new Set(names)]
}

const known = new WeakMap<Schema, readonly Schema[]>()

/** Unwraps optional, nullable, default and union: the schemas inside describe the value. */
function unwrapSchema(schema: Schema): readonly Schema[] {
  const kept = known.get(schema)
  if (kept) return kept
  const found = alternativesOf(schema)
  known.set(schema, found)
  return found
}

function alternativesOf(schema: Schema): readonly Schema[] {
  const { def } = schema._zod as z.core.$ZodTypes['_zod']
  switch (def.type) {
    case 'union':
      return def.options.flatMap(unwrapSchema)
    case 'intersection':
      return [...unwrapSchema(def.left), ...unwrapSchema(def.right)]
    case 'pipe':
      return unwrapSchema(def.in)
    case 'lazy':
      return unwrapSchema(def.getter())
    // `never` stands for the unknown fields of a strict object, which are refused unread.
    case 'never':
      return []
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return unwrapSchema(def.innerType)
    default:
      return [schema]
  }
}
