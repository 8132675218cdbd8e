// POST /hooks/<secret>: a program names files, and the workflow of the hook runs on them.
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { conditionSchema, english, nameKey, say } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { openRateLimit } from '../../core/db/rate-limits.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { parsePublicId } from '../../core/ids.ts'
import { firstOf } from '../../core/lazy.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { TRIGGER_TASK } from '../../core/outbox/webhook-events.ts'
import { queueTaskAfter } from '../../core/queue/background-jobs.ts'
import { readRequest, setEndHeaders } from '../../core/request-body.ts'
import { compileFilter } from '../../files/filter.ts'
import { networkOfRequest } from '../../http/clients.ts'
import type { RawMount } from '../../http/mounts.ts'
import { checked } from '../../http/validate.ts'

export const HOOKS = '/hooks/'

const MAX_BODY_BYTES = 1024 * 1024
const PER_MINUTE = 60
/** Requests to addresses that no hook has, for one network. */
const WRONG_PER_MINUTE = 30
/** Files of one request. */
const MAX_FILES = 100_000

export interface HookRequestParts {
  database: Database
  trustProxy: boolean
  log: Logger
}

/** A secret with 256 random bits: SHA-256 is enough. */
export const secretHash = (secret: string): Buffer => hash('sha256', secret, 'buffer')

const names = z.array(z.string().max(1000)).max(10_000).default([])
const bodySchema = z.strictObject({
  files: names.describe('Ids or names of files'),
  skus: names.describe('All files of the variants with these SKUs'),
  which: conditionSchema.optional().describe('All files that meet this condition'),
  key: z.string().min(1).max(200).optional().describe('The same request is not taken twice'),
})
type HookBody = z.output<typeof bodySchema>

interface Answer {
  status: number
  body: object
  retryAfter?: number | null
}

export function hookRequests(parts: HookRequestParts): RawMount {
  const answerOf = createAnswers(parts)
  return {
    raw: true,
    path: HOOKS,
    route: HOOKS,
    handle: async (request, response) => {
      let answer: Answer
      try {
        answer = await answerOf(request)
      } catch (error) {
        answer = refusalOf(error)
        if (answer.status >= 500) parts.log.error('a hook failed', errorFields(error))
      }
      if (response.destroyed) return
      const text = JSON.stringify(answer.body)
      const type = 'application/json'
      setEndHeaders(request, response, answer.retryAfter ?? null)
      response
        .writeHead(answer.status, {
          'content-type': type,
          'content-length': Buffer.byteLength(text),
        })
        .end(text)
    },
  }
}

function createAnswers({ database, trustProxy }: HookRequestParts) {
  const limit = (name: string, points: number) =>
    openRateLimit(database.pool, { name, points, seconds: 60 })
  const calls = limit('hooks', PER_MINUTE)
  const wrong = limit('hooks-wrong', WRONG_PER_MINUTE)
  return async (request: IncomingMessage): Promise<Answer> => {
    const network = networkOfRequest(request, trustProxy)
    if ((await wrong.consumed(network)) >= WRONG_PER_MINUTE) throw new AppError('rate_limited')
    const [path = ''] = (request.url ?? '').split('?', 1)
    const { rows } = await database.pool.query<Hook>(
      `select t.shop_id, t.id, t.collect, t.paused is not null as paused from triggers t
         join workflows w on w.shop_id = t.shop_id and w.id = t.workflow_id
         join shops s on s.id = t.shop_id
       where t.secret_hash = $1 and t.enabled and w.enabled and s.uninstalled_at is null`,
      [secretHash(path.slice(HOOKS.length))],
    )
    const [hook] = rows
    if (!hook) {
      await wrong.consume(network)
      throw new AppError('not_found')
    }
    if (request.method !== 'POST') throw new AppError('method_not_allowed')
    const use = await calls.consume(hook.id)
    if (use.exceeded) throw new AppError('rate_limited', { retryAfter: use.retryAfter })
    const body = bodyOf(await readRequest(request, MAX_BODY_BYTES))
    const scope = forShop(database, hook.shop_id)
    const files = await scope.transaction((tx) => takeRequest(tx, hook, body))
    return { status: 202, body: { files } }
  }
}

