// Waits for the end of an operation: its notifications are hints to read it again.
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Listener } from '../core/db/listener.ts'
import type { OperationRow } from './types.ts'
import { hasEnded } from './lifecycle.ts'
import { readOperation } from './read.ts'

/** Notifications may be lost with their connection: the operation is read this often too. */
const POLL_MS = 1000

/**
 * @returns the operation once it has ended, or its current state after `ms` or when `signal`
 *   aborts; null: there is no such operation
 */
export async function waitForEnd(
  listener: Listener,
  scope: ShopScope,
  id: string,
  ms: number,
  signal: AbortSignal,
): Promise<OperationRow | null> {
  const until = performance.now() + ms
  while (true) {
    // Listen before reading: a notification during the read would be lost.
    const stop = new AbortController()
    const left = Math.max(0, until - performance.now())
    const either = AbortSignal.any([signal, stop.signal])
    const hint = nextHint(listener, `${scope.shop}/${id}`, Math.min(left, POLL_MS), either)
    const operation = await readOperation(scope, id)
    if (operation && !hasEnded(operation) && left > 0 && !signal.aborted) await hint
    else {
      stop.abort()
      return operation
    }
  }
}

/** Resolves at the operation's next notification, after `ms`, or when `signal` aborts. */
function nextHint(
  listener: Listener,
  operation: string,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      forget()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const forget = listener.on('operation_progress', (payload) => {
      if (payload === null || payload === operation) end()
    })
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}

/**
 * Calls `handler` with an operation of the shop that may have changed, or with null if any of them
 * may have. Returns the function that stops it.
 */
export const watchProgress = (
  listener: Listener,
  shop: number,
  handler: (operation: string | null) => void,
): (() => void) =>
  listener.on('operation_progress', (payload) => {
    const [of, operation] = payload?.split('/') ?? []
    if (payload === null || Number(of) === shop) handler(operation ?? null)
  })
