// Whose turn it is: a mail server or a receiver that is slow to answer must not hold all the jobs of this process, nor
// one shop's messages those of another.
import type { MessageKind } from './outbox.ts'

const AGAIN_MS = 500
const APART_MS = 100

export interface MessageLimiter {
  /** Null when it is not this one's turn; call the function when it is over. */
  take(kind: MessageKind, shop: number): (() => void) | null
  /** When to ask again: those that wait come back one by one. */
  later(): Date
}

/** @param atOnce messages of each kind in this process; of one shop there is never more than one. */
export function createMessageLimiter(atOnce: Readonly<Record<MessageKind, number>>): MessageLimiter {
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
