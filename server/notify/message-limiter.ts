// Limits concurrent messages: a slow mail server or receiver must not occupy all jobs of this
// process, and one shop's messages must not delay another shop's.
import type { MessageKind } from './outbox.ts'

const RETRY_MS = 500
const APART_MS = 100

export interface MessageLimiter {
  /** Null if the limit is reached; otherwise the function that releases the place. */
  take(kind: MessageKind, shop: number): (() => void) | null
  /** When to try again: waiting messages are spread over time. */
  later(): Date
}

/** Concurrent messages of one kind in this process. */
export interface MessageLimit {
  all: number
  /** Of one shop. */
  shop: number
}

export function createMessageLimiter(
  limits: Readonly<Record<MessageKind, MessageLimit>>,
): MessageLimiter {
  const busy = new Map<MessageKind, number[]>()
  let last = 0
  return {
    take: (kind, shop) => {
      const shops = busy.get(kind) ?? []
      const own = shops.filter((one) => one === shop).length
      if (own >= limits[kind].shop || shops.length >= limits[kind].all) return null
      busy.set(kind, shops)
      shops.push(shop)
      return () => void shops.splice(shops.indexOf(shop), 1)
    },
    later: () => {
      last = Math.max(Date.now() + RETRY_MS, last + APART_MS)
      return new Date(last)
    },
  }
}
