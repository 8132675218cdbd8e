// Passwords of drop accounts: generated, stored as argon2id (RFC 9106; with OWASP's parameters),
// compared in constant time.
import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import { createSemaphore } from '../../core/semaphore.ts'

const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/
const argon2Of = promisify<string, Argon2Parameters, Buffer>(argon2 as never)
/**
 * Limits concurrent hashes: each uses 20 MB and a processor, so more at a time would take longer.
 */
const turns = createSemaphore(2)

async function derive(algorithm: string, parameters: Argon2Parameters): Promise<Buffer> {
  const release = await turns.acquire()
  try {
    return await argon2Of(algorithm, parameters)
  } finally {
    release()
  }
}

/** Generates a password: 24 characters, 144 random bits. */
export const newPassword = (): string => randomBytes(18).toString('base64url')

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { message: password, nonce, ...COST })
  const { memory, passes, parallelism } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
}

export async function isPassword(password: string, phc: string): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = PHC.exec(phc) ?? []
  if (nonce === undefined || tag === undefined) return false
  const expected = Buffer.from(tag, 'base64')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const parameters = {
    message: password,
    nonce: Buffer.from(nonce, 'base64'),
    tagLength: expected.length,
    ...cost,
  }
  return timingSafeEqual(await derive('argon2id', parameters), expected)
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
