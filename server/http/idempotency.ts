// Idempotency-Key: the same request under the same key is carried out once and answered the same for 24 hours. A second
// request waits for the first; one whose process died is carried out again (starting an operation twice gives one).
import { createHash } from 'node:crypto'
import type { ShopScope } from '../db/for-shop.ts'
import { AppError } from '../errors.ts'
import type { Reply } from './endpoint.ts'

const BEAT_MS = 3_000
const DEAD = '12 seconds'
const LOOK_MS = 200
const WAIT_MS = 60_000

interface KeyRow {
  request_hash: Buffer
  response: Reply | null
  dead: boolean
  created_at: Date
}

export interface IdempotentRequest {
  key: string
  method: string
  path: string
  body: unknown
  signal: AbortSignal
}

/** Runs `work` unless the key has been answered already. `work` gets a key that is unique to this use of it. */
export async function idempotently(
  scope: ShopScope,
  request: IdempotentRequest,
  work: (unique: string) => Promise<Reply>,
): Promise<Reply> {
  if (!/^[\x21-\x7e]{1,255}$/.test(request.key))
    throw new AppError('malformed_request', { message: 'Idempotency-Key: send 1 to 255 visible ASCII characters' })
  const hash = createHash('sha256')
    .update(`${request.method} ${request.path}\n${JSON.stringify(request.body)}`)
    .digest()
  const answered = await takeKey(scope, request, hash)
  if ('reply' in answered)
    return { ...answered.reply, headers: { ...answered.reply.headers, 'Idempotent-Replayed': 'true' } }
  const beat = setInterval(() => void beatKey(scope, request.key).catch(() => {}), BEAT_MS)
  try {
    const { kept, ...reply } = await work(`${request.key}/${answered.createdAt.toISOString()}`)
    await scope
      .from('idempotency_keys')
      .where('key', request.key)
      .update({ response: JSON.stringify(kept === undefined ? reply : { ...reply, body: kept }) } as never)
    return reply
  } catch (error) {
    // What failed may be sent again; a client's mistake has changed nothing.
    await scope.from('idempotency_keys').where('key', request.key).delete()
    throw error
  } finally {
    clearInterval(beat)
  }
}

async function takeKey(
  scope: ShopScope,
  { key, signal }: IdempotentRequest,
  hash: Buffer,
): Promise<{ reply: Reply } | { createdAt: Date }> {
  const until = performance.now() + WAIT_MS
  while (true) {
    const [mine] = await scope.query<{ created_at: Date }>(
      `insert into idempotency_keys (shop_id, key, request_hash) values (:shop, :key, :hash)
       on conflict (shop_id, key) do update set request_hash = excluded.request_hash, response = null,
         created_at = now(), holder_beat_at = now()
         where idempotency_keys.created_at < now() - interval '24 hours'
       returning created_at`,
      { key, hash },
    )
    if (mine) return { createdAt: mine.created_at }
    const [row] = await scope.query<KeyRow>(
      `select request_hash, response, created_at, holder_beat_at < now() - interval '${DEAD}' as dead
       from idempotency_keys where shop_id = :shop and key = :key`,
      { key },
    )
    if (row && !row.request_hash.equals(hash)) throw new AppError('idempotency_key_reused')
    if (row?.response) return { reply: row.response }
    if (row?.dead && (await takeOver(scope, key))) return { createdAt: row.created_at }
    if (performance.now() > until || signal.aborted) throw new AppError('idempotency_in_progress', { retryAfter: 5 })
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

async function takeOver(scope: ShopScope, key: string): Promise<boolean> {
  const rows = await scope.query(
    `update idempotency_keys set holder_beat_at = now() where shop_id = :shop and key = :key and response is null
       and holder_beat_at < now() - interval '${DEAD}' returning 1`,
    { key },
  )
  return rows.length > 0
}

const beatKey = (scope: ShopScope, key: string) =>
  scope.query('update idempotency_keys set holder_beat_at = now() where shop_id = :shop and key = :key', { key })
