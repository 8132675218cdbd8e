// Sends another shop's id, or an id of nothing, in each field of a request's body that takes one:
// the answer names the field, or the table below says why the id has no effect.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownValue } from '../../plugins/contract/index.ts'
import { toPublicId, type IdPrefix } from '../../server/core/ids.ts'
import { EXAMPLES } from '../../server/features.ts'
import { openExamples, type DocumentedEndpoint, type ExampleHouse } from '../examples.ts'
import { addFile } from '../deliveries.ts'
import { fillMirror } from '../mirror.ts'

let house: ExampleHouse
const foreign = new Map<string, string>()
beforeAll(async () => {
  house = await openExamples()
  const { app } = house
  const other = await app.stranger('other.myshopify.com')
  const made = async (route: string, body: object) =>
    (await other.call('POST', route, body)).body.id as string
  await fillMirror(other.scope, [{ title: 'Theirs', skus: ['THEIRS-1'] }])
  const file = await addFile({ ...app.engine, scope: other.scope }, 'a.pdf', randomBytes(10))
  foreign.set('file', toPublicId('file', file))
  foreign.set('pack', await made('/api/packs', { name: 'Theirs' }))
  foreign.set('licences', await made('/api/licence-lists', { name: 'Theirs' }))
  const steps = [{ plugin: 'tag-files', options: { mode: 'add', tags: ['a'] } }]
  foreign.set('workflow', await made('/api/workflows', { name: 'Theirs', kind: 'bulk', steps }))
})
afterAll(() => house.close())

interface Schema {
  $ref?: string
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}
interface IdField {
  path: readonly (string | number)[]
  id: string
}

/** The kind of object that a field of this name holds the id of. */
const KINDS: readonly [RegExp, IdPrefix | 'product' | 'variant'][] = [
  [/^(?:file_id|file_ids|picture|with)$/, 'file'],
  [/^(?:pack|pack_id|pack_ids)$/, 'pack'],
  [/^(?:licence_list|licence_lists|list_id)$/, 'licences'],
  [/^(?:connection|connection_id)$/, 'connection'],
  [/^(?:drop_account|account|account_id)$/, 'account'],
  [/^(?:workflow|workflow_id|delivery_workflow)$/, 'workflow'],
  [/^schedule_id$/, 'schedule'],
  [/^(?:upload_id|upload_ids)$/, 'upload'],
  [/^(?:product|product_id|product_ids)$/, 'product'],
  [/^(?:variant|variant_id|variant_ids)$/, 'variant'],
  [/^delivery_ids?$/, 'delivery'],
  [/^operation_id$/, 'op'],
]

function idOf(name: string): string | null {
  const kind = KINDS.find(([names]) => names.test(name))?.[1]
  if (kind === undefined) return null
  if (kind === 'product') return 'gid://shopify/Product/999999'
  if (kind === 'variant') return 'gid://shopify/ProductVariant/999999'
  return foreign.get(kind) ?? toPublicId(kind, randomUUID())
}

function idFields(schema: Schema, path: readonly (string | number)[] = []): IdField[] {
  if (path.length > 6) return []
  const whole = schema.$ref === undefined ? schema : named(schema.$ref)
  const parts = [...(whole.anyOf ?? []), ...(whole.oneOf ?? []), ...(whole.allOf ?? [])]
  const name = path.findLast((step) => typeof step === 'string')
  const id = whole.type === 'string' && name !== undefined ? idOf(name) : null
  return [
    ...parts.flatMap((part) => idFields(part, path)),
    ...(whole.items ? idFields(whole.items, [...path, 0]) : []),
    ...Object.entries(whole.properties ?? {}).flatMap(([key, one]) =>
      idFields(one, [...path, key]),
    ),
    ...(id === null ? [] : [{ path, id }]),
  ]
}

const named = (ref: string) =>
  house.document.components.schemas[ref.split('/').at(-1) ?? ''] as Schema

function fieldsOf({ operation }: DocumentedEndpoint): IdField[] {
  const { requestBody } = operation as {
    requestBody?: { content?: Record<string, { schema?: Schema }> }
  }
  const schema = requestBody?.content?.['application/json']?.schema
  const fields = schema ? idFields(schema) : []
  // The texts of a row of a CSV file are read by its check: an id in them is one of a row that fails.
  const stated = fields.filter(({ path }) => !path.includes('values'))
  return [...new Map(stated.map((field) => [field.path.join('.'), field])).values()]
}

