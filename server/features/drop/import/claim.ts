// Starts an import of files in a drop folder. One transaction claims the files and starts the
// import, so that each file is in exactly one import, even with several workers and crashes.
import { randomUUID } from 'node:crypto'
import { type PackCell, packNameProblem, skuPrefixes } from '../../../../plugins/contract/index.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { firstOf, zip } from '../../../core/lazy.ts'
import type { Engine } from '../../../engine/engine.ts'
import { newestOf } from '../../../engine/freeze.ts'
import { OVERWRITING } from '../../../files/admission.ts'
import { packsOfCells } from '../../../files/packs.ts'
import { nameKey, tagProblem } from '../../../files/rules.ts'
import {
  importEntries,
  productNames,
  startImport,
  statedIn,
  type ImportFile,
} from '../../imports/start.ts'
import type { ImportOrigin } from '../../workflows/sources.ts'
import { dropChannel } from '../channel.ts'
import type { DropEntry } from '../entries.ts'
import { findRecentImports } from '../recent-imports.ts'
import type { DropSettings } from '../settings.ts'
import type { ManifestRow } from './manifest.ts'

/** A file that is about to be imported. */
export interface ClaimedFile {
  entry: DropEntry
  /** The file's row of an import.csv in the same folder. */
  row: { manifest: string; values: ManifestRow } | null
}

const ownFolder = (folder: string) => folder.slice(folder.lastIndexOf('/') + 1)

/** The tag or pack from the name of a file's folder; nothing if the name cannot be one. */
function fromFolder({ folder }: DropEntry, use: DropSettings['folder_names']): Partial<ImportFile> {
  const name = ownFolder(folder)
  if (name === '' || use === 'ignore') return {}
  if (use === 'tag') return tagProblem(name) ? {} : { tags: [name] }
  return packNameProblem(name) ? {} : { packs: [name] }
}

/**
 * What each file becomes whose name is taken. A file that its client sends again within minutes is
 * the next version of what it sent: neither a failure nor left out nor another file with a number.
 */
async function conflictsOf(
  tx: ShopScope,
  taken: readonly ClaimedFile[],
  { on_conflict }: DropSettings,
): Promise<Pick<ImportFile, 'on_conflict' | 'replaces'>[]> {
  const sent = taken.map(({ entry }) => entry)
  const follows = !OVERWRITING.includes(on_conflict)
  const earlier = follows ? await findRecentImports(tx, sent) : new Map<number, string>()
  return taken.map(({ row }, at) => {
    const replaces = row?.values.filename ? undefined : earlier.get(at)
    return replaces === undefined ? { on_conflict } : { on_conflict: 'new_version', replaces }
  })
}

async function filesOf(
  tx: ShopScope,
  taken: readonly ClaimedFile[],
  settings: DropSettings,
  claim: string,
): Promise<ImportFile[]> {
  const conflicts = await conflictsOf(tx, taken, settings)
  const packsOf = await packsOfCells(
    tx,
    taken.map(({ row }) => row?.values.pack),
  )
  return zip(taken, conflicts).map(([one, conflict]) => ({
    ...fileOf(one, settings, claim, packsOf),
    ...conflict,
  }))
}

function fileOf(
  { entry, row }: ClaimedFile,
  drop: DropSettings,
  claim: string,
  packsOf: Awaited<ReturnType<typeof packsOfCells>>,
): ImportFile {
  const { filename, tags = [], pack, ...own }: Partial<ManifestRow> = row?.values ?? {}
  const { product_sku, product_handle, product_id, tags_removed, ...settings } = own
  const products = productNames({ product_sku, product_handle, product_id })
  const folder = fromFolder(entry, drop.folder_names)
  const cell = pack && packsOf(pack)
  const prefixes =
    products || drop.match_by !== 'sku_prefix' ? {} : { sku_prefixes: skuPrefixes(entry.name) }
  return {
    // Names cannot begin or end with spaces here: a person would not see them.
    filename: filename || entry.name.trim() || entry.name,
    source: { type: 'drop', id: entry.id, claim },
    on_conflict: drop.on_conflict,
    ...prefixes,
    ...folder,
    ...(cell && packsFrom(folder.packs ?? [], cell)),
    tags: [...(folder.tags ?? []), ...tags],
    ...own,
    // Tags and packs that follow from the folder are only for new files.
    states: statedIn({
      ...settings,
      packs: cell?.packs,
      tags: [...tags, ...(tags_removed ?? [])],
      products,
    }),
  }
}

