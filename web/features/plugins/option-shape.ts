// Maps the JSON Schema of a plugin's option to the kind of field that draws it.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { type JsonSchema } from '../../shell/client/workflows.ts'

export type Shape =
  | { kind: 'text'; long: boolean }
  /** `none`: it may also be null, with its own meaning: never, unlimited. */
  | {
      kind: 'number'
      whole: boolean
      min: number | null
      max: number | null
      none: boolean
      bytes: boolean
    }
  | { kind: 'flag' }
  | { kind: 'choice'; values: readonly string[] }
  /** Several words; with `values`, only those. */
  | { kind: 'words'; values: readonly string[] | null }
  | { kind: 'rows'; item: JsonSchema }
  | { kind: 'condition' }
  | { kind: 'group' }
  /** An option without a suitable field, edited as JSON. */
  | { kind: 'raw' }

export function shapeOf(schema: JsonSchema): Shape {
  const { schema: inner, nullable } = withoutNull(schema)
  const widget = schema.widget ?? inner.widget
  const values = valuesOf(inner)
  if (values) return { kind: 'choice', values }
  if (inner.type === 'boolean') return { kind: 'flag' }
  if (inner.type === 'integer' || inner.type === 'number')
    return { kind: 'number', ...boundsOf(inner), none: nullable, bytes: widget === 'bytes' }
  if (inner.type === 'string')
    return { kind: 'text', long: widget === 'textarea' || (inner.maxLength ?? 0) > 500 }
  if (inner.type === 'array' && inner.items) return listShape(inner.items)
  if (widget === 'condition' || isCondition(inner)) return { kind: 'condition' }
  if (inner.type === 'object' && inner.properties) return { kind: 'group' }
  return { kind: 'raw' }
}

function listShape(items: JsonSchema): Shape {
  const values = valuesOf(items)
  if (values || items.type === 'string') return { kind: 'words', values }
  return items.type === 'object' ? { kind: 'rows', item: items } : { kind: 'raw' }
}

/** The schema without null. */
export function withoutNull(schema: JsonSchema): { schema: JsonSchema; nullable: boolean } {
  const parts = schema.anyOf ?? []
  const rest = parts.filter(({ type }) => type !== 'null')
  return parts.length === rest.length + 1 && rest.length === 1
    ? { schema: rest[0]!, nullable: true }
    : { schema, nullable: false }
}

function valuesOf({ enum: list, anyOf }: JsonSchema): readonly string[] | null {
  if (list) return list.map(String)
  if (anyOf && anyOf.length > 0 && anyOf.every((part) => typeof part.const === 'string'))
    return anyOf.map((part) => part.const as string)
  return null
}

function boundsOf({ type, minimum, exclusiveMinimum, maximum }: JsonSchema) {
  const whole = type === 'integer'
  const min =
    minimum ?? (exclusiveMinimum === undefined ? null : exclusiveMinimum + (whole ? 1 : 0))
  // The largest safe integers mean "no bound".
  const real = (bound: number | null | undefined) =>
    bound === null || bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER
      ? null
      : bound
  return { whole, min: real(min), max: real(maximum) }
}

const isCondition = ({ properties }: JsonSchema): boolean =>
  properties !== undefined && 'search' in properties && 'mapped' in properties

/** Is it required, because it has no default? */
export const isRequired = (owner: JsonSchema, name: string): boolean =>
  (owner.required ?? []).includes(name) && ownValue(owner.properties, name)?.default === undefined

/** `add_expiry_days` → `Add expiry days`, if the plugin gives no title. */
export function titleOf(schema: JsonSchema, name: string): string {
  return capital(schema.title ?? withoutNull(schema).schema.title ?? titleFromName(name))
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** `new_version` → `New version` */
export function titleFromName(name: string): string {
  const words = name.replaceAll(/[-_]+/g, ' ').trim()
  return words === '' ? name : capital(words)
}

/** The content of a new row of a list. */
export function emptyOf(schema: JsonSchema): Record<string, unknown> {
  const entries = Object.entries(schema.properties ?? {}).flatMap(
    ([name, part]): [string, unknown][] => {
      if (part.default !== undefined) return []
      const { kind } = shapeOf(part)
      if (kind === 'words' || kind === 'rows') return [[name, []]]
      if (kind === 'condition' || kind === 'group') return [[name, {}]]
      return []
    },
  )
  return Object.fromEntries(entries)
}
