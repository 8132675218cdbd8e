// Signatures of callbacks, after Standard Webhooks (github.com/standard-webhooks): a receiver can
// check origin, integrity and age, and recognise repeats.
import { createHmac } from 'node:crypto'
import type { Secrets } from '../secrets.ts'

const PREFIX = 'whsec_'

/**
 * The shop's own signing secret, `whsec_<base64>`: the same each time, derived from the server's.
 */
export function webhookSecret(secrets: Pick<Secrets, 'derive'>, shop: number): string {
  return PREFIX + secrets.derive(`webhook/${shop}`).toString('base64')
}

/** `id`: equal for every attempt of one message. `at`: the time of this attempt. */
export function signatureHeaders(
  secret: string,
  id: string,
  at: Date,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
