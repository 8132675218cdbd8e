// The server's secret and everything that is derived from it: sealed columns, link keys, hashes of
// API keys.
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

export interface Secrets {
  /**
   * AES-256-GCM with a data key for each value. `about` names shop and column: a value that was
   * moved elsewhere cannot be opened.
   */
  seal(plain: string, about: string): Buffer
  /** Throws if the value was sealed with another secret or for another place. */
  open(sealed: Buffer, about: string): string
  /** A link's key: 256 bits, the same each time, and not computable from the database alone. */
  linkKey(linkId: string, rotation: number): string
  /** A hash of a buyer's address and agent, to recognise the client within a session. */
  clientHash(text: string): Buffer
  /** A separate key for another use. */
  derive(use: string): Buffer
}

const NONCE = 12
const TAG = 16
const KEY = 32
const SEAL_VERSION = 1

export function createSecrets(secret: string): Secrets {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, 'stevedore', use, KEY))
  const wrapping = derive('seal')
  const linkSecret = derive('link')
  const clientSecret = derive('client')
  return {
    derive,
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
      if (sealed[0] !== SEAL_VERSION) throw new Error('This value was sealed in an unknown format')
      const end = 1 + NONCE + KEY + TAG
      const dataKey = decrypt(wrapping, sealed.subarray(1, end), about)
      return decrypt(dataKey, sealed.subarray(end), about).toString()
    },
    linkKey: (linkId, rotation) =>
      createHmac('sha256', linkSecret).update(`${linkId}/${rotation}`).digest('base64url'),
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
