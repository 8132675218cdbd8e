// Idempotency-Key: the same request under the same key runs once and gets the same answer for 24
// hours. A second request waits for the first. If the first one's process died, or it failed
// half-way, the second one runs again: an operation that was started is found by its key, and an
// atomic change was not made at all. Replies are stored sealed, because some contain buyers' keys,
// and a list of these could lack one.
import { say } from '../../plugins/contract/index.ts'
import { createHash } from 'node:crypto'
import type { ShopScope } from '../core/db/for-shop.ts'
import { openReply, sealReply } from '../core/db/sealed-replies.ts'
import { AppError } from '../core/errors.ts'
import { pollLease, timedLease } from '../core/queue/lease.ts'
import type { Secrets } from '../core/secrets.ts'
import type { Reply } from './endpoint.ts'
import { MAX_WAIT_SECONDS } from './body.ts'

const BEAT_MS = 3_000
/**
 * The lease of a key, held by a request of any process, which extends it itself: web processes have
 * no heartbeat. The reply is written once, by the first of its holders, so the lease needs no number.
 */
const KEY_LEASE = timedLease({ since: 'holder_beat_at' }, '12 seconds')
/** The first request may be waiting for an operation's end, and then has to answer. */
const WAIT_MS = (MAX_WAIT_SECONDS + 5) * 1000

interface KeyRow {
  request_hash: Buffer
  reply: Buffer | null
  dead: boolean
  created_at: Date
}

export interface IdempotentRequest {
  key: string
  method: string
  path: string
  body: unknown
  secrets: Secrets
  signal: AbortSignal
  /** The work changes only the database, so the reply is written in its transaction. */
  atomic?: boolean
}

/** `unique`: one for this use of the key. `scope`: the transaction's, if the work is atomic. */
type Work = (unique: string, scope: ShopScope) => Promise<Reply>

/** Runs `work` unless the key already has a reply. */
export async function runIdempotently(
  scope: ShopScope,
  request: IdempotentRequest,
  work: Work,
): Promise<Reply> {
  if (!/^[\x21-\x7e]{1,255}$/.test(request.key))
    throw new AppError('malformed_request', {
      message: say('Idempotency-Key: send 1 to 255 visible ASCII characters'),
    })
  const hash = createHash('sha256')
    .update(`${request.method} ${request.path}\n${JSON.stringify(request.body)}`)
    .digest()
  while (true) {
    const taken = await takeKey(scope, request, hash)
    if ('reply' in taken)
      return { ...taken.reply, headers: { ...taken.reply.headers, 'Idempotent-Replayed': 'true' } }
    try {
      return await runAndStore(
        scope,
        request,
        `${request.key}/${taken.createdAt.toISOString()}`,
        work,
      )
    } catch (error) {
      if (!(error instanceof SupersededError)) throw error
    }
  }
}

/**
 * While this process was suspended, another one took over and finished. Rolls the transaction back,
 * so that the other process's reply is used.
 */
class SupersededError extends Error {}

async function runAndStore(
  scope: ShopScope,
  request: IdempotentRequest,
  unique: string,
  work: Work,
): Promise<Reply> {
  const beat = setInterval(() => void beatKey(scope, request.key).catch(() => {}), BEAT_MS)
  const answered = async (within: ShopScope): Promise<Reply> => {
    const { kept, ...reply } = await work(unique, within)
    const isOurs = await keepReply(
      within,
      request,
      kept === undefined ? reply : { ...reply, body: kept },
    )
    if (!isOurs && request.atomic) throw new SupersededError()
    return reply
  }
  try {
    return await (request.atomic ? scope.transaction(answered) : answered(scope))
  } catch (error) {
    // The commit may have succeeded although its answer was lost: the next try continues under the
    // same unique key.
    await releaseLease(scope, request.key, error).catch(() => {})
    throw error
  } finally {
    clearInterval(beat)
  }
}

/** Stores the reply of this request; false: another request has stored its own. */
function keepReply(
  scope: ShopScope,
  { key, secrets }: IdempotentRequest,
  reply: Reply,
): Promise<boolean> {
  const sealed = sealReply(scope, secrets, reply)
  return scope.has(
    `update idempotency_keys set reply = :sealed where shop_id = :shop and key = :key
      and reply is null returning 1`,
    { key, sealed },
  )
}

/**
 * A client error has changed nothing, so the key is released for a corrected body; after other
 * failures the key is kept for the next try.
 */
async function releaseLease(scope: ShopScope, key: string, error: unknown): Promise<void> {
  const isMistake = error instanceof AppError && error.status < 500
  await scope.query(
    isMistake
      ? 'delete from idempotency_keys where shop_id = :shop and key = :key and reply is null'
      : `update idempotency_keys set ${KEY_LEASE.giveBack} where shop_id = :shop
        and key = :key and reply is null`,
    { key },
  )
}

type TakenKey = { reply: Reply } | { createdAt: Date }

async function takeKey(
  scope: ShopScope,
  request: IdempotentRequest,
  hash: Buffer,
): Promise<TakenKey> {
  const taken = await pollLease(() => tryKey(scope, request, hash), WAIT_MS, request.signal)
  if (taken === null) throw new AppError('idempotency_in_progress', { retryAfter: 5 })
  return taken
}

/** Takes the key, or reads its reply; null: another request holds it. */
async function tryKey(
  scope: ShopScope,
  { key, secrets }: IdempotentRequest,
  hash: Buffer,
): Promise<TakenKey | null> {
  const [mine] = await scope.query<{ created_at: Date }>(
    `insert into idempotency_keys (shop_id, key, request_hash) values (:shop, :key, :hash)
     on conflict (shop_id, key) do update set request_hash = excluded.request_hash, reply = null,
       created_at = now(), ${KEY_LEASE.extend}
       where idempotency_keys.created_at < now() - interval '24 hours'
     returning created_at`,
    { key, hash },
  )
  if (mine) return { createdAt: mine.created_at }
  const [row] = await scope.query<KeyRow>(
    `select request_hash, reply, created_at, ${KEY_LEASE.isExpired('idempotency_keys')} as dead
     from idempotency_keys where shop_id = :shop and key = :key`,
    { key },
  )
  if (row && !row.request_hash.equals(hash)) throw new AppError('idempotency_key_reused')
  if (row?.reply) return { reply: openReply(scope, secrets, row.reply) as Reply }
  return row?.dead && (await takeOver(scope, key)) ? { createdAt: row.created_at } : null
}

const takeOver = (scope: ShopScope, key: string): Promise<boolean> =>
  scope.has(
    `update idempotency_keys set ${KEY_LEASE.extend} where shop_id = :shop and key = :key
       and reply is null and ${KEY_LEASE.isExpired('idempotency_keys')} returning 1`,
    { key },
  )

const beatKey = (scope: ShopScope, key: string) =>
  scope.query(
    `update idempotency_keys set ${KEY_LEASE.extend} where shop_id = :shop and key = :key`,
    { key },
  )
