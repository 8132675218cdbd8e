// Finds a process that was started with another secret than the one that the database was used
// with: it would write addresses of links and sealed values that the other processes cannot use.
import type { Database } from '../core/db/database.ts'
import { isSecretOf } from '../core/db/server-keys.ts'
import type { Logger } from '../core/log.ts'
import { hashKey, type Secrets } from '../core/secrets.ts'

interface LinkRow {
  id: string
  rotation: number
  key_hash: Buffer
}

/** Looks at one link, in any order: the table may be large, and most have one secret. */
const ANY_LINK = 'select id, rotation, key_hash from links limit 1'

export async function warnOfOtherSecret(
  { pool }: Database,
  secrets: Secrets,
  log: Logger,
): Promise<void> {
  if (!(await isSecretOf(pool, secrets)))
    log.error(
      'this database was used with another APP_SECRET: API keys, tokens and everything sealed in it ' +
        'cannot be read. Set that one, or add it to APP_SECRET_PREVIOUS',
    )
  const { rows } = await pool.query<LinkRow>(ANY_LINK)
  const [link] = rows
  if (
    !link ||
    hashKey(secrets.linkKey(link.id, link.rotation, link.key_hash)).equals(link.key_hash)
  )
    return
  log.warn(
    'this database has links that were made with another APP_SECRET, whose addresses cannot be ' +
      'shown; if you did not change it, set the same APP_SECRET on every machine',
  )
}