/** A row with signs changes the packs that follow from the folder; another one replaces them. */
function packsFrom(
  folder: readonly string[],
  { packs, packs_removed: removed }: Pick<PackCell, 'packs' | 'packs_removed'>,
): Pick<ImportFile, 'packs' | 'packs_removed'> {
  if (!removed) return { packs }
  const left = new Set(removed.map(nameKey))
  const kept = folder.filter((name) => !left.has(nameKey(name)))
  return { packs: [...kept, ...packs], packs_removed: removed }
}

export interface ClaimOptions {
  requestedBy: string
  settings: DropSettings
  /** Whether further files are added to the import as they arrive. */
  open?: boolean
  /**
   * Whether batches have their own places in every worker, because a person waits for the files.
   */
  prompt: boolean
  dryRun?: boolean
}

/** Where a file of the drop folder comes from, as triggers name it. */
export const dropOrigin = ({ account_id, folder }: DropEntry): ImportOrigin => ({
  drop: { account: account_id, folder },
})

/**
 * Starts the import of files of one source inside the caller's transaction, which has locked the
 * entries. Returns the operation's UUID.
 */
export async function startDropImport(
  engine: Engine,
  tx: ShopScope,
  taken: readonly ClaimedFile[],
  { requestedBy, settings, open = false, prompt, dryRun = false }: ClaimOptions,
): Promise<string> {
  const claim = randomUUID()
  const operation = await startImport(engine, tx, dropChannel, {
    files: await filesOf(tx, taken, settings, claim),
    requestedBy,
    open,
    prompt,
    dryRun,
    notify: settings.notify,
    // A file whose name does not begin with a SKU is mapped by a person.
    auto_map: settings.match_by === 'sku_prefix' ? false : undefined,
    from: dropOrigin(firstOf(taken).entry),
  })
  await markClaimed(tx, taken, { claim, operation, first: 0, dryRun })
  return operation
}

/** Adds files to an open import; false: the import is closed. */
export async function addToDropImport(
  engine: Engine,
  tx: ShopScope,
  operation: string,
  taken: readonly ClaimedFile[],
  settings: DropSettings,
): Promise<boolean> {
  const claim = randomUUID()
  const files = await filesOf(tx, taken, settings, claim)
  const entries = await importEntries(tx, files)
  const before = await newestOf(
    tx,
    operation,
    files.map(({ filename }) => filename),
  )
  const first = await engine.add(
    tx,
    operation,
    zip(files, entries).map(([{ filename }, entry]) => ({
      ...entry,
      after: before.get(nameKey(filename)) ?? null,
    })),
  )
  if (first === null) return false
  await markClaimed(tx, taken, { claim, operation, first })
  return true
}

interface Claim {
  claim: string
  operation: string
  first: number
  dryRun?: boolean
}

/**
 * Marks the files as claimed. A preview claims its files when it is confirmed, unless another
 * import has claimed them or new bytes have arrived.
 */
async function markClaimed(
  tx: ShopScope,
  taken: readonly ClaimedFile[],
  { claim, operation, first, dryRun = false }: Claim,
): Promise<void> {
  await tx.query(
    `update drop_entries set state = case when :dryRun::boolean then state else 'importing' end, placed = null,
       claim = :claim, operation_id = :operation,
       position = :first + given.n - 1, manifest_id = given.manifest, error = null
     from unnest(:ids::uuid[], :manifests::uuid[]) with ordinality as given (id, manifest, n)
     where shop_id = :shop and drop_entries.id = given.id`,
    {
      claim,
      operation,
      first,
      dryRun,
      ids: taken.map(({ entry }) => entry.id),
      manifests: taken.map(({ row }) => row?.manifest ?? null),
    },
  )
}
