// Posts a signed message to an address that a shop gave: one attempt, and its result.
import { say, sayPlain } from '../../../plugins/contract/index.ts'
import { toPublicId } from '../../core/ids.ts'
import type { GuardedClient } from '../../ports/guarded-fetch.ts'
import type { DeliveryResult } from '../../core/outbox/outbox.ts'
import { SLOW_MS } from '../../core/outbox/limits.ts'
import { signatureHeaders } from '../../core/outbox/signatures.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** The delays of the attempts. The last one is 65.5 hours after the first, less than three days. */
export const POST_DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  ...[12, 12, 12, 12].map((hours) => hours * HOUR),
]
const GONE = 410

export interface SignedPost {
  client: Pick<GuardedClient, 'post'>
  address: string
  signingSecrets: readonly string[]
  /** The message's UUID. */
  id: string
  at: Date
  body: string
  /** The time for an answer in milliseconds, including the DNS lookup. */
  within: number
  stopping: AbortSignal
}

/** Posts the message. `gone`: the receiver answered 410, so it wants no more messages. */
export async function postSigned(post: SignedPost): Promise<DeliveryResult & { gone?: boolean }> {
  const { client, address, signingSecrets, id, at, body, within, stopping } = post
  const headers = {
    'content-type': 'application/json',
    ...signatureHeaders(signingSecrets, toPublicId('message', id), at, body),
  }
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(within)])
  const begun = performance.now()
  try {
    const { status } = await client.post(address, headers, body, signal)
    if (status >= 200 && status < 300) return { status: 'sent' }
    if (status === GONE)
      return {
        status: 'failed',
        reason: sayPlain('The address answered 410: it wants no more messages'),
        gone: true,
      }
    const slow = performance.now() - begun > SLOW_MS
    const reason = say('The address answered {status}', { status })
    return { status: 'again', reason, ...(slow && { unanswered: true as const }) }
  } catch {
    if (stopping.aborted) return { status: 'returned' }
    // One text for all causes: details would reveal what this server can reach.
    return {
      status: 'again',
      unanswered: true,
      reason: sayPlain('The address could not be reached, or did not answer in time'),
    }
  }
}
