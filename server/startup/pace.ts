// Limits how fast a command works, so that a running server is not slowed down.
import { setTimeout as delay } from 'node:timers/promises'

export interface Pace {
  /** Waits until this much work may have been done. Throws the reason of `signal`. */
  done(items: number, bytes: number, signal: AbortSignal): Promise<void>
}

export const UNLIMITED: Pace = { done: () => Promise.resolve() }

const RATE = /^([1-9]\d{0,8})(MB)?$/
const MB = 1024 ** 2

/**
 * @param rate a number of items a second (`200`) or of megabytes a second (`20MB`); undefined: no
 *   limit. Null if it is neither.
 */
export function paceOf(rate: string | undefined, now = () => performance.now()): Pace | null {
  if (rate === undefined) return UNLIMITED
  const [, number, unit] = RATE.exec(rate) ?? []
  if (number === undefined) return null
  const perSecond = Number(number) * (unit ? MB : 1)
  const begun = now()
  let work = 0
  return {
    done: async (items, bytes, signal) => {
      work += unit ? bytes : items
      const wait = begun + (work / perSecond) * 1000 - now()
      if (wait > 0) await delay(wait, undefined, { signal })
      signal.throwIfAborted()
    },
  }
}
