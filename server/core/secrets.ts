// The server's secret and everything that is derived from it: sealed columns, link keys, hashes of
// API keys. What outlives a change of the secret: docs/decisions/0052.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { makeDataFolder } from './make-folder.ts'
import { firstOf } from './lazy.ts'

export interface Secrets {
  /**
   * AES-256-GCM with a data key for each value. `about` names shop and column: a value that was
   * moved elsewhere cannot be opened.
   */
  seal(plain: string, about: string): Buffer
  /** Throws if the value was sealed with another secret or for another place. */
  open(sealed: Buffer, about: string): string
  /**
   * The same value, sealed with the current secret; null if it is already. Throws as `open` does.
   */
  reseal(sealed: Buffer, about: string): Buffer | null
  /**
   * A link's key: 256 bits, the same each time, and not computable from the database alone.
   * @param keyHash of an existing link, whose key may have been made with a previous secret.
   */
  linkKey(linkId: string, rotation: number, keyHash?: Buffer): string
  /** A hash of a buyer's address and agent, to recognise the client within a session. */
  clientHash(text: string): Buffer
  /** A separate key for another use. */
  derive(use: string): Buffer
  /** The same key of the current secret and of each previous one: what they signed is valid. */
  deriveAll(use: string): readonly Buffer[]
  /** A key for hashes that rows are found by. It stays the same when the secret is replaced. */
  lookupKey(use: string): Buffer
}

export interface KnownKeys {
  /** Secrets that were used before: what they sealed is opened. */
  previous?: readonly string[]
  /** What `lookupKey` derives from; absent: from the secret. */
  lookupRoot?: string
  /** Keys of links of secrets that are not configured any more. */
  retiredLinkKeys?: readonly Buffer[]
}

const NONCE = 12
const TAG = 16
const KEY = 32
const SEAL_VERSION = 1
/** The beginning of a sealed value: only this part depends on the secret. */
export const SEAL_HEAD_BYTES = 1 + NONCE + KEY + TAG

const deriveFrom = (secret: string, use: string) =>
  Buffer.from(hkdfSync('sha256', secret, 'stevedore', use, KEY))

/**
 * What is derived from the server’s secret, and opens what earlier secrets sealed.
 * @param secret APP_SECRET. What is sealed under it is lost with it
 */
export function createSecrets(
  secret: string,
  { previous = [], lookupRoot = secret, retiredLinkKeys = [] }: KnownKeys = {},
): Secrets {
  const deriveAll = (use: string) => [secret, ...previous].map((each) => deriveFrom(each, use))
  const derive = (use: string) => deriveFrom(secret, use)
  const lookupKey = (use: string) => deriveFrom(lookupRoot, use)
  const wrappings = deriveAll('seal')
  const wrapping = firstOf(wrappings)
  const linkSecrets = [...deriveAll('link'), ...retiredLinkKeys]
  const linkSecret = firstOf(linkSecrets)
  const earlierLinkSecrets = linkSecrets.slice(1)
  const clientSecret = lookupKey('client')
  return {
    derive,
    deriveAll,
    lookupKey,
    seal: (plain, about) => {
      const dataKey = randomBytes(KEY)
      const wrapped = encrypt(wrapping, dataKey, about)
      return Buffer.concat([
        Buffer.of(SEAL_VERSION),
        wrapped,
        encrypt(dataKey, Buffer.from(plain), about),
      ])
    },
    open: (sealed, about) => {
      const { dataKey } = unwrap(wrappings, sealed, about)
      return decrypt(dataKey, sealed.subarray(SEAL_HEAD_BYTES), about).toString()
    },
    reseal: (sealed, about) => {
      const { dataKey, by } = unwrap(wrappings, sealed, about)
      if (by === 0) return null
      return Buffer.concat([
        Buffer.of(SEAL_VERSION),
        encrypt(wrapping, dataKey, about),
        sealed.subarray(SEAL_HEAD_BYTES),
      ])
    },
    linkKey: (linkId, rotation, keyHash) => {
      const keyBy = (key: Buffer) =>
        createHmac('sha256', key).update(`${linkId}/${rotation}`).digest('base64url')
      const current = keyBy(linkSecret)
      if (!keyHash || earlierLinkSecrets.length === 0 || hashKey(current).equals(keyHash))
        return current
      for (const secret of earlierLinkSecrets) {
        const key = keyBy(secret)
        if (hashKey(key).equals(keyHash)) return key
      }
      return current
    },
    clientHash: (text) => createHmac('sha256', clientSecret).update(text).digest().subarray(0, 16),
  }
}

/** What the database stores of a key with 256 random bits. */
export const hashKey = (key: string): Buffer => hash('sha256', key, 'buffer')

/**
 * The secret in `<dataDir>/secret`, generated at the first start. Throws `ConfigError` if the
 * folder cannot be created.
 */
export async function ensureSecret(dataDir: string): Promise<string> {
  makeDataFolder(dataDir)
  const file = path.join(dataDir, 'secret')
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(randomBytes(KEY).toString('hex') + '\n')
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const secret = (await readFile(file, 'utf8')).trim()
  if (secret.length < KEY)
    throw new Error(`${file} is damaged: links and sealed values depend on it. Restore it.`)
  return secret
}

/** The data key of a sealed value, and which of the keys opened it. Throws if none does. */
function unwrap(
  wrappings: readonly Buffer[],
  sealed: Buffer,
  about: string,
): { dataKey: Buffer; by: number } {
  if (sealed[0] !== SEAL_VERSION) throw new Error('This value was sealed in an unknown format')
  let failure: unknown
  for (const [by, key] of wrappings.entries())
    try {
      return { dataKey: decrypt(key, sealed.subarray(1, SEAL_HEAD_BYTES), about), by }
    } catch (error) {
      failure ??= error
    }
  throw failure
}

/** The secret in `<dataDir>/secret`; null if there is none. */
export async function findSecret(dataDir: string): Promise<string | null> {
  const text = await readFile(path.join(dataDir, 'secret'), 'utf8').catch(() => null)
  return text?.trim() ?? null
}

function encrypt(key: Buffer, plain: Buffer, about: string): Buffer {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about))
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: Buffer, sealed: Buffer, about: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE)).setAAD(
    Buffer.from(about),
  )
  decipher.setAuthTag(sealed.subarray(-TAG))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()])
}
