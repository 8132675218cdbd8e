// The platform's signature of a webhook: HMAC-SHA256 of the raw body under the app's secret.
import { createHmac, timingSafeEqual } from 'node:crypto'

const BYTES = 32

/** 32 bytes in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/

/** Can this be a signature? Whether it is one, the body shows. */
export const isSignature = (header: string): boolean => SIGNATURE.test(header)

/**
 * Was the signature made with one of the secrets? All are compared, in constant time.
 * @param header X-Shopify-Hmac-Sha256, in base64.
 */
export function isSigned(body: Buffer, header: string, secrets: readonly string[]): boolean {
  const given = Buffer.from(header, 'base64')
  if (given.length !== BYTES) return false
  const matches = secrets.map((secret) =>
    timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given),
  )
  return matches.includes(true)
}
