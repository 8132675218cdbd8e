// Passwords: generated, stored as argon2id, compared in constant time.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { PASSWORD_HASH, passwordHash, passwordTag } from '../../plugins/contract/index.ts'
import { createSemaphore } from './body-budget.ts'

/**
 * Limits concurrent hashes: each uses 20 MB and a processor, so more at a time would take longer.
 */
const turns = createSemaphore(2)

async function inTurn<Result>(derive: () => Promise<Result>): Promise<Result> {
  const release = await turns.acquire()
  try {
    return await derive()
  } finally {
    release()
  }
}

/** Generates a password: 24 characters, 144 random bits. */
export const newPassword = (): string => randomBytes(18).toString('base64url')

export const hashPassword = (password: string): Promise<string> =>
  inTurn(() => passwordHash(password, randomBytes(16)))

export async function isPassword(password: string, phc: string): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = PASSWORD_HASH.exec(phc) ?? []
  if (nonce === undefined || tag === undefined) return false
  const expected = Buffer.from(tag, 'base64')
  const parameters = {
    nonce: Buffer.from(nonce, 'base64'),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  }
  return timingSafeEqual(await inTurn(() => passwordTag(password, parameters)), expected)
}