/** The body with the value at this path. */
function withValue(
  body: unknown,
  [step, ...rest]: IdField['path'],
  value: string,
  at: string | null = null,
): unknown {
  if (step === undefined) return value
  const inner = withValue(
    (Object(body) as Record<string | number, unknown>)[step],
    rest,
    value,
    typeof step === 'string' ? step : at,
  )
  if (typeof step === 'number') return [at === 'when' ? withWhen(inner) : inner]
  const other = ownValue(ALTERNATIVES, step)
  const kept = Object.entries(Object(body)).filter(([name]) => name !== other)
  const pair = at === 'replace' ? ownValue(TOGETHER, step) : undefined
  return { ...Object.fromEntries(kept), ...(pair && { [pair]: value }), [step]: inner }
}

/** A trigger of the kind that the field belongs to. */
const withWhen = (part: unknown) => ({
  ...(Object.hasOwn(Object(part), 'from')
    ? { kind: 'imports' }
    : { kind: 'event', event: 'file.changed' }),
  ...Object(part),
})

/** Only a workflow for imports has sources. */
const forSources = (body: object): object =>
  'workflow' in body
    ? { ...body, workflow: { ...Object(body.workflow), kind: 'import' } }
    : { ...body, kind: 'import' }

/** A field that is sent instead of another one. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  file_ids: 'filter',
  filter: 'file_ids',
  upload_id: 'url',
  pack_ids: 'pack_id',
}
/** Fields that are only sent together. */
const TOGETHER: Readonly<Record<string, string>> = { with: 'file_id', file_id: 'with' }

const shown = (path: IdField['path']) => path.filter((step) => typeof step === 'string').join('.')

/** Whether the answer is a refusal of this field. */
interface Refusal {
  error?: { details?: Detail[] }
  /** Of a check. */
  problems?: Detail[]
}
interface Detail {
  param?: string
  index?: number
}
function isRefused(status: number, body: Refusal, at: string): boolean {
  if (status === 404) return true
  if ((status < 400 && !body?.problems) || status >= 500) return false
  // A variant is refused with its product.
  const fields = [at, at.replace(/variant_id$/, 'product_id'), at.replace(/from\.\w+$/, 'from')]
  return (body.error?.details ?? body.problems ?? []).some(({ param = '', index }) => {
    const named = param.replaceAll(/\[\d+\]/g, '')
    // An element of a list is named by its index, with or without the field in it.
    const element = [at.split('.')[0], at.split('.').at(-1)]
    return fields.includes(named) || (index !== undefined && element.includes(named))
  })
}

/** Fields whose ids are not refused, and why another shop's id has no effect in them. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  'post /api/files/rename-preview': 'reads, and finds no file',
  'post /api/files/impact': 'reads, and finds no file',
  'post /api/schedules/match': 'reads, and finds no file; the schedule itself is refused',
  'post /api/new-files/buyers': 'reads, and finds no buyer',
  'post /api/uploads/results': 'reads, and finds no upload',
  'post /api/workflows/try': 'reads, and each unknown file is a problem of the answer',
  'post /api/operations': 'each unknown file is an item that fails',
  'post /api/files/bulk-delete': 'each unknown file counts as failed',
  'put /api/files/bulk-update': 'each unknown file counts as failed',
  'post /api/new-files/dismiss': 'nothing waits for the product',
  'post /api/unfiled-products/dismiss': 'a product that nobody bought is in no list',
  'post /api/files/import': 'an unknown product is a warning of its file, as an unknown SKU is',
  'post /api/uploads/batches': 'the name of a pack',
  'patch /api/uploads/batches/{id}': 'the name of a pack',
  'post /api/feeds': 'the headers of columns',
  'patch /api/feeds/{id}': 'the headers of columns',
}

test('each field that takes an id refuses another shop’s, and names the field', async () => {
  const accepted = new Set<string>()
  const answers: Record<string, string> = {}
  for (const endpoint of house.documented) {
    const fields = fieldsOf(endpoint)
    if (fields.length === 0 || !EXAMPLES[endpoint.name]) continue
    const { owner, example } = await house.prepare(endpoint.name)
    for (const { path, id } of fields) {
      const given = path.includes('from') ? forSources(Object(example.body)) : example.body
      const body = withValue(given, path, id)
      const answer = await house.send(owner, endpoint.name, { ...example, body })
      const at = shown(path)
      if (isRefused(answer.status, answer.body, at)) continue
      if (answer.status < 300 && Object.hasOwn(WITHOUT_EFFECT, endpoint.name))
        accepted.add(endpoint.name)
      else answers[`${endpoint.name} ${at}`] = JSON.stringify(answer.body?.error ?? answer.status)
    }
  }
  expect(answers).toEqual({})
  expect([...accepted].toSorted()).toEqual(Object.keys(WITHOUT_EFFECT).toSorted())
})
