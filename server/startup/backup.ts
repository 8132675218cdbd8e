// A backup in one folder: a dump of the database as of one moment, then the bytes that its rows
// name. Bytes are kept for a day after their last use, so those of the dump are still there.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Database } from '../core/db/database.ts'
import { dumpDatabase, loadDump, type Dump } from '../core/db/dump.ts'
import { migrate, migrationsOf } from '../core/db/migrate.ts'
import { createSecrets } from '../core/secrets.ts'
import { createDiskStore } from '../core/store/disk.ts'
import { StoreError, type BlobStore } from '../core/store/store.ts'
import type { StoredBlob } from '../files/blob-checks.ts'
import { isStillLocated, readLocatedBlobs, type LocatedBlob } from '../files/located-blobs.ts'

const FORMAT = 1
const MANIFEST = 'manifest.json'

export interface BackupManifest {
  format: number
  created_at: string
  /** The folder of the dump. */
  database: string
  /** Fingerprints of the secrets, the current one first: the restored server needs them. */
  secrets: string[]
  /** The locations whose bytes are in the folder. */
  locations: string[]
  dump: Dump
}

export interface BackupParts {
  database: Database
  stores: ReadonlyMap<string, BlobStore>
  /** The current secret, then the previous ones. */
  secrets: readonly string[]
  folder: string
  signal: AbortSignal
  progress(text: string): void
}

export interface BackupResult {
  rows: number
  /** Blobs that were copied now; others were in the folder already. */
  copied: number
  blobs: number
  /** Blobs that are missing or damaged at their location. */
  failed: StoredBlob[]
}

/** Says which secret was used, and nothing about it. */
const secretFingerprint = (secret: string): string =>
  createHash('sha256').update(createSecrets(secret).derive('backup')).digest('hex').slice(0, 16)

const rowsOf = ({ tables }: Dump): number => tables.reduce((sum, { rows }) => sum + rows, 0)

const blobFolder = (folder: string, location: string) => path.join(folder, 'blobs', location)

/**
 * A folder with an earlier backup gets only the blobs that it does not have yet. The manifest is
 * replaced last: until then the earlier backup is complete.
 * @param withBytes false: the bytes are copied by other means, after this.
 */