interface Hook {
  shop_id: number
  id: string
  collect: number
  paused: boolean
}

function bodyOf(raw: Buffer): HookBody {
  let value: unknown
  try {
    value = JSON.parse(raw.toString())
  } catch {
    throw new AppError('malformed_request')
  }
  const { data, details } = checked(bodySchema, value)
  if (!data) throw new AppError('validation_failed', { details, param: firstOf(details).param })
  return data
}

/** Keeps the files for the next run of the hook's workflow; returns how many. */
async function takeRequest(tx: ShopScope, hook: Hook, body: HookBody): Promise<number> {
  const files = await namedFiles(tx, body)
  if (files.length === 0)
    throw new AppError('validation_failed', { message: say('The request names no file') })
  await tx.query(
    `insert into trigger_events (shop_id, trigger_id, key, event, files)
     values (:shop, :trigger, :key, 'hook', :files::uuid[]) on conflict do nothing`,
    { trigger: hook.id, key: `hook/${body.key ?? crypto.randomUUID()}`, files },
  )
  if (!hook.paused) await queueTaskAfter(tx, TRIGGER_TASK, hook.id, hook.collect)
  return files.length
}

/** The bare UUIDs of the files. Throws `validation_failed`, which names what the shop does not have. */
async function namedFiles(tx: ShopScope, { files, skus, which }: HookBody): Promise<string[]> {
  const rows = await tx.query<{ id: string; given: string }>(
    `select f.id, g.given from unnest(:given::text[], :ids::uuid[], :keys::text[])
         as g (given, id, key)
       join files f on f.shop_id = :shop and f.deleted_at is null
         and (f.id = g.id or (g.id is null and f.name_key = g.key))
     union all
     select m.file_id, g.given from unnest(:skus::text[], :skuKeys::text[]) as g (given, key)
       join variants v on v.shop_id = :shop and v.sku_key = g.key
       join mappings m on m.shop_id = :shop and m.product_id = v.product_id
         and (m.variant_id is null or m.variant_id = v.id)
       join files f on f.shop_id = :shop and f.id = m.file_id and f.deleted_at is null`,
    {
      given: files,
      ids: files.map((one) => parsePublicId('file', one)),
      keys: files.map(nameKey),
      skus,
      skuKeys: skus.map(nameKey),
    },
  )
  const found = new Set(rows.map(({ given }) => given))
  const missing = (param: string, given: readonly string[]): ErrorDetail[] =>
    given.flatMap((one, at) =>
      found.has(one)
        ? []
        : [
            {
              param: `${param}[${at}]`,
              code: 'not_found',
              message: say('There is no file “{name}”', { name: one }),
            },
          ],
    )
  const details = [...missing('files', files), ...missing('skus', skus)]
  if (details.length > 0)
    throw new AppError('validation_failed', { details, param: firstOf(details).param })
  const ids = new Set([...rows.map(({ id }) => id), ...(which ? await meeting(tx, which) : [])])
  if (ids.size > MAX_FILES)
    throw new AppError('too_many', {
      message: say('At most {most} files', { most: MAX_FILES }),
    })
  return [...ids]
}

async function meeting(tx: ShopScope, which: NonNullable<HookBody['which']>): Promise<string[]> {
  const { sql, bindings } = await compileFilter(tx, which)
  const rows = await tx.query<{ id: string }>(
    `select id from files where files.shop_id = :shop and ${sql} limit :most`,
    { ...bindings, most: MAX_FILES + 1 },
  )
  return rows.map(({ id }) => id)
}

function refusalOf(error: unknown): Answer {
  if (!(error instanceof AppError))
    return { status: 503, body: { error: { code: 'unavailable', message: 'Try again later' } } }
  const { code, status, text, details, retryAfter } = error
  const errors = details.map(({ param, code: of, message }) => ({
    param,
    code: of,
    message: typeof message === 'string' ? message : english(message),
  }))
  return { status, retryAfter, body: { error: { code, message: english(text), details: errors } } }
}
