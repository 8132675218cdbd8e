// The keys in the database that outlive a change of the server's secret. All processes read them
// when they start.
import { createHash, randomBytes } from 'node:crypto'
import { createSecrets, type Secrets } from '../secrets.ts'
import type { Database } from './database.ts'

type Pool = Database['pool']

const LOOKUP = 'lookup'
const LINK = 'link/'
const ROOT_BYTES = 32

/** What a key of the server is sealed for. */
export const serverKeyPlace = (name: string): string => `server_keys.${name}`

/**
 * The secrets of a process. Keys that no configured secret opens are left out.
 * @param previous secrets that were used before.
 */
export async function openSecrets(
  pool: Pool,
  secret: string,
  previous: readonly string[],
): Promise<Secrets> {
  const bare = createSecrets(secret, { previous })
  const keys = await readKeys(pool, bare)
  if (keys === null) return bare
  if (!keys.has(LOOKUP)) {
    await addKey(pool, bare, LOOKUP, randomBytes(ROOT_BYTES).toString('base64'))
    for (const [name, key] of (await readKeys(pool, bare)) ?? []) keys.set(name, key)
  }
  const retiredLinkKeys = [...keys].flatMap(([name, key]) =>
    name.startsWith(LINK) && key !== null ? [Buffer.from(key, 'base64')] : [],
  )
  const lookupRoot = keys.get(LOOKUP) ?? secret
  return createSecrets(secret, { previous, retiredLinkKeys, lookupRoot })
}

/**
 * Keeps the keys of links that were made with earlier secrets, so that their addresses can be shown
 * when the secrets themselves are not configured any more.
 */
export async function keepLinkKeys(
  pool: Pool,
  secrets: Secrets,
  previous: readonly string[],
): Promise<void> {
  for (const each of previous) {
    const key = createSecrets(each).derive('link')
    const name = LINK + createHash('sha256').update(key).digest('hex').slice(0, 16)
    await addKey(pool, secrets, name, key.toString('base64'))
  }
}

/** The keys by name, each null if it cannot be opened; null: the table does not exist yet. */
async function readKeys(pool: Pool, secrets: Secrets): Promise<Map<string, string | null> | null> {
  const { rows: found } = await pool.query<{ exists: boolean }>(
    `select to_regclass('server_keys') is not null as exists`,
  )
  if (!found[0]?.exists) return null
  const { rows } = await pool.query<{ name: string; sealed: Buffer }>(
    'select name, sealed from server_keys',
  )
  return new Map(rows.map(({ name, sealed }) => [name, opened(secrets, name, sealed)]))
}

/**
 * Whether a configured secret opens the key that is written when a database is used first: without
 * it neither API keys nor anything sealed can be used.
 */
export async function isSecretOf(pool: Pool, secrets: Secrets): Promise<boolean> {
  return (await readKeys(pool, secrets))?.get(LOOKUP) !== null
}

function opened(secrets: Secrets, name: string, sealed: Buffer): string | null {
  try {
    return secrets.open(sealed, serverKeyPlace(name))
  } catch {
    return null
  }
}

const addKey = (pool: Pool, secrets: Secrets, name: string, key: string) =>
  pool.query('insert into server_keys (name, sealed) values ($1, $2) on conflict do nothing', [
    name,
    secrets.seal(key, serverKeyPlace(name)),
  ])
