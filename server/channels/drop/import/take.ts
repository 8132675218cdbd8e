// One look at a shop's drop folder: the files that are ready become an import, or join the one that
// is open. Files beside an import.csv get what its rows say.
import type { ShopScope } from '../../../db/for-shop.ts'
import type { Engine } from '../../../engine/engine.ts'
import { AppError } from '../../../errors.ts'
import { nameKey } from '../../../files/rules.ts'
import type { BlobStore } from '../../../store/store.ts'
import type { DropEntry } from '../entries.ts'
import type { DropSettings } from '../settings.ts'
import { addTo, startOf, type Taken } from './claim.ts'
import { fileFailed, fileProcessed } from './filing.ts'
import { MANIFEST, MOST_MANIFEST_BYTES, readManifest, type Manifest } from './manifest.ts'
import { lockReady } from './ready.ts'

export interface TakeParts {
  engine: Engine
  stores: ReadonlyMap<string, BlobStore>
}

export interface Take {
  requestedBy: string
  /** Files that the protocol says are whole are taken without waiting. */
  prompt: boolean
  /** The import that is open takes them in; where there is none, one is opened. */
  growing: boolean
  /** Only this file, by its UUID. */
  only?: string | undefined
}

const MOST_AT_ONCE = 5000

/** Null: no file was ready. Otherwise the import's UUID, and how many files it got. */
export interface TakenNow {
  operation: string
  files: number
}

/**
 * Runs in one transaction, which holds the shop's row of settings: nobody else takes files or adds
 * to the open import meanwhile.
 */
export function takeReady(
  parts: TakeParts,
  scope: ShopScope,
  take: Take,
): Promise<TakenNow | null> {
  return scope.transaction(async (tx) => {
    const settings = await lockSettings(tx)
    const ready = await lockReady(tx, {
      prompt: take.prompt,
      most: MOST_AT_ONCE,
      only: take.only ?? null,
    })
    const taken = await withManifests(parts, tx, ready)
    if (taken.length === 0) return null
    const operation = await startOrGrow(parts, tx, { taken, settings, take })
    return { operation, files: taken.length }
  })
}

type Locked = DropSettings & { operation_id: string | null }

export async function lockSettings(tx: ShopScope): Promise<Locked> {
  const [row] = await tx.query<Locked>(
    'select * from drop_settings where shop_id = :shop for no key update',
  )
  return row!
}

interface Growth {
  taken: readonly Taken[]
  settings: Locked
  take: Take
}

async function startOrGrow(
  { engine }: TakeParts,
  tx: ShopScope,
  { taken, settings, take }: Growth,
): Promise<string> {
  const { growing, prompt, requestedBy } = take
  const open = settings.operation_id
  if (growing && open && (await addTo(engine, tx, open, taken, settings))) {
    await tx.query('update drop_settings set grown_at = now() where shop_id = :shop')
    return open
  }
  const about = { requestedBy, settings, open: growing, prompt }
  const operation = await startOf(engine, tx, taken, about)
  if (growing)
    await tx.query(
      'update drop_settings set operation_id = :operation, grown_at = now() where shop_id = :shop',
      { operation },
    )
  return operation
}

/** How long rows wait for files that have not come. */
const PATIENCE = '1 hour'

/** Finds the import.csv of each folder; gives the files that are left to import. */
async function withManifests(
  parts: TakeParts,
  tx: ShopScope,
  ready: readonly DropEntry[],
): Promise<Taken[]> {
  const folders = Map.groupBy(ready, ({ folder }) => folder)
  const taken: Taken[] = []
  for (const [folder, entries] of folders) {
    const manifest = entries.find(({ name }) => MANIFEST.test(name))
    const files = entries.filter(({ name }) => !MANIFEST.test(name))
    if (manifest) taken.push(...(await applied(parts, tx, manifest, files)))
    else if (!(await isComing(tx, folder)))
      taken.push(...files.map((entry) => ({ entry, row: null })))
  }
  return taken
}

/** An import.csv that is being sent, or has just come, is waited for. */
async function isComing(tx: ShopScope, folder: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from drop_entries where shop_id = :shop and folder = :folder and kind = 'file'
       and name ~* '^import[.]csv$' and state in ('writing', 'waiting')`,
    { folder },
  )
  return rows.length > 0
}

async function applied(
  parts: TakeParts,
  tx: ShopScope,
  manifest: DropEntry,
  files: readonly DropEntry[],
): Promise<Taken[]> {
  const filing = { scope: tx, stores: parts.stores }
  let read: Manifest
  try {
    read = await readManifest(await bytesOf(parts, tx, manifest))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, details } = error
    const reason = { code, message, detail: details.map((one) => one.message).join('; ') }
    // Without the settings that were meant for them the files must not be imported.
    for (const entry of [...files, manifest]) await fileFailed(filing, entry, reason)
    return []
  }
  const taken: Taken[] = []
  for (const entry of files) {
    const key = nameKey(entry.name)
    const wrong = read.wrong.get(key)
    const row = read.rows.get(key)
    if (wrong !== undefined)
      await fileFailed(filing, entry, { ...INVALID, detail: `import.csv: ${wrong}` })
    else taken.push({ entry, row: row ? { manifest: manifest.id, values: row.values } : null })
  }
  await putManifestAway(parts, tx, { manifest, read, files })
  return taken
}

const INVALID = { code: 'invalid_csv', message: 'Invalid CSV format' }

/** Once each row has met its file, or after an hour; rows that have not make it a failed one. */
async function putManifestAway(
  { stores }: TakeParts,
  tx: ShopScope,
  { manifest, read, files }: { manifest: DropEntry; read: Manifest; files: readonly DropEntry[] },
): Promise<void> {
  const met = new Set(
    [...files, ...(await earlierOf(tx, manifest.id))].map(({ name }) => nameKey(name)),
  )
  const missing = [...read.rows].filter(([key]) => !met.has(key))
  if (missing.length > 0 && !(await isOld(tx, manifest.id))) return
  const problems = [
    ...read.wrong.values(),
    ...missing.map(([name, { row }]) => `Row ${row}: ${name} was not sent`),
  ]
  const { move_to_processed } = await lockSettings(tx)
  if (problems.length === 0) return fileProcessed(tx, [manifest], move_to_processed)
  const detail = problems.join('\r\n')
  await fileFailed({ scope: tx, stores }, manifest, { ...INVALID, detail })
}

const earlierOf = (tx: ShopScope, manifest: string): Promise<{ name: string }[]> =>
  tx.query(
    `select coalesce(dropped_name, name) as name from drop_entries
     where shop_id = :shop and manifest_id = :manifest`,
    { manifest },
  )

async function isOld(tx: ShopScope, id: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from drop_entries where shop_id = :shop and id = :id
       and quiet_since < now() - interval '${PATIENCE}'`,
    { id },
  )
  return rows.length > 0
}

async function bytesOf({ stores }: TakeParts, tx: ShopScope, entry: DropEntry): Promise<Buffer> {
  const { hash, location, size_bytes } = entry
  if (size_bytes > MOST_MANIFEST_BYTES)
    throw new AppError('invalid_csv', {
      details: [{ param: '', code: 'invalid_csv', message: 'import.csv has at most 10 MB' }],
    })
  const store = stores.get(location!)
  if (!store) throw new AppError('unavailable')
  return store.readWhole(tx.shop, hash!)
}