export async function backUp(parts: BackupParts, withBytes: boolean): Promise<BackupResult> {
  const { database, stores, folder, progress } = parts
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const created = new Date()
  const name = `database-${created.toISOString().replace(/[:.]/g, '-')}`
  const dump = await dumpDatabase(database, path.join(folder, name), (table) =>
    progress(`database: ${table}`),
  )
  const result: BackupResult = { rows: rowsOf(dump), copied: 0, blobs: 0, failed: [] }
  if (withBytes) await copyBlobs(parts, result)
  const manifest: BackupManifest = {
    format: FORMAT,
    created_at: created.toISOString(),
    database: name,
    dump,
    secrets: parts.secrets.map(secretFingerprint),
    locations: withBytes ? [...stores.keys()] : [],
  }
  const file = path.join(folder, MANIFEST)
  await writeFile(`${file}.new`, JSON.stringify(manifest, null, 2), { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  for (const other of await readdir(folder))
    if (other.startsWith('database-') && other !== name)
      await rm(path.join(folder, other), { recursive: true })
  return result
}

/** Rows that were added since the dump do no harm. */
async function copyBlobs(parts: BackupParts, result: BackupResult): Promise<void> {
  const { database, stores, folder, signal, progress } = parts
  const copies = new Map(
    [...stores.keys()].map((name) => [name, createDiskStore({ folder: blobFolder(folder, name) })]),
  )
  for (let after: StoredBlob | null = null; ;) {
    const page: readonly LocatedBlob[] = await readLocatedBlobs(database.pool, after)
    if (page.length === 0) return
    for (const { size_bytes, ...blob } of page) {
      signal.throwIfAborted()
      after = blob
      result.blobs++
      const [from, to] = [stores.get(blob.location), copies.get(blob.location)]
      if (!from || !to) throw new Error(`There is no storage location ${blob.location}.`)
      if ((await to.size(blob.shop, blob.hash)) === size_bytes) continue
      if (await copyBlob(from, to, blob, signal)) result.copied++
      else if (await isStillLocated(database.pool, blob)) result.failed.push(blob)
      progress(`bytes: ${result.blobs} blobs, ${result.copied} copied`)
    }
  }
}

/** False if the bytes are missing, or are not those of the hash; then nothing is left there. */
async function copyBlob(
  from: BlobStore,
  to: BlobStore,
  { shop, hash }: StoredBlob,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const written = await to.write(shop, await from.read(shop, hash), signal)
    if (written.hash === hash) return true
    await to.remove(shop, written.hash)
    return false
  } catch (error) {
    if (error instanceof StoreError && error.code === 'missing') return false
    throw error
  }
}

export interface RestoreResult {
  rows: number
  copied: number
  failed: StoredBlob[]
}

/** Throws if the folder has no complete backup, or one for another secret or a newer version. */
export async function readBackupManifest(
  folder: string,
  secrets: readonly string[],
): Promise<BackupManifest> {
  const text = await readFile(path.join(folder, MANIFEST), 'utf8').catch(() => null)
  if (text === null) throw new Error(`${folder} has no complete backup: ${MANIFEST} is missing.`)
  const manifest = JSON.parse(text) as BackupManifest
  if (manifest.format !== FORMAT)
    throw new Error(`The backup has format ${manifest.format}: a newer version is needed.`)
  const known = secrets.map(secretFingerprint)
  const [current, ...previous] = manifest.secrets
  if (current !== undefined && known[0] !== current)
    throw new Error(
      'The backup was made with another secret: set the same APP_SECRET, or copy it to DATA_DIR/secret.',
    )
  if (!previous.every((each) => known.includes(each)))
    throw new Error(
      'The backup was made while the secret was being replaced: set the same APP_SECRET_PREVIOUS.',
    )
  return manifest
}

/**
 * Bytes first, then the rows in one transaction: the database stays empty until all of its bytes
 * are there. An interrupted run is continued by starting it again.
 */
export async function restoreBackup(
  parts: BackupParts,
  manifest: BackupManifest,
): Promise<RestoreResult> {
  const { database, folder, progress } = parts
  await requireEmpty(database)
  const result: RestoreResult = { rows: 0, copied: 0, failed: [] }
  for (const location of manifest.locations) await restoreBlobs(parts, location, result)
  const { dump } = manifest
  const migrations = await migrationsOf(dump.migrations)
  await migrate(database, { migrations })
  const { rows } = await database.pool.query<{ newest: number }>(
    'select max(id) as newest from graphile_worker.migrations',
  )
  if ((rows[0]?.newest ?? 0) < dump.workerMigration)
    throw new Error('A newer version is needed: the backup has a newer queue of jobs.')
  await loadDump(database, path.join(folder, manifest.database), dump, (table) =>
    progress(`database: ${table}`),
  )
  await migrate(database)
  result.rows = rowsOf(dump)
  return result
}

async function requireEmpty({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ exists: boolean }>(
    `select to_regclass('public.shops') is not null as exists`,
  )
  if (!rows[0]?.exists) return
  const { rowCount } = await pool.query('select from shops limit 1')
  if (rowCount !== 0)
    throw new Error('The database is not empty. Restore into a new database and a new DATA_DIR.')
}

const NOTHING: ReadonlySet<string> = new Set()
/** Every blob is older than this. */
const ANY_AGE = -365 * 24 * 60 * 60 * 1000

async function restoreBlobs(
  { stores, folder, signal, progress }: BackupParts,
  location: string,
  result: RestoreResult,
): Promise<void> {
  const to = stores.get(location)
  if (!to) throw new Error(`There is no storage location ${location}.`)
  const from = createDiskStore({ folder: blobFolder(folder, location) })
  for await (const { shop, hash } of from.orphans(ANY_AGE, () => Promise.resolve(NOTHING))) {
    signal.throwIfAborted()
    const size = await from.size(shop, hash)
    if ((await to.size(shop, hash)) === size) continue
    if (await copyBlob(from, to, { shop, hash, location }, signal)) result.copied++
    else result.failed.push({ shop, hash, location })
    progress(`bytes: ${location}, ${result.copied} copied`)
  }
}
