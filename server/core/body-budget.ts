// The bytes of request bodies that this process holds in memory. Strangers and clients can leave
// bodies unfinished, so their sum is limited: in all, for bodies of clients that have not signed in,
// and for each shop and each network. A body counts until its request is answered.
import { AppError } from './errors.ts'
import { bodyRefusals, type BodyRefusal } from './totals.ts'

const MB = 1024 ** 2

export interface BodyLimits {
  /** All bodies. */
  total: number
  /** Those of clients that have not signed in, together. */
  unsigned: number
  /** Those of one shop, or of one network that has not signed in. */
  share: number
}

const BODY_LIMITS: BodyLimits = { total: 128 * MB, unsigned: 64 * MB, share: 32 * MB }

/** Seconds until a refused body may be sent again: slow bodies have ended by then. */
const RETRY_SECONDS = 10

/** Whose body it is: a shop that has signed in, or the network of a stranger. */
export interface BodyOwner {
  name: string
  signedIn: boolean
}

export interface BodySeat {
  /** Counts bytes that are held. Throws `too_many_bodies` and `bodies_full`: they do not count then. */
  add(bytes: number): void
  /** The body is whole: it is no longer ended for another one. */
  arrived(): void
  /** Frees the bytes; idempotent. */
  free(): void
}

interface Body {
  bytes: number
  /** Ends reading it; null: it has arrived, and its request is being answered. */
  end: ((error: AppError) => void) | null
}

/** The bodies of one owner, the oldest first, and their sum. */
interface Share {
  owner: BodyOwner
  bodies: Set<Body>
  bytes: number
}

export class BodyBudget {
  readonly #limits: BodyLimits
  readonly #shares = new Map<string, Share>()
  /** Of clients that have signed in, and of others. */
  readonly #held = { signedIn: 0, unsigned: 0 }

  constructor(limits: BodyLimits = BODY_LIMITS) {
    this.#limits = limits
  }

  /** The bytes held, of clients that have signed in and of others. */
  held(): Readonly<{ signedIn: number; unsigned: number }> {
    return { ...this.#held }
  }

  /**
   * A seat for one body, without bytes.
   * @param end ends reading it, to make room for the body of another owner
   */
  open(owner: BodyOwner, end: (error: AppError) => void): BodySeat {
    const share = this.#shares.get(owner.name) ?? { owner, bodies: new Set<Body>(), bytes: 0 }
    const body: Body = { bytes: 0, end }
    this.#shares.set(owner.name, share)
    share.bodies.add(body)
    return {
      add: (bytes) => {
        this.#makeRoom(share, body, bytes)
        this.#count(share, body, bytes)
      },
      arrived: () => void (body.end = null),
      free: () => this.#free(share, body),
    }
  }

  #count(share: Share, body: Body, bytes: number): void {
    body.bytes += bytes
    share.bytes += bytes
    this.#held[share.owner.signedIn ? 'signedIn' : 'unsigned'] += bytes
  }

  #free(share: Share, body: Body): void {
    if (!share.bodies.delete(body)) return
    this.#count(share, body, -body.bytes)
    if (share.bodies.size === 0) this.#shares.delete(share.owner.name)
  }

  #makeRoom(own: Share, body: Body, bytes: number): void {
    const { total, unsigned, share } = this.#limits
    // One body alone may be larger than a share, if the operator allows such bodies.
    if (own.bytes > body.bytes && own.bytes + bytes > share)
      throw refused('share', 'too_many_bodies')
    if (!own.owner.signedIn)
      while (this.#held.unsigned + bytes > unsigned) this.#endLargest(own, false)
    while (this.#held.signedIn + this.#held.unsigned + bytes > total) this.#endLargest(own, true)
  }

  /** Ends the oldest unfinished body of the owner that holds most, if that is more than this one. */
  #endLargest(own: Share, ofSignedIn: boolean): void {
    const [largest] = [...this.#shares.values()]
      .filter(({ owner, bytes }) => (ofSignedIn || !owner.signedIn) && bytes > own.bytes)
      .toSorted((a, b) => b.bytes - a.bytes)
    const oldest = largest?.bodies.values().find(({ end, bytes }) => end !== null && bytes > 0)
    if (!largest || !oldest) throw refused('total', 'bodies_full')
    this.#free(largest, oldest)
    oldest.end?.(refused('ended', 'bodies_full'))
  }
}

function refused(reason: BodyRefusal, code: 'too_many_bodies' | 'bodies_full'): AppError {
  bodyRefusals.add(reason)
  return new AppError(code, { retryAfter: RETRY_SECONDS })
}

/** The process's budget. */
export const bodyBudget = new BodyBudget()

// Reads the body of a request or an answer into memory, up to a limit that the caller states.

/**
 * The body of a request; null: it is longer than `maxBytes`. Its rest is unread and its stream is
 * destroyed, so the connection cannot be used again.
 */
export async function readBounded(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
