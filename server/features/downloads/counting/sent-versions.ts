// Which version of a public file each client was last sent from its first byte. Public files have no
// sessions, so this process remembers it: another one sends the whole file.
import type { Client } from '../../../http/clients.ts'
import type { PublicTarget } from './public-counter.ts'

const MANY = 10_000
/** As long as a session of a link. */
const KEPT_MS = 30 * 60_000

interface Sent {
  hash: string
  until: number
}

export class SentVersions {
  readonly #sent = new Map<string, Sent>()

  /** The client is sent the file from its first byte, and may continue it. */
  note(target: PublicTarget, client: Client, now: Date): void {
    // A file that was never replaced has no other version to be told from.
    if (target.steady) return
    const key = keyOf(target, client)
    this.#sent.delete(key)
    this.#sent.set(key, { hash: target.hash, until: now.getTime() + KEPT_MS })
    const [oldest] = this.#sent.keys()
    if (this.#sent.size > MANY && oldest !== undefined) this.#sent.delete(oldest)
  }

  /** Whether a later part continues the version that the client has the beginning of. */
  continues(target: PublicTarget, client: Client, now: Date): boolean {
    if (target.steady) return true
    const sent = this.#sent.get(keyOf(target, client))
    if (sent?.hash !== target.hash || sent.until <= now.getTime()) return false
    this.note(target, client, now)
    return true
  }
}

const keyOf = ({ token }: PublicTarget, { hash }: Client): string =>
  `${token} ${hash.toString('base64')}`
