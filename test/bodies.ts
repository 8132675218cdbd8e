// Requests with bodies of the maximum size, generated from an OpenAPI document: for each endpoint,
// one string, list or record in turn takes up the whole size.

export interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  type?: string | readonly string[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
}

export interface Document {
  paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema?: Schema }> } }>
  >
  components: { schemas: Record<string, Schema> }
}

/** A field of a body, its type, and how the body is built around it. */
interface Place {
  at: string
  kind: 'text' | 'list' | 'record'
  around: (value: Raw) => Raw
}
/** JSON as text: these bodies are never built as values. */
type Raw = string

export interface LargeBody {
  /** `post /api/files/import: files[].url = "${" …` */
  name: string
  method: string
  path: string
  body: Raw
}

const NAME = 'x_field'

/**
 * All fields below a schema. `path`: the schemas being visited; recursion stops at a schema that
 * contains itself.
 */
function placesIn(
  schema: Schema,
  document: Document,
  at = '',
  path: readonly string[] = [],
  around: Place['around'] = (value) => value,
): Place[] {
  const below = (inner: Schema, where: string, wrap: (value: Raw) => Raw, seen = path) =>
    placesIn(inner, document, where, seen, (value) => around(wrap(value)))
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!
    if (path.includes(name)) return []
    return below(document.components.schemas[name]!, at, (value) => value, [...path, name])
  }
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  if (alternatives.length > 0)
    return alternatives.flatMap((one) => below(one, at, (value) => value))
  const place = (kind: Place['kind']): Place => ({ at: at || 'the body', kind, around })
  const types = [schema.type ?? []].flat()
  // A schema without a type accepts any.
  const found: Place[] = types.length === 0 ? [place('text'), place('list'), place('record')] : []
  if (types.includes('string')) found.push(place('text'))
  if (types.includes('array')) {
    found.push(place('list'))
    if (schema.items) found.push(...below(schema.items, `${at}[]`, (value) => `[${value}]`))
  }
  if (types.includes('object')) {
    found.push(place('record'))
    for (const [name, inner] of Object.entries(schema.properties ?? {}))
      found.push(
        ...below(
          inner,
          at ? `${at}.${name}` : name,
          (value) => `{${JSON.stringify(name)}:${value}}`,
        ),
      )
    if (typeof schema.additionalProperties === 'object')
      found.push(
        ...below(schema.additionalProperties, `${at}.*`, (value) => `{"${NAME}":${value}}`),
      )
  }
  return found
}

/** Values of this many bytes, each with a label. */
function fillings(kind: Place['kind'], { bytes, ...few }: Limits): [string, Raw][] {
  const room = bytes - 2_000
  if (kind === 'text')
    return ['${', '{a}'].map((part) => [`${part}…`, `"${part.repeat(room / part.length)}"`])
  if (kind === 'list')
    return [listOf('{}', few.values / 2), listOf(`"${'a'.repeat(45)}"`, few.values)]
  return [recordOf(few.fields), recordOf(1, room - 100)]
}

const listOf = (part: string, count: number): [string, Raw] => [
  `${Math.floor(count)} of ${part.slice(0, 3)}`,
  `[${Array<string>(Math.floor(count)).fill(part).join()}]`,
]

function recordOf(count: number, longer = 0): [string, Raw] {
  const fields = Array.from({ length: count }, (_, n) => `"${'k'.repeat(longer)}${n}":1`)
  return [`${count} fields`, `{${fields.join()}}`]
}

export interface Limits {
  bytes: number
  /** The highest number of values that passes the check before parsing. */
  values: number
  fields: number
}

/**
 * Bodies with as many values and keys as fit: JSON.parse would block the process if it received
 * them.
 */
export function crowdedBodies({ bytes }: Limits, request: Omit<LargeBody, 'body'>): LargeBody[] {
  const crowds = [listOf('[]', bytes / 3 - 100), listOf('1', bytes / 2 - 100), recordOf(bytes / 16)]
  return crowds.map(([what, body]) => ({ ...request, name: `${request.name} = ${what}`, body }))
}

/** For each endpoint that accepts JSON. A generator, because the bodies are gigabytes together. */
export function* largeBodies(document: Document, limits: Limits): Generator<LargeBody> {
  for (const [template, methods] of Object.entries(document.paths))
    for (const [method, { requestBody }] of Object.entries(methods)) {
      const schema = requestBody?.content['application/json']?.schema
      if (!schema) continue
      const path = template.replace(/\{\w+\}/g, '1')
      yield* largeIn(schema, document, limits, { name: `${method} ${template}`, method, path })
    }
}

/** For the options of each plugin, in a request that carries them. */
export function* largeOptions(
  options: Schema,
  around: (options: Raw) => Raw,
  limits: Limits,
  request: Omit<LargeBody, 'body'>,
): Generator<LargeBody> {
  const document: Document = { paths: {}, components: { schemas: options.$defs ?? {} } }
  for (const large of largeIn(options, document, limits, request))
    yield { ...large, body: around(large.body) }
}

function* largeIn(
  schema: Schema,
  document: Document,
  limits: Limits,
  request: Omit<LargeBody, 'body'>,
): Generator<LargeBody> {
  const seen = new Set<string>()
  for (const { at, kind, around } of placesIn(schema, document)) {
    // Alternatives of a union often have the same fields.
    if (seen.has(`${kind} ${at}`)) continue
    seen.add(`${kind} ${at}`)
    for (const [what, value] of fillings(kind, limits))
      yield { ...request, name: `${request.name}: ${at} = ${what}`, body: around(value) }
  }
}
