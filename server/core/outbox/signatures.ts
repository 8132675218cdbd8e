// Signatures of callbacks and webhooks, after Standard Webhooks (github.com/standard-webhooks): a
// receiver can check origin, integrity and age, and recognise repeats.
import { createHmac, randomBytes } from 'node:crypto'
import type { Secrets } from '../secrets.ts'

const PREFIX = 'whsec_'
const KEY_BYTES = 32

/**
 * The shop's own signing secret of callbacks, `whsec_<base64>`: the same each time, derived from
 * the server's.
 */
export function webhookSecret(secrets: Pick<Secrets, 'derive'>, shop: number): string {
  return secretOf(secrets.derive(webhookUse(shop)))
}

/**
 * With those of the server's previous secrets: all of them sign, until merchants have copied the
 * current one to their receivers.
 */
export const webhookSecrets = (secrets: Pick<Secrets, 'deriveAll'>, shop: number): string[] =>
  secrets.deriveAll(webhookUse(shop)).map(secretOf)

const webhookUse = (shop: number) => `webhook/${shop}`
const secretOf = (key: Buffer) => PREFIX + key.toString('base64')

/** A new secret of one webhook. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(KEY_BYTES).toString('base64')

/**
 * `signingSecrets`: each makes a signature; a receiver accepts any of them. `id`: equal for every
 * attempt of one message. `at`: the time of this attempt.
 */
export function signatureHeaders(
  signingSecrets: readonly string[],
  id: string,
  at: Date,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const sign = (secret: string) =>
    `v1,${createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signingSecrets.map(sign).join(' '),
  }
}
