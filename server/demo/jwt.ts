// Signed tokens of the demo platform: HS256 only.
import { createHmac, timingSafeEqual } from 'node:crypto'

export type Claims = Record<string, unknown>

const HEADER = encode({ alg: 'HS256', typ: 'JWT' })

export function signToken(claims: Claims, secret: string): string {
  const body = `${HEADER}.${encode(claims)}`
  return `${body}.${mac(body, secret)}`
}

/** The claims of a token that was signed with this secret and is valid now; otherwise null. */
export function readToken(token: string, secret: string): Claims | null {
  const [header, payload, signature, ...rest] = token.split('.')
  if (!header || payload === undefined || signature === undefined || rest.length > 0) return null
  const expected = Buffer.from(mac(`${header}.${payload}`, secret))
  const given = Buffer.from(signature)
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return null
  if (decode(header).alg !== 'HS256') return null
  const claims = decode(payload)
  const now = Date.now() / 1000
  const early = typeof claims.nbf === 'number' && claims.nbf > now + 10
  return typeof claims.exp === 'number' && claims.exp > now && !early ? claims : null
}

const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function mac(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}
