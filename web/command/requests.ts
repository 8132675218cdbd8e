// Requests to one installation: each carries the key, and is repeated while the network or the
// server is unavailable. POST and PUT get an Idempotency-Key, so that a repetition changes nothing.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorFrom, reasonOf, StevedoreError } from './errors.ts'
import type { StevedoreOptions } from './types.ts'

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 15_000
const PATIENCE_MS = 120_000

/** What a program cannot choose: the command and tests do. */
export interface RequestsParts {
  /** Ends all requests and waits, unless a request has its own signal. */
  signal?: AbortSignal
  /** Waits before a repetition; absent: by the clock. */
  sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

interface RequestsOptions
  extends RequestsParts, Pick<StevedoreOptions, 'fetch' | 'patience' | 'onRetry' | 'shop'> {
  url: string
  key: string
}

type Sent = Omit<RequestInit, 'headers'> & { headers?: RequestInit['headers'] }

export class Requests {
  readonly url: string
  readonly #options: RequestsOptions

  constructor(options: RequestsOptions) {
    this.url = options.url
    this.#options = options
  }

  get shop(): string | undefined {
    return this.#options.shop
  }

  get patience(): number {
    return this.#options.patience ?? PATIENCE_MS
  }

  get signal(): AbortSignal | undefined {
    return this.#options.signal
  }

  /** Null: the path leads to another host, which would be sent the key. */
  addressOf(path: string): URL | null {
    if (!URL.canParse(path, this.url)) return null
    const address = new URL(path, this.url)
    return address.origin === new URL(this.url).origin ? address : null
  }

  /** One attempt: its answer, or the error without one. Throws what the signal was aborted with. */
  async attempt(path: string, { headers: given, ...init }: Sent = {}) {
    const address = this.addressOf(path)
    if (!address) throw new Error(`${path} is no path of ${this.url}`)
    const headers = new Headers(given)
    headers.set('Authorization', `Bearer ${this.#options.key}`)
    if (this.shop !== undefined) headers.set('Stevedore-Shop', this.shop)
    const { fetch = globalThis.fetch } = this.#options
    const signal = init.signal ?? this.signal ?? null
    try {
      return await fetch(address, { ...init, headers, signal })
    } catch (error) {
      if (signal?.aborted) throw error
      return new StevedoreError('not_reached', `${this.url} was not reached: ${reasonOf(error)}`, {
        cause: error,
      })
    }
  }

  /**
   * Repeats what may succeed later, as long as `patience` allows. The body must be a text or bytes.
   * The last answer is returned even if it is an error. Throws `StevedoreError` without an answer.
   */
  async send(path: string, given: Sent = {}, patience = this.patience): Promise<Response> {
    const init = withKey(given)
    const until = Date.now() + patience
    for (let failures = 0; ; failures++) {
      const outcome = await this.attempt(path, init)
      if (outcome instanceof Response && !(await isPassing(outcome))) return outcome
      const wait = waitAfter(outcome, failures)
      if (Date.now() + wait > until) {
        if (outcome instanceof Response) return outcome
        throw outcome
      }
      await this.pause(outcome, wait, init.signal)
    }
  }

  /** Waits before a repetition, and says so. */
  async pause(outcome: Response | Error, waitMs: number, signal?: AbortSignal | null) {
    const reason =
      outcome instanceof Response
        ? `The server answered with status ${outcome.status}`
        : outcome.message
    this.#options.onRetry?.({ reason, waitMs })
    await this.sleep(waitMs, signal)
  }

  /** Throws what the signal was aborted with. */
  async sleep(ms: number, signal?: AbortSignal | null): Promise<void> {
    const { sleep = sleepByClock } = this.#options
    await sleep(ms, signal ?? this.signal)
  }
}

const sleepByClock = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(ms, undefined, signal ? { signal } : {})

/** For `openapi-fetch`, which makes a `Request`: its body is read once for all attempts. */
export async function sendRequest(requests: Requests, request: Request): Promise<Response> {
  const { method, headers, signal, url } = request
  const body = method === 'GET' || method === 'HEAD' ? null : await request.arrayBuffer()
  return requests.send(url, {
    method,
    headers,
    signal,
    ...(body && body.byteLength > 0 ? { body } : {}),
  })
}

const TAKES_KEY = ['POST', 'PUT']

function withKey(init: Sent): Sent {
  const headers = new Headers(init.headers)
  const takesKey = TAKES_KEY.includes((init.method ?? 'GET').toUpperCase())
  if (takesKey && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', randomUUID())
  return { ...init, headers }
}

/** May the same request succeed a moment later? */
async function isPassing(response: Response): Promise<boolean> {
  if (response.status !== 409) return isTemporary(response.status)
  // The first request with this key is still running.
  return (await errorFrom(response.clone())).code === 'idempotency_in_progress'
}

/** 501: never possible, 507: full. */
export const isTemporary = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 507)

/** How long to wait after this many failures before, in milliseconds. */
export function waitAfter(outcome: Response | Error, failures: number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS)
  return outcome instanceof Response ? Math.max(retryAfter(outcome), delay) : delay
}

/** In milliseconds; the header is in seconds or a date. 0: it does not say. */
export function retryAfter(response: Response, now = Date.now()): number {
  const text = response.headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now)
}
