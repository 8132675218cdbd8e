// POST /hooks/<secret>: a program names files, and the workflow of the hook runs on them.
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { conditionSchema, nameKey, say } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { openRateLimit } from '../../core/db/callers.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { parsePublicId } from '../../core/ids.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { TRIGGER_TASK } from '../../core/outbox/webhook-events.ts'
import { queueTaskAfter } from '../../core/queue/background-jobs.ts'
import { countForShop, readRequest, setEndHeaders } from '../../core/request-body.ts'
import { hashKey } from '../../core/secrets.ts'
import { skuKey } from '../../core/sku-key.ts'
import { compileFilter } from '../../files/filter.ts'
import { networkOfRequest } from '../../core/client-address.ts'
import { standaloneBody } from '../../http/errors.ts'
import type { RawMount } from '../../http/listen.ts'
import { validate } from '../../http/validate.ts'

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
        const refusal =
          error instanceof AppError ? error : new AppError('unavailable', { cause: error })
        const { status, retryAfter } = refusal
        answer = { status, retryAfter, body: standaloneBody(refusal) }
        if (status >= 500) parts.log.error('a hook failed', errorFields(error))
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
      [hashKey(path.slice(HOOKS.length))],
    )
    const [hook] = rows
    if (!hook) {
      await wrong.consume(network)
      throw new AppError('not_found')
    }
    if (request.method !== 'POST') throw new AppError('method_not_allowed')
    const use = await calls.consume(hook.id)
    if (use.exceeded) throw new AppError('rate_limited', { retryAfter: use.retryAfter })
    countForShop(request, hook.shop_id)
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
  return validate(bodySchema, value)
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

/** SQL: the files `f` of the variants whose SKU has a key, which follows. */
const OF_SKU = `from variants v
    join mappings m on m.shop_id = :shop and m.product_id = v.product_id
      and m.variant_id in ('', v.id)
    join files f on f.shop_id = :shop and f.id = m.file_id and f.deleted_at is null
  where v.shop_id = :shop and v.sku_key`

/** The bare UUIDs of the files. Throws `validation_failed`, which names what the shop does not have. */
async function namedFiles(tx: ShopScope, { files, skus, which }: HookBody): Promise<string[]> {
  const found = await tx.one<{ ids: string[]; absent_files: number[]; absent_skus: number[] }>(
    `with named as (
       select g.n, f.id from unnest(:ids::uuid[], :keys::text[]) with ordinality as g (id, key, n)
         left join files f on f.shop_id = :shop and f.deleted_at is null
           and (f.id = g.id or (g.id is null and f.name_key = g.key)))
     select array(select n::int - 1 from named where id is null order by n) as absent_files,
       array(select n::int - 1 from unnest(:skuKeys::text[]) with ordinality as g (key, n)
         where not exists (select ${OF_SKU} = g.key) order by n) as absent_skus,
       array(select id from named where id is not null
         union select f.id ${OF_SKU} = any(:skuKeys::text[]) limit :most) as ids`,
    {
      ids: files.map((one) => parsePublicId('file', one)),
      keys: files.map(nameKey),
      skuKeys: skus.map(skuKey),
      most: MAX_FILES + 1,
    },
  )
  const details = [
    ...missing('files', files, found.absent_files),
    ...missing('skus', skus, found.absent_skus),
  ]
  if (details.length > 0) throw new AppError('validation_failed', { details })
  const ids = new Set([...found.ids, ...(which ? await meeting(tx, which) : [])])
  if (ids.size > MAX_FILES)
    throw new AppError('too_many', {
      message: say('At most {most} files', { most: MAX_FILES }),
    })
  return [...ids]
}

const missing = (
  param: string,
  given: readonly string[],
  places: readonly number[],
): ErrorDetail[] =>
  places.map((at) => ({
    param: `${param}[${at}]`,
    code: 'not_found',
    message: say('There is no file “{name}”', { name: given[at] ?? '' }),
  }))

async function meeting(tx: ShopScope, which: NonNullable<HookBody['which']>): Promise<string[]> {
  const { sql, bindings } = await compileFilter(tx, which)
  const rows = await tx.query<{ id: string }>(
    `select id from files where files.shop_id = :shop and ${sql} limit :most`,
    { ...bindings, most: MAX_FILES + 1 },
  )
  return rows.map(({ id }) => id)
}
