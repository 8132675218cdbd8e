// Waits at the start for a database that cannot be reached yet: it may start at the same time, or
// its network may be late.
import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseUnavailable, reasonOf } from '../core/db/error-classes.ts'
import type { Logger } from '../core/log.ts'

export interface DatabaseWait {
  /** How long; 0: the first failure counts. */
  forMs: number
  log: Logger
  /** Ends the wait. */
  signal?: AbortSignal
  /** Called before the first wait. What it throws is not a failure of the database. */
  onWait?: () => Promise<void>
  /** What to throw for an error of the database; absent: the error. */
  failure?: (error: unknown) => unknown
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000
/** A host whose name or network is not there yet, or the socket of a server on this machine. */
const NOT_FOUND = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT'])

/**
 * Repeats `connect` until it succeeds. Throws the last error when the time is over, and other errors,
 * like a wrong password, immediately.
 */
export async function whenReachable(
  connect: () => Promise<void>,
  { forMs, log, signal, onWait, failure = (error) => error }: DatabaseWait,
): Promise<void> {
  const until = performance.now() + forMs
  for (let tries = 0; ; tries++) {
    try {
      return await connect()
    } catch (error) {
      const leftMs = until - performance.now()
      if (leftMs <= 0 || !mayComeLater(error)) throw failure(error)
      if (tries === 0) await onWait?.()
      log.warn('waiting for the database', {
        reason: reasonOf(error),
        left_seconds: Math.ceil(leftMs / 1000),
      })
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS, leftMs)
      await delay(pause, undefined, signal ? { signal } : {})
    }
  }
}

const codeOf = (error: unknown) => (error as { code?: unknown }).code
/** A pooler that refuses our settings does so each time; its code is that of a lost connection. */
export const POOLER_REFUSAL = /unsupported startup parameter/
const mayComeLater = (error: unknown) => {
  if (POOLER_REFUSAL.test(reasonOf(error))) return false
  // A file that the address names is not the socket of a server.
  const isFile = (error as { syscall?: unknown }).syscall === 'open'
  return isDatabaseUnavailable(error) || (NOT_FOUND.has(String(codeOf(error))) && !isFile)
}
