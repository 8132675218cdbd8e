// Tokens of the platform's checkout and account pages, which extensions send with their calls. They
// identify the buyer's shop and, if the buyer has signed in, the customer, but no order. The admin's tokens
// are another kind with another verifier (session-token.ts); neither verifier accepts the other
// kind.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../core/errors.ts'

/** The longest life of a token: the platform issues them for five minutes. */
const MAX_SECONDS = 300
const LEEWAY_SECONDS = 10
const MAX_LENGTH = 4096

const claimsSchema = z.object({
  // The shop's domain, with or without https://, as the surface writes it.
  dest: z
    .string()
    .regex(/^(https:\/\/)?[a-z0-9][a-z0-9-]*\.myshopify\.com\/?$/)
    .transform((dest) => dest.replace(/^https:\/\//, '').replace(/\/$/, '')),
  aud: z.string(),
  exp: z.number(),
  nbf: z.number(),
  iat: z.number(),
  // The customer; absent for guests. The admin's tokens name a staff member by a bare number.
  sub: z
    .string()
    .regex(/^gid:\/\/shopify\/Customer\/\d+$/)
    .optional(),
  // Only the admin's tokens have an issuer.
  iss: z.undefined().optional(),
})

export interface BuyerIdentity {
  shopDomain: string
  /** `gid://shopify/Customer/1`; null: a guest, or the app may not know the customer. */
  customer: string | null
}

/** The buyer whom a token names. Throws `AppError` `unauthenticated`. */
export function verifyBuyerToken(
  token: string,
  { apiKey, apiSecret }: { apiKey: string; apiSecret: string },
  now: Date,
): BuyerIdentity {
  const claims = claimsSchema.safeParse(signedClaims(token, apiSecret))
  if (!claims.success) throw new AppError('unauthenticated')
  const { dest, aud, exp, nbf, iat, sub = null } = claims.data
  const seconds = now.getTime() / 1000
  const current = exp > seconds && Math.max(nbf, iat) <= seconds + LEEWAY_SECONDS
  if (aud !== apiKey || !current || exp - iat > MAX_SECONDS + LEEWAY_SECONDS)
    throw new AppError('unauthenticated')
  return { shopDomain: dest, customer: sub }
}

/** The claims of a JWT that was signed by HS256 with this secret; null for any other text. */
function signedClaims(token: string, secret: string): unknown {
  if (token.length > MAX_LENGTH) return null
  const [header, payload, signature, ...rest] = token.split('.')
  if (!header || !payload || !signature || rest.length > 0) return null
  try {
    const { alg } = jsonOf(header) as { alg?: unknown }
    if (alg !== 'HS256') return null
    const expected = createHmac('sha256', secret).update(`${header}.${payload}`).digest()
    const given = Buffer.from(signature, 'base64url')
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
    return jsonOf(payload)
  } catch {
    return null
  }
}

const jsonOf = (part: string): unknown =>
  JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown
