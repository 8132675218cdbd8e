// Turns of requests to foreign hosts, for all shops of this process: a few at a time for each host,
// one at a time after a host has refused one for its limits, and none while it asks to wait. A host
// is given up only while no request to it is open: an open one may still be answered.
import type { PortError } from '../../plugins/contract/index.ts'
import { firstOf, present } from '../core/lazy.ts'
import { hostIsBusy, type HostRefusal } from './failures.ts'

const PER_HOST = 4
/** After this many answers without a refusal, a limited host gets one more request at a time. */
const TRUSTED_AGAIN = 100
/** Without requests for this long, a host counts as unknown. */
const FORGOTTEN_MS = 60_000
const MANY_HOSTS = 1000
const MANY_ADDRESSES = 10_000
const LONGEST_REST_MS = 60_000
/** The longest wait that a host may ask for: one file's answer must not close it to all shops. */
const LONGEST_ASKED_MS = 15 * 60_000
/** After this many rests, or failed connections, in a row a host is given up for a minute. */
const MAX_RESTS = 6
const MAX_FAILURES = 12
/** After this many rests in a row (half a minute), an answer that may be final is. */
const MAX_DOUBTS = 5
/**
 * How many refusals of one address do not count as attempts. Some hosts refuse a single file for
 * days by 429, and 503 or a reset may be a fault of the file.
 */
const SPARED = { marked: 10, unmarked: 5 }

export interface HostTurnOptions {
  /** The first rest after a refusal that states no time; each further one is twice as long. */
  restMs?: number
  /**
   * The longest wait for a turn at a limited host. Then the request fails, so that its batch can
   * end and others begin.
   */
  patienceMs?: number
}

interface Waiter {
  grant(): void
  refuse(error: PortError): void
}

export class HostTurns {
  readonly #hosts = new Map<string, Host>()
  readonly #options: Required<HostTurnOptions>

  constructor({ restMs = 1000, patienceMs = 30_000 }: HostTurnOptions = {}) {
    this.#options = { restMs, patienceMs }
  }

  /**
   * Waits for a turn at the host of an address. Shops take turns, so that many requests of one do
   * not delay the others.
   * @throws `PortError` if the host is limited and the wait would be long, or the signal's reason
   */
  async take(url: URL, signal: AbortSignal, shop: number | null = null): Promise<HostTurn> {
    signal.throwIfAborted()
    const host = this.#hostOf(url.host)
    if (!host.start()) await host.wait(signal, shop)
    return new HostTurn(host, url.href)
  }

