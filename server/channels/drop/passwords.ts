// Passwords of drop accounts: generated, stored as argon2id (RFC 9106; with OWASP's parameters),
// compared in constant time.
import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'

const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/
/** Runs on the thread pool, which has four threads: at most four use their memory. */
const derive = promisify<string, Argon2Parameters, Buffer>(argon2 as never)

/** 24 characters, 144 random bits. */
export const newPassword = (): string => randomBytes(18).toString('base64url')

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { message: password, nonce, ...COST })
  const { memory, passes, parallelism } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
}

export async function isPassword(password: string, phc: string): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = PHC.exec(phc) ?? []
  if (tag === undefined) return false
  const expected = Buffer.from(tag, 'base64')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const parameters = {
    message: password,
    nonce: Buffer.from(nonce!, 'base64'),
    tagLength: expected.length,
    ...cost,
  }
  return timingSafeEqual(await derive('argon2id', parameters), expected)
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
