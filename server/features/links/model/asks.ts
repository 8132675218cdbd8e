// What a link asks before its file can be had: the buyer's email address, or a password.
import { shownAsk } from '../../../../plugins/contract/index.ts'

export const ASKS_NOTHING = 'nothing'

/**
 * SQL: what the link `l` asks for before a download of the file `f`: `nothing`, `email`, or the hash
 * of a password. The link's own choice wins over that of its parent `p`, and both over the file's.
 */
export const askOf = (l: string, p: string): string => askWithin(l, `${p}.ask_for`)

/** SQL: the same, with the value of its parent. */
export const askWithin = (l: string, ofParent: string): string =>
  `coalesce(${l}.ask_for, ${ofParent}, f.ask_for, '${ASKS_NOTHING}')`

/** A question that must be answered before a download. */
export interface Gate {
  /** `email`, or the hash of a password. */
  asks: string
  /**
   * The link with which one answer opens all links that ask the same: the page of a delivery or a
   * pack, or the link itself. A bare UUID.
   */
  root: string
  /** The address that is the right answer; null: any, which is recorded. */
  email: string | null
}

/** Null: nothing is asked for. */
export const gateOf = (asks: string, root: string, email: string | null): Gate | null =>
  asks === ASKS_NOTHING ? null : { asks, root, email }

export const asksForPassword = (asks: string): boolean => asks !== 'email'

/** Of a value of `askOf`: without the hash. Null: it asks for nothing. */
export const shownAskOf = (asks: string): 'email' | 'password' | null =>
  asks === ASKS_NOTHING ? null : shownAsk(asks)
