// Applies the import.csv files of a drop folder: the files in the same folder get the settings of
// their rows. An import.csv is moved away when the file of each row has arrived.
import {
  english,
  say,
  sentence,
  sentences,
  type AnyText,
  type Text,
} from '../../../../plugins/contract/index.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { AppError, MAX_DETAILS } from '../../../core/errors.ts'
import type { WholeBlobs } from '../../../files/whole-blobs.ts'
import { nameKey } from '../../../files/rules.ts'
import { StoreError, type BlobStore } from '../../../core/store/store.ts'
import { raiseNoticeOnce } from '../../../core/outbox/notices.ts'
import { present } from '../../../core/lazy.ts'
import { ENTRY, type DropEntry } from '../entries.ts'
import { joinPath } from '../paths.ts'
import { lockSettings } from '../settings.ts'
import type { ClaimedFile } from './claim.ts'
import { fileFailed, fileProcessed } from './filing.ts'
import { MANIFEST, MAX_MANIFEST_BYTES, readManifest, type Manifest } from './manifest.ts'

export interface ManifestParts {
  stores: ReadonlyMap<string, BlobStore>
  /** Compares the bytes of an import.csv. */
  blobs: WholeBlobs
}

/** How long rows wait for files that have not arrived. */
const ROWS_WAIT = '1 hour'

export interface ManifestRequest {
  ready: readonly DropEntry[]
  dryRun: boolean
}

/**
 * Applies the import.csv of each folder and returns the files to import. Files with a faulty row
 * are moved to /failed/; in a dry run this throws `invalid_csv` instead.
 */
export async function withManifests(
  parts: ManifestParts,
  tx: ShopScope,
  { ready, dryRun }: ManifestRequest,
): Promise<ClaimedFile[]> {
  const folders = Map.groupBy(ready, ({ folder }) => folder)
  const taken: ClaimedFile[] = []
  for (const [folder, entries] of folders) {
    const manifest = entries.find(({ name }) => MANIFEST.test(name))
    const files = entries.filter(({ name }) => !MANIFEST.test(name))
    if (manifest && dryRun) taken.push(...(await previewManifest(parts, tx, { manifest, files })))
    else if (manifest) taken.push(...(await applyManifest(parts, tx, { manifest, files })))
    else if (!(await isManifestArriving(tx, folder)))
      taken.push(...files.map((entry) => ({ entry, row: null })))
  }
  return taken
}

/** Is an import.csv being sent, or has it arrived without being ready? Its files wait for it. */
const isManifestArriving = (tx: ShopScope, folder: string): Promise<boolean> =>
  tx.has(
    `select 1 from drop_entries where shop_id = :shop and folder = :folder and kind = 'file'
       and name ~* '^import[.]csv$' and state in ('writing', 'waiting')`,
    { folder },
  )

interface ManifestFiles {
  manifest: DropEntry
  files: readonly DropEntry[]
}

const withRow = (entry: DropEntry, manifest: DropEntry, { rows }: Manifest): ClaimedFile => {
  const row = rows.get(nameKey(entry.name))
  return { entry, row: row ? { manifest: manifest.id, values: row.values } : null }
}

async function previewManifest(
  parts: ManifestParts,
  tx: ShopScope,
  { manifest, files }: ManifestFiles,
): Promise<ClaimedFile[]> {
  const read = await readManifest(await bytesOf(parts, tx, manifest))
  const wrong = files.flatMap(({ name }) => read.wrong.get(nameKey(name)) ?? [])
  if (wrong.length > 0) {
    const path = joinPath(manifest.folder, manifest.name)
    const details = wrong.map((message) => ({ param: path, code: 'invalid_csv' as const, message }))
    throw new AppError('invalid_csv', { details })
  }
  return files.map((entry) => withRow(entry, manifest, read))
}

async function applyManifest(
  parts: ManifestParts,
  tx: ShopScope,
  { manifest, files }: ManifestFiles,
): Promise<ClaimedFile[]> {
  const filing = { scope: tx, stores: parts.stores }
  let read: Manifest
  try {
    read = await readManifest(await bytesOf(parts, tx, manifest))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, details } = error
    const reason = { code, message, detail: details.map((one) => one.message).join('; ') }
    // Without the settings of its import.csv, a file must not be imported.
    for (const entry of [...files, manifest]) await fileFailed(filing, entry, reason)
    await notifyOfProblems(tx, manifest, [reason.detail || message])
    return []
  }
  const taken: ClaimedFile[] = []
  const kept: Text[] = []
  for (const entry of files) {
    const wrong = read.wrong.get(nameKey(entry.name))
    if (wrong === undefined) {
      taken.push(withRow(entry, manifest, read))
      continue
    }
    kept.push(wrong)
    await fileFailed(filing, entry, { ...INVALID, detail: `import.csv: ${english(wrong)}` })
  }
  if (kept.length > 0) await notifyOfProblems(tx, manifest, kept)
  await fileManifest(parts, tx, { manifest, read, files })
  return taken
}

