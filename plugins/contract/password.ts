// Passwords of downloads and of accounts. Only hashes are stored (argon2id, RFC 9106, with OWASP's
// parameters): a password cannot be read again.
import { argon2, hash, type Argon2Parameters } from 'node:crypto'
import { promisify } from 'node:util'
import { z } from 'zod'
import { sayFixed, sayPlain } from './text.ts'

const MIN_DOWNLOAD_PASSWORD = 6
const MAX_DOWNLOAD_PASSWORD = 200

/** Spaces at its ends are dropped: keyboards of phones add them. */
export const downloadPassword = z
  .string()
  .trim()
  .normalize('NFC')
  .min(
    MIN_DOWNLOAD_PASSWORD,
    sayFixed('At least {count} characters', { count: MIN_DOWNLOAD_PASSWORD }),
  )
  .max(
    MAX_DOWNLOAD_PASSWORD,
    sayFixed('At most {count} characters', { count: MAX_DOWNLOAD_PASSWORD }),
  )

/** What links ask for before a download, as options and requests give it. */
export interface GivenAsk {
  ask_for?: string | null | undefined
  password?: string | undefined
}

/** A password belongs to the choice that asks for one. */
export function checkAsk({ ask_for: asked, password }: GivenAsk, context: z.RefinementCtx): void {
  const wrong = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message })
  if (asked === 'password' && password === undefined)
    wrong('password', sayPlain('Enter the password'))
  if (password !== undefined && (asked ?? 'password') !== 'password')
    wrong('ask_for', sayPlain('Ask for either the email address or a password'))
}

const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }
const argon2Of = promisify<string, Argon2Parameters, Buffer>(argon2 as never)

/** The tag of a password. It takes 20 MB and a processor for some ten milliseconds. */
export const passwordTag = (
  password: string,
  parameters: Omit<Argon2Parameters, 'message'>,
): Promise<Buffer> => argon2Of('argon2id', { message: password, ...parameters })

/** The hash of a password, in the PHC string format. */
export async function passwordHash(password: string, nonce: Buffer): Promise<string> {
  const tag = await passwordTag(password, { nonce, ...COST })
  const { memory, passes, parallelism } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
}

/** A hash of `passwordHash`: memory, passes, parallelism, salt and tag. */
export const PASSWORD_HASH =
  /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]{22,})\$([A-Za-z0-9+/]{43})$/

/**
 * The hash of the password of downloads. Its salt is that of the shop: one password has one hash, so
 * that a change is the same for all files, and one answer opens all files with this password.
 */
export const downloadPasswordHash = (password: string, domain: string): Promise<string> =>
  passwordHash(password, hash('sha256', `downloads/${domain}`, 'buffer').subarray(0, 16))

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