  close(): void {
    for (const host of this.#hosts.values()) host.close()
  }

  #hostOf(name: string): Host {
    if (this.#hosts.size > MANY_HOSTS)
      for (const [other, host] of this.#hosts) if (host.isForgotten()) this.#hosts.delete(other)
    const known = this.#hosts.get(name)
    if (known && !known.isForgotten()) return known
    const host = new Host(this.#options)
    this.#hosts.set(name, host)
    return host
  }
}

class Host {
  readonly #options: Required<HostTurnOptions>
  running = 0
  begun = 0
  #room = PER_HOST
  #rests = 0
  /** Consecutive requests that had no answer. */
  #failures = 0
  /**
   * A request to a host without answers failed: no other starts until the open ones have ended,
   * because they show whether it serves a few at a time or none.
   */
  #drains = false
  #answers = 0
  /** Answers since the last refusal. */
  #since = 0
  #restsSince = 0
  #restsUntil = 0
  #wake: NodeJS.Timeout | undefined
  #lastUse = performance.now()
  /** Why the host is given up; null: it is not. */
  #givenUp: PortError | null = null
  #burstSpared = true
  /** `#answers` at the beginning of the last rest. */
  #answersBefore = 0
  /** Whether a refusal has shown that the host has a limit. */
  #isLimited = false
  /** Whether answers that may be final were found to be about the file. */
  #isBelieved = false
  readonly #refusals = new Map<string, number>()
  readonly #waiting = new Map<number | null, Waiter[]>()

  constructor(options: Required<HostTurnOptions>) {
    this.#options = options
  }

  isForgotten(): boolean {
    const now = performance.now()
    const idle = this.running === 0 && this.#waiting.size === 0
    return idle && now > this.#restsUntil && now - this.#lastUse > FORGOTTEN_MS
  }

  /** Starts a request, if there is room. Throws if its turn would come late. */
  start(): boolean {
    const rest = this.#restsUntil - performance.now()
    if (rest > 0 && (this.#givenUp || rest > this.#options.patienceMs)) throw this.#busy()
    if (rest > 0 || this.#isFull()) return false
    this.#begin()
    return true
  }

  async wait(signal: AbortSignal, shop: number | null): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const queue = this.#waiting.get(shop) ?? []
    const waiter: Waiter = { grant: resolve, refuse: reject }
    const leave = (error: unknown) => {
      const at = queue.indexOf(waiter)
      if (at >= 0) queue.splice(at, 1)
      if (queue.length === 0 && this.#waiting.get(shop) === queue) this.#waiting.delete(shop)
      reject(error)
    }
    const onAbort = () => leave(signal.reason)
    const patience = setInterval(() => {
      if (this.#room < PER_HOST) leave(this.#busy())
    }, this.#options.patienceMs)
    queue.push(waiter)
    this.#waiting.set(shop, queue)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      await promise
    } finally {
      clearInterval(patience)
      signal.removeEventListener('abort', onAbort)
    }
  }

  end(): void {
    this.running--
    if (this.running === 0) this.#drains = false
    this.#lastUse = performance.now()
    this.#next()
  }

  close(): void {
    clearTimeout(this.#wake)
  }

  answered(url: string): void {
    this.#answers++
    // Some of the requests that were open together were answered: the host serves few at a time.
    if (this.#drains) {
      this.#isLimited = true
      this.#narrow()
    }
    this.#failures = 0
    this.#rests = 0
    this.#givenUp = null
    this.#refusals.delete(url)
    if (++this.#since % TRUSTED_AGAIN === 0 && this.#room < PER_HOST) this.#room++
  }

  /** Returns whether the attempt does not count against the address. */
  refused(request: OpenRequest, refusal: HostRefusal, error: PortError): boolean {
    // Of requests that were open together, the first refusal decides.
    if (request.startedAt >= this.#restsSince) {
      this.#burstSpared = request.isShared || this.#answers > 0
      this.#rest(refusal, error)
    } else if (refusal.retryAfter !== undefined) {
      this.#pause(refusal.retryAfter * 1000, this.#givenUp)
    }
    return this.#burstSpared && this.#givenUp === null && this.#spare(request.url, refusal)
  }

  /** As `refused`, for a request without an answer: hosts also reset connections above a limit. */
  failed(request: OpenRequest, error: PortError): boolean {
    if (this.#answers > 0 && this.mayBeLimit(request))
      return this.refused(request, { marked: false }, error)
    this.#failures++
    this.#drains = this.running > 1
    if (!this.#drains && this.#failures >= MAX_FAILURES) this.#pause(LONGEST_REST_MS, error)
    return request.isShared && this.#givenUp === null && this.#spare(request.url, { marked: false })
  }

  /** Whether an answer that does not name a limit as its reason may still be one. */
  mayBeLimit({ isShared }: OpenRequest): boolean {
    return isShared || this.#room < PER_HOST
  }

  /**
   * Whether an answer that is more often about the file than about a limit is about the file: the host
   * gave it to a request that was alone, where it has answered others since, or none ever.
   */
  isFinal(request: OpenRequest): boolean {
    if (this.#isBelieved || !this.mayBeLimit(request)) return true
    if (request.isShared) return false
    const isRepeated = this.#refusals.has(request.url) && this.#answers > this.#answersBefore
    this.#isBelieved = isRepeated || this.#answers === 0 || this.#rests >= MAX_DOUBTS
    if (this.#isBelieved && !this.#isLimited) this.#room = PER_HOST
    return this.#isBelieved
  }

  #rest({ retryAfter, mayBeFinal }: HostRefusal, error: PortError): void {
    const least = this.#options.restMs * 2 ** this.#rests
    this.#isLimited ||= !mayBeFinal
    this.#answersBefore = this.#answers
    this.#restsSince = performance.now()
    this.#narrow()
    this.#rests++
    const ms = retryAfter === undefined ? Math.min(least, LONGEST_REST_MS) : retryAfter * 1000
    const isGivenUp = this.#rests > MAX_RESTS && this.running === 1
    this.#pause(Math.max(ms, this.#options.restMs), isGivenUp ? error : null)
  }

  #narrow(): void {
    this.#room = 1
    this.#since = 0
  }

  #isFull(): boolean {
    return this.running >= this.#room || (this.#drains && this.running > 0)
  }

  #pause(asked: number, givenUp: PortError | null): void {
    const now = performance.now()
    const ms = Math.min(asked, LONGEST_ASKED_MS)
    this.#restsUntil = Math.max(this.#restsUntil, now + ms)
    this.#givenUp = givenUp
    clearTimeout(this.#wake)
    this.#wake = setTimeout(() => this.#endRest(), this.#restsUntil - now).unref()
    if (givenUp || ms > this.#options.patienceMs)
      for (const waiter of this.#takeAll()) waiter.refuse(this.#busy())
  }

  /** A timer may fire a little early: the rest ends here, not by the clock. */
  #endRest(): void {
    this.#restsUntil = 0
    this.#next()
  }

  /** Why a request does not get its turn soon. */
  #busy(): PortError {
    if (this.#givenUp) return this.#givenUp
    const rest = Math.max(this.#restsUntil - performance.now(), this.#options.restMs)
    return hostIsBusy(Math.ceil(rest / 1000))
  }

  #spare(url: string, { marked }: HostRefusal): boolean {
    if (this.#refusals.size > MANY_ADDRESSES) this.#refusals.clear()
    const count = (this.#refusals.get(url) ?? 0) + 1
    this.#refusals.set(url, count)
    return count <= (marked ? SPARED.marked : SPARED.unmarked)
  }

  #begin(): void {
    this.running++
    this.begun++
    this.#lastUse = performance.now()
  }

  #takeAll(): Waiter[] {
    const all = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    return all
  }

  #next(): void {
    while (this.#waiting.size > 0 && !this.#isFull()) {
      if (performance.now() < this.#restsUntil) return
      const [shop, queue] = firstOf([...this.#waiting])
      this.#waiting.delete(shop)
      const waiter = present(queue.shift(), 'A waiting request')
      // The shop's next request follows those of the others.
      if (queue.length > 0) this.#waiting.set(shop, queue)
      this.#begin()
      waiter.grant()
    }
  }
}

interface OpenRequest {
  readonly url: string
  readonly startedAt: number
  /** Whether another request to the host was open during this one. */
  readonly isShared: boolean
}

/** One request at a host, from its start until its answer has been read. */
export class HostTurn implements OpenRequest {
  readonly url: string
  readonly startedAt = performance.now()
  readonly #host: Host
  readonly #isSharedFromStart: boolean
  readonly #begun: number

  constructor(host: Host, url: string) {
    this.#host = host
    this.url = url
    this.#isSharedFromStart = host.running > 1
    this.#begun = host.begun
  }

  get isShared(): boolean {
    return this.#isSharedFromStart || this.#host.begun > this.#begun
  }

  /** The host answered, and did not refuse the request for its limits. */
  answered(): void {
    this.#host.answered(this.url)
  }

  /** The host refused the request for its limits. Marks the error if the attempt does not count. */
  refused(refusal: HostRefusal, error: PortError): void {
    if (refusal.mayBeFinal && this.#host.isFinal(this)) return this.answered()
    if (!refusal.marked && !this.#host.mayBeLimit(this)) return
    error.uncounted = this.#host.refused(this, refusal, error)
    error.retryable ||= error.uncounted
  }

  /** The host gave no answer. Marks the error as `refused` does. */
  failed(error: PortError): void {
    error.uncounted = this.#host.failed(this, error)
  }

  end(): void {
    this.#host.end()
  }
}
