// Who asks: a hash of the address and agent, by which a session knows its client again.
import type { IncomingMessage } from 'node:http'
import type { Secrets } from '../secrets.ts'

// A client that resumes, or that takes many files, asks many times: its hash is made once.
const KEPT = 2000

/** Gives the hash of a request's client. */
export function createClients(secrets: Pick<Secrets, 'clientHash'>, trustProxy: boolean) {
  const known = new Map<string, Buffer>()
  return (request: IncomingMessage): Buffer => {
    const client = `${addressOf(request, trustProxy)}\n${request.headers['user-agent'] ?? ''}`
    const kept = known.get(client)
    if (kept) return kept
    const hash = secrets.clientHash(client)
    if (known.size >= KEPT) known.clear()
    known.set(client, hash)
    return hash
  }
}

/**
 * Behind a proxy of ours, the last of X-Forwarded-For: the one that the proxy wrote. Those before it are whatever the
 * client said.
 */
function addressOf(request: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? request.headers['x-forwarded-for'] : undefined
  return (
    String(forwarded ?? '')
      .split(',')
      .at(-1)!
      .trim() ||
    (request.socket.remoteAddress ?? '')
  )
}
