// The secrets that all processes of the drop server share: SSH host keys and, if none is
// configured, a certificate for FTP over TLS. The first process generates them; they are stored
// sealed in the database.
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import ssh2 from 'ssh2'
import type { Database } from '../../core/db/database.ts'
import { fingerprintOf } from './public-keys.ts'
import type { Certificate } from '../../core/configuration/drop-settings.ts'
import type { Secrets } from '../../core/secrets.ts'
import { present } from '../../core/lazy.ts'

const YEARS = 10

const isReadable = (key: string): boolean => !(ssh2.utils.parseKey(key) instanceof Error)

/**
 * Generates keys until ssh2 can read one: it cannot read about one in 250 of the Ed25519 keys.
 */
export async function readableKey(make: () => string | Promise<string>): Promise<string> {
  for (;;) {
    const key = await make()
    if (isReadable(key)) return key
  }
}

const RSA_BITS = 3072
const generate = promisify(generateKeyPair)

/** Generates an RSA key in the thread pool, because it takes a fraction of a second. */
async function rsaKey(): Promise<string> {
  const { privateKey } = await generate('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  return privateKey
}

/**
 * Reads the host keys, of the kinds that clients of the last fifteen years know, the best first.
 */
export async function hostKeys(database: Database, secrets: Secrets): Promise<string[]> {
  const { generateKeyPairSync } = ssh2.utils
  const ed25519 = () => generateKeyPairSync('ed25519').private
  const ecdsa = () => generateKeyPairSync('ecdsa', { bits: 256 }).private
  const keyOf = (name: string, make: () => string | Promise<string>) =>
    sharedSecret(database, secrets, { name, make: () => readableKey(make), isUsable: isReadable })
  return Promise.all([
    keyOf('host-key-ed25519', ed25519),
    keyOf('host-key-ecdsa', ecdsa),
    keyOf('host-key-rsa', rsaKey),
  ])
}

export async function ownCertificate(
  database: Database,
  secrets: Secrets,
  host: string,
): Promise<Certificate> {
  const make = async () => {
    // Every server imports this module, and few make a certificate.
    const { generate } = await import('selfsigned')
    const notAfterDate = new Date()
    notAfterDate.setFullYear(notAfterDate.getFullYear() + YEARS)
    const made = await generate([{ name: 'commonName', value: host }], {
      keyType: 'ec',
      curve: 'P-256',
      notAfterDate,
    })
    return JSON.stringify({ key: made.private, cert: made.cert })
  }
  return JSON.parse(
    await sharedSecret(database, secrets, { name: `certificate ${host}`, make }),
  ) as Certificate
}

interface SecretSource {
  name: string
  make: () => Promise<string>
  /** Whether a stored secret can be used; otherwise it is replaced. */
  isUsable?: (secret: string) => boolean
}

/** What a secret of the drop server is sealed for. */
export const dropSecretPlace = (name: string): string => `drop_secrets.${name}`

async function sharedSecret(
  { pool }: Database,
  secrets: Secrets,
  { name, make, isUsable = () => true }: SecretSource,
): Promise<string> {
  const about = dropSecretPlace(name)
  const find = async () => {
    const { rows } = await pool.query<{ sealed: Buffer }>(
      'select sealed from drop_secrets where name = $1',
      [name],
    )
    return rows[0] ? opened(secrets, rows[0].sealed, about) : null
  }
  const known = await find()
  if (known !== null && isUsable(known)) return known
  if (known !== null) await pool.query('delete from drop_secrets where name = $1', [name])
  const sealed = secrets.seal(await make(), about)
  await pool.query(
    'insert into drop_secrets (name, sealed) values ($1, $2) on conflict do nothing',
    [name, sealed],
  )
  // If two processes generate one concurrently, both use the first.
  return present(await find(), `The secret ${name}`)
}

function opened(secrets: Secrets, sealed: Buffer, about: string): string {
  try {
    return secrets.open(sealed, about)
  } catch (cause) {
    throw new Error(
      'The keys of the drop server were sealed with another APP_SECRET: set that one, or add it to APP_SECRET_PREVIOUS.',
      { cause },
    )
  }
}

export interface HostKey {
  type: string
  /** The fingerprint as clients show it at their first connection: `SHA256:…`. */
  fingerprint: string
}

export async function hostKeyFingerprints(
  database: Database,
  secrets: Secrets,
): Promise<HostKey[]> {
  return (await hostKeys(database, secrets)).flatMap((pem) => {
    const key = ssh2.utils.parseKey(pem)
    return key instanceof Error ? [] : [{ type: key.type, fingerprint: fingerprintOf(key) }]
  })
}
