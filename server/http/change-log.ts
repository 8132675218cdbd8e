// The log of changes: who changed settings, keys, workflows, rules and connections of a shop. A row is
// written in the transaction of the change, from the record before and after it as a GET shows it, so
// no secret gets into it.
import { isDeepStrictEqual } from 'node:util'
import { ownValue } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import type { JsonRecord } from './edits.ts'
import { apiKeyOf, type Caller, type Endpoint, type Reply } from './endpoint.ts'
import type { LoggedKind, ChangeVerb } from './logged-change.ts'

/** Characters of a value as JSON; the text of a longer one is cut. */
const MAX_VALUE = 4000

type AnyRequest = Parameters<Endpoint['handler']>[0]

/** The endpoint as it runs; one without `logs` is returned as it is. */
export function withChangeLog(endpoint: Endpoint, endpoints: readonly Endpoint[]): Endpoint {
  const { logs } = endpoint
  if (!logs) return endpoint
  const read = readerOf(endpoint, endpoints)
  const verb = verbOf(endpoint)
  return {
    ...endpoint,
    handler: (given) =>
      given.caller.scope.transaction(async (tx) => {
        const request = { ...given, caller: { ...given.caller, scope: tx } }
        const id = ownValue(request.params as JsonRecord, 'id')
        const before = verb === 'created' ? null : await read(request, id)
        const reply = await endpoint.handler(request)
        const after = await read(request, verb === 'created' ? idOf(reply) : id)
        const secrets =
          logs.renews === undefined ? secretsIn(request.body, before, after) : [logs.renews]
        await writeChange(tx, request.caller, {
          kind: logs.kind,
          verb,
          subject: textOf(verb === 'created' ? idOf(reply) : id),
          name: nameOf(after) ?? nameOf(before),
          before,
          after,
          secrets,
        })
        return reply
      }),
  }
}

function verbOf({ method, path, logs }: Endpoint): ChangeVerb {
  if (logs?.verb) return logs.verb
  if (logs?.renews !== undefined) return 'changed'
  if (method === 'post') return 'created'
  // What has no id is a part of the settings.
  return method === 'delete' && path.includes('{id}') ? 'deleted' : 'changed'
}

const idOf = (reply: Reply | null): unknown => ownValue((reply?.body ?? {}) as JsonRecord, 'id')
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const nameOf = (record: JsonRecord | null): string | null =>
  record && (textOf(ownValue(record, 'name')) ?? textOf(ownValue(record, 'url')))

type Read = (request: AnyRequest, id: unknown) => Promise<JsonRecord | null>

/** Reads the record that an endpoint changes: by the nearest GET on its path, or in that list. */
function readerOf(endpoint: Endpoint, endpoints: readonly Endpoint[]): Read {
  const { path } = endpoint
  const creates = verbOf(endpoint) === 'created'
  const readers = new Map(
    endpoints
      .filter((one) => one.method === 'get' && one.replies[200]?.schema)
      .map((one) => [one.path, one]),
  )
  const isItem = path.includes('{id}')
  const [reader] = pathsAbove(creates ? `${path}/{id}` : path).flatMap(
    (above) => readers.get(above) ?? [],
  )
  if (!reader) return () => Promise.resolve(null)
  if (reader.path.includes('{id}')) return (request, id) => recordOf(reader, request, { id })
  if (!isItem && !creates) return (request) => recordOf(reader, request, {})
  return (request, id) => rowOf(reader, request, id)
}

/** The row of a list with this id; null: no page has it. */
async function rowOf(list: Endpoint, request: AnyRequest, id: unknown): Promise<JsonRecord | null> {
  let cursor: unknown
  do {
    const page = (await recordOf(list, request, {}, { cursor })) ?? {}
    const rows = ownValue(page, 'data')
    const all = Array.isArray(rows) ? (rows as JsonRecord[]) : []
    const found = all.find((row) => ownValue(row, 'id') === id)
    if (found) return found
    cursor = ownValue(page, 'next_cursor') ?? undefined
  } while (cursor !== undefined)
  return null
}

/** `/a/b/c` → `/a/b/c`, `/a/b`, `/a` */
const pathsAbove = (path: string): string[] =>
  path
    .split('/')
    .map((_, at, parts) => parts.slice(0, parts.length - at).join('/'))
    .slice(0, -1)

/** What a GET answers; null: there is no such record. */
async function recordOf(
  reader: Endpoint,
  request: AnyRequest,
  params: JsonRecord,
  asked: JsonRecord = {},
): Promise<JsonRecord | null> {
  const query = reader.query?.safeParse(asked)
  const given = { ...request, params, query: query?.data ?? {}, body: undefined }
  try {
    const reply = await reader.handler({ ...given, idempotencyKey: undefined } as AnyRequest)
    return (reply?.body ?? null) as JsonRecord | null
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return null
    throw error
  }
}

/**
 * Fields of the body that no GET shows: passwords and the like, which are logged by name alone. A new
 * record has nothing that they could replace.
 */
function secretsIn(body: unknown, before: JsonRecord | null, after: JsonRecord | null): string[] {
  if (!before || !after) return []
  const shown = namesIn(after)
  return Object.entries(body ?? {}).flatMap(([name, value]) =>
    value !== undefined && !shown.has(name) ? [name] : [],
  )
}

/** The names of all fields, at any depth. */
function namesIn(value: unknown, names = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return names
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name)
    namesIn(inner, names)
  }
  return names
}

interface Change {
  kind: LoggedKind
  verb: ChangeVerb
  /** The public id; null: the shop has one of its kind. */
  subject: string | null
  name: string | null
  before: JsonRecord | null
  after: JsonRecord | null
  secrets: readonly string[]
}

/** Writes nothing if nothing was changed. */
async function writeChange(tx: ShopScope, caller: Caller, change: Change): Promise<void> {
  const { before, after, secrets } = change
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => !isDeepStrictEqual(ownValue(before ?? {}, name), ownValue(after ?? {}, name)),
  )
  if (change.verb === 'changed' && before && names.length === 0 && secrets.length === 0) return
  const pick = (record: JsonRecord | null) =>
    record &&
    JSON.stringify(Object.fromEntries(names.map((name) => [name, shortened(record, name)])))
  await tx.query(
    `insert into change_log (shop_id, actor, api_key_id, kind, verb, subject, name, before, after, secrets)
     values (:shop, :actor, :key, :kind, :verb, :subject, :name, :before::jsonb, :after::jsonb,
       :secrets::text[])`,
    {
      actor: caller.name,
      key: apiKeyOf(caller),
      kind: change.kind,
      verb: change.verb,
      subject: change.subject,
      name: change.name,
      before: pick(before),
      after: pick(after),
      secrets: [...secrets],
    },
  )
}

/** A value of a record, or the beginning of its JSON; null: the record has none. */
function shortened(record: JsonRecord, name: string): unknown {
  const value = ownValue(record, name)
  const text = JSON.stringify(value) ?? ''
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : (value ?? null)
}