const MAX_LISTED = 3

/**
 * A separate notice, because the import's notice does not include files that were refused before.
 */
function notifyOfProblems(
  tx: ShopScope,
  { folder, name }: DropEntry,
  problems: readonly AnyText[],
): Promise<void> {
  const more = problems.length - MAX_LISTED
  const told = sentences(
    ...problems.slice(0, MAX_LISTED).map(sentence),
    ...(more > 0
      ? [say('{count, plural, one {# more problem.} other {# more problems.}}', { count: more })]
      : []),
  )
  return raiseNoticeOnce(tx, {
    level: 'warning',
    title: say('{path} has mistakes', { path: joinPath(folder, name) }),
    body: sentences(
      told,
      say('Files that it keeps back are in /failed/, each next to its reason.'),
    ),
    operation_id: null,
  })
}

const INVALID = { code: 'invalid_csv', message: 'Invalid CSV format' }

/**
 * Moves an import.csv away when the file of each row has arrived, or after an hour: to /failed/ if
 * files are missing or rows are faulty.
 */
async function fileManifest(
  { stores }: ManifestParts,
  tx: ShopScope,
  { manifest, read, files }: ManifestFiles & { read: Manifest },
): Promise<void> {
  const met = new Set(
    [...files, ...(await earlierFiles(tx, manifest.id))].map(({ name }) => nameKey(name)),
  )
  const missing = [...read.rows].filter(([key]) => !met.has(key))
  if (missing.length > 0 && !(await isOld(tx, manifest.id))) return
  const problems = [
    ...read.wrong.values(),
    ...missing.map(([name, { row }]) =>
      say('Row {row}: {name} was not sent', { row: String(row), name }),
    ),
  ]
  const { move_to_processed } = await lockSettings(tx)
  if (problems.length === 0) return fileProcessed(tx, [manifest], move_to_processed)
  await notifyOfProblems(tx, manifest, problems)
  const surplus = problems.length - MAX_DETAILS
  const more = surplus > 0 ? [`… and ${surplus} more rows`] : []
  const detail = [...problems.slice(0, MAX_DETAILS).map(english), ...more].join('\r\n')
  await fileFailed({ scope: tx, stores }, manifest, { ...INVALID, detail })
}

/**
 * Moves away import.csv files whose files were imported by a confirmed preview, because no later
 * import takes them.
 */
export async function fileCompleteManifests(
  parts: ManifestParts,
  tx: ShopScope,
  ids: readonly string[],
): Promise<void> {
  const manifests = await tx.query<DropEntry>(
    `select ${ENTRY} from drop_entries where shop_id = :shop and id = any(:ids::uuid[])
       and state = 'waiting' for update skip locked`,
    { ids },
  )
  for (const manifest of manifests) await applyManifest(parts, tx, { manifest, files: [] })
}

const earlierFiles = (tx: ShopScope, manifest: string): Promise<{ name: string }[]> =>
  tx.query(
    `select coalesce(dropped_name, name) as name from drop_entries
     where shop_id = :shop and manifest_id = :manifest`,
    { manifest },
  )

const isOld = (tx: ShopScope, id: string): Promise<boolean> =>
  tx.has(
    `select 1 from drop_entries where shop_id = :shop and id = :id
       and quiet_since < now() - interval '${ROWS_WAIT}'`,
    { id },
  )

async function bytesOf(
  { stores, blobs }: ManifestParts,
  tx: ShopScope,
  entry: DropEntry,
): Promise<Buffer> {
  const { size_bytes } = entry
  if (size_bytes > MAX_MANIFEST_BYTES)
    throw new AppError('invalid_csv', {
      details: [{ param: '', code: 'invalid_csv', message: say('import.csv has at most 10 MB') }],
    })
  const location = present(entry.location, 'The location of a received file')
  const hash = present(entry.hash, 'The hash of a received file')
  const store = stores.get(location)
  if (!store) throw new AppError('unavailable')
  try {
    await blobs.ensure({ shop: tx.shop, hash, location })
  } catch (error) {
    const isLost =
      error instanceof StoreError && (error.code === 'damaged' || error.code === 'missing')
    throw isLost ? new AppError('file_damaged', { cause: error }) : error
  }
  return store.readWhole(tx.shop, hash)
}
