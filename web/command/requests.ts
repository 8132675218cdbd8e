// Requests to one installation: each carries the key, and is repeated while the network or the
// server is unavailable. POST and PUT get an Idempotency-Key, so that a repetition changes nothing.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorFrom, reasonOf, StevedoreError } from './errors.ts'
import type { StevedoreOptions } from './types.ts'

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 15_000
const PATIENCE_MS = 120_000

interface RequestsOptions extends Pick<StevedoreOptions, 'fetch' | 'patience' | 'onRetry'> {
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

  get patience(): number {
    return this.#options.patience ?? PATIENCE_MS
  }

  /** One attempt. Throws `StevedoreError` without an answer, and what the signal was aborted with. */
  async attempt(path: string, { headers: given, ...init }: Sent = {}): Promise<Response> {
    const headers = new Headers(given)
    headers.set('Authorization', `Bearer ${this.#options.key}`)
    const { fetch = globalThis.fetch } = this.#options
    try {
      return await fetch(new URL(path, this.url), { ...init, headers })
    } catch (error) {
      if (init.signal?.aborted) throw error
      throw new StevedoreError('not_reached', `${this.url} was not reached: ${reasonOf(error)}`, {
        cause: error,
      })
    }
  }

  /**
   * Repeats what may succeed later, as long as `patience` allows. The body must be a text or bytes.
   * The last answer is returned even if it is an error. Throws `StevedoreError` without an answer.
   */
  async send(path: string, given: Sent = {}): Promise<Response> {
    const init = withKey(given)
    const until = Date.now() + this.patience
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, LONGEST_DELAY_MS)) {
      const outcome = await this.attempt(path, init).catch((error: unknown) => {
        if (error instanceof StevedoreError) return error
        throw error
      })
      if (outcome instanceof Response && !(await isPassing(outcome))) return outcome
      const wait = outcome instanceof Response ? Math.max(retryAfter(outcome), delay) : delay
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
    await sleep(waitMs, undefined, signal ? { signal } : {})
  }
}

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
  if (response.status === 429) return true
  // 501: never possible, 507: full.
  if (response.status >= 500) return response.status !== 501 && response.status !== 507
  if (response.status !== 409) return false
  // The first request with this key is still running.
  return (await errorFrom(response.clone())).code === 'idempotency_in_progress'
}

/** In milliseconds; the header is in seconds or a date. 0: it does not say. */
export function retryAfter(response: Response, now = Date.now()): number {
  const text = response.headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now)
}
