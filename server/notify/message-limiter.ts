// Limits concurrent messages: a slow mail server or receiver must not occupy all jobs of this
// process, and one shop's messages must not delay another shop's.
import type { MessageKind } from './outbox.ts'

const AGAIN_MS = 500
const APART_MS = 100

export interface MessageLimiter {
  /** Null when the limit is reached; otherwise call the function when the attempt is over. */
  take(kind: MessageKind, shop: number): (() => void) | null
  /** When to try again: waiting messages come back one by one. */
  later(): Date
}

/** @param atOnce concurrent messages of each kind in this process; at most one of each shop. */
export function createMessageLimiter(
  atOnce: Readonly<Record<MessageKind, number>>,
): MessageLimiter {
  const busy = new Map<MessageKind, Set<number>>()
  let last = 0
  return {
    take: (kind, shop) => {
      const shops = busy.get(kind) ?? new Set()
      if (shops.has(shop) || shops.size >= atOnce[kind]) return null
      busy.set(kind, shops.add(shop))
      return () => void shops.delete(shop)
    },
    later: () => {
      last = Math.max(Date.now() + AGAIN_MS, last + APART_MS)
      return new Date(last)
    },
  }
}
