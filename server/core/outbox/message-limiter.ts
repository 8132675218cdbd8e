// Limits concurrent messages: a slow mail server or receiver must not occupy all places of this
// process, and one receiver's messages must not delay those of another.
import type { MessageKind } from './outbox.ts'

const RETRY_MS = 500
const APART_MS = 100

/** Limits of concurrent messages in this process. */
interface PlaceLimit {
  all: number
  /** The maximum for one shop. */
  shop: number
  /** The maximum for one receiver. */
  receiver: number
}

/**
 * All shops share the installation's mail server, so its mail has no limit for each shop; mails through
 * a server of a shop have separate places, so that a slow one delays no other shop. A post that waits for an
 * answer costs a socket, so there are many places. Receivers that did not answer last have separate
 * places, because each of them may hold one for its whole deadline.
 */
const LIMITS = {
  email: { all: 4, shop: 4, receiver: 4 },
  ownMail: { all: 64, shop: 2, receiver: 2 },
  sms: { all: 4, shop: 1, receiver: 1 },
  flow: { all: 16, shop: 1, receiver: 1 },
  post: { all: 512, shop: 64, receiver: 2 },
  failing: { all: 64, shop: 4, receiver: 1 },
} satisfies Record<string, PlaceLimit>

type Places = keyof typeof LIMITS

export interface MessageTurn {
  kind: MessageKind
  shop: number
  /** Whether it is a mail through the shop's own server. */
  own: boolean
  /** The receiver of a post; null: a server that all messages of the kind share. */
  receiver: string | null
  /** Whether the receiver did not answer the last time. */
  failing: boolean
}

export interface MessageLimiter {
  /** Takes a place. Null if a limit is reached; otherwise the function that releases the place. */
  take(turn: MessageTurn): (() => void) | null
  /**
   * Milliseconds until another attempt: the messages that wait for one receiver are spread over time.
   */
  later(turn: MessageTurn): number
}

export function createMessageLimiter(): MessageLimiter {
  const busy = new Map<string, number>()
  const lines = new Map<string, number>()
  const count = (key: string) => busy.get(key) ?? 0
  const add = (key: string, by: 1 | -1) => {
    const now = count(key) + by
    if (now === 0) busy.delete(key)
    else busy.set(key, now)
  }
  return {
    take: (turn) => {
      const places = placesOf(turn)
      const limits = LIMITS[places]
      const [all, shop, receiver] = keysOf(turn)
      if (count(all) >= limits.all || count(shop) >= limits.shop) return null
      if (count(receiver) >= limits.receiver) return null
      const taken = [all, shop, receiver]
      taken.forEach((key) => add(key, 1))
      return () => taken.forEach((key) => add(key, -1))
    },
    later: (turn) => {
      // All shops wait in one line for a server that they share.
      const [all, , receiver] = keysOf(turn)
      const line = turn.receiver === null && !turn.own ? all : receiver
      const now = performance.now()
      const at = Math.max(now + RETRY_MS, (lines.get(line) ?? 0) + APART_MS)
      forgetPast(lines, now)
      lines.set(line, at)
      return at - now
    },
  }
}

/** Keys of a message's places: of all, of its shop, of its receiver. */
function keysOf(turn: MessageTurn): [all: string, shop: string, receiver: string] {
  const all = placesOf(turn)
  const shop = `${all}/${turn.shop}`
  // Both groups of posts count for one receiver.
  return [all, shop, turn.receiver === null ? `${shop}/` : `${turn.shop}/${turn.receiver}`]
}

function placesOf({ kind, failing, own }: MessageTurn): Places {
  if (own) return 'ownMail'
  if (kind !== 'webhook' && kind !== 'callback') return kind
  return failing ? 'failing' : 'post'
}

/** Keeps the list as long as the receivers that have waiting messages. */
function forgetPast(lines: Map<string, number>, now: number): void {
  for (const [key, at] of lines) if (at < now) lines.delete(key)
}
