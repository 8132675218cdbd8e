// Whether the processes of this installation share one folder of uploads. Each folder has a marker,
// and a number in the database; a process holds the advisory lock of its folder's number.
import type { Database } from '../../core/db/database.ts'
import type { Listener } from '../../core/db/listener.ts'
import { UPLOAD_FOLDER_LOCKS } from '../../core/db/lock-classes.ts'
import type { Role } from '../../core/configuration/environment-schema.ts'
import type { Logger } from '../../core/log.ts'
import { firstOf } from '../../core/lazy.ts'
import type { FolderSharing, UploadFolder } from './folder.ts'

/** How long an answer about the other processes is cached. */
const KNOWN_MS = 5000

export interface JoinParts {
  database: Database
  listener: Listener
  roles: readonly Role[]
  log: Logger
  /** The current time in milliseconds, for tests. */
  now?: () => number
}

/**
 * Registers this process for its folder, and logs if the folder is not the one of the others. The
 * folder that was registered first counts, among those of living processes.
 */
export async function joinFolder(folder: UploadFolder, parts: JoinParts): Promise<UploadFolder> {
  const { database, listener, roles, log, now = () => performance.now() } = parts
  const { rows } = await database.pool.query<{ number: number }>(
    `insert into upload_folders (marker) values ($1)
     on conflict (marker) do update set marker = excluded.marker returning number`,
    [await folder.marker()],
  )
  const { number } = firstOf(rows)
  for (const isWorker of [false, true])
    if (roles.includes(isWorker ? 'worker' : 'web'))
      await listener.hold(lockOf(number, isWorker), UPLOAD_FOLDER_LOCKS, 'shared')
  let known: { at: number; shared: Promise<boolean> } | null = null
  let before = true
  const check = async () => {
    const shared = isShared(await livingFolders(database), number)
    if (shared !== before) report(log, folder.path, shared)
    return (before = shared)
  }
  const sharing: FolderSharing = {
    number,
    isShared: () => {
      if (!known || now() - known.at > KNOWN_MS) known = { at: now(), shared: check() }
      return known.shared.catch((error: unknown) => {
        known = null
        throw error
      })
    },
  }
  if (!folder.useBucket) await sharing.isShared()
  return { ...folder, sharing }
}

/** Whether another folder than this process's has the upload's bytes. */
export const isElsewhere = (
  { sharing, bucket }: UploadFolder,
  { folder }: { folder: number | null },
): boolean =>
  folder !== null &&
  sharing.number !== null &&
  folder !== sharing.number &&
  folder !== bucket?.number

/**
 * The lock of a folder's number. Each number has two: one for processes that receive uploads, one
 * for those that import.
 */
const lockOf = (number: number, isWorker: boolean): number => number * 2 + (isWorker ? 1 : 0)

interface LivingFolder {
  number: number
  /** Whether a worker uses the folder. */
  imports: boolean
}

async function livingFolders({ pool }: Database): Promise<LivingFolder[]> {
  const { rows } = await pool.query<LivingFolder>(
    `select (objid::bigint / 2)::int as number, bool_or(objid::bigint % 2 = 1) as imports
     from pg_locks where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database())
     group by 1`,
    [UPLOAD_FOLDER_LOCKS],
  )
  return rows
}

const isShared = (living: readonly LivingFolder[], own: number): boolean =>
  living.every(({ number, imports }) => number === own || (number > own && !imports))

function report(log: Logger, folder: string, shared: boolean): void {
  if (shared) log.info('all processes use one folder of uploads now', { folder })
  else
    log.error(
      'the folder of uploads is not the one of the other processes: uploads are refused until all use the same folder (DATA_DIR/uploads on a shared disk)',
      { folder },
    )
}
