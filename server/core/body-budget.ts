// Limits of what this process does and holds concurrently.

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

// A limit of concurrent uses, in the order of the requests.

export interface Semaphore {
  /**
   * Resolves in turn, with the function that releases it. Throws the signal's reason if the signal
   * aborts first.
   */
  acquire(signal?: AbortSignal): Promise<() => void>
}

/** Semaphores of `count` uses for each key. `acquire` resolves with the function that releases it. */
export function createSemaphores(count: number) {
  const kept = new Map<string, { semaphore: Semaphore; users: number }>()
  return {
    acquire: async (key: string): Promise<() => void> => {
      const one = kept.get(key) ?? { semaphore: createSemaphore(count), users: 0 }
      kept.set(key, one)
      one.users++
      const release = await one.semaphore.acquire()
      return () => {
        release()
        if (--one.users === 0) kept.delete(key)
      }
    },
  }
}

/** Creates a semaphore. `count`: how many uses may run at the same time */
export function createSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = []
  let free = count
  const release = () => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  const wait = async (signal?: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push(resolve)
    if (!signal) return promise
    const stop = () => {
      const at = waiting.indexOf(resolve)
      // The place has been acquired in the meantime: its holder handles the signal.
      if (at < 0) return
      waiting.splice(at, 1)
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
  return {
    acquire: async (signal) => {
      signal?.throwIfAborted()
      if (free > 0) free--
      else await wait(signal)
      return release
    },
  }
}

// A queue between producers and one reader. Nothing is lost, and producers never wait.

export interface AsyncQueue<T> extends AsyncIterable<T> {
  push(value: T): void
  /**
   * Ends the queue; elements that have arrived are still read. With an error, reading then throws
   * it.
   */
  end(error?: unknown): void
}

/** Creates an open queue for one reader. A second reader would get only some of the elements. */
export function createAsyncQueue<T>(): AsyncQueue<T> {
  const waiting: T[] = []
  let ended: { error?: unknown } | null = null
  let wake = () => {}
  return {
    push: (value) => {
      waiting.push(value)
      wake()
    },
    end: (error) => {
      ended ??= error === undefined ? {} : { error }
      wake()
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        while (waiting.length > 0) yield* waiting.splice(0, 1)
        if (ended) {
          if ('error' in ended) throw ended.error
          return
        }
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}
