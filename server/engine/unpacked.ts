// Files that were unpacked from an item's bytes: each becomes an item of the same import, which goes
// through all steps after the one that fetches.
import type { Entry, StagedBlob, UnpackedFile } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { present } from '../core/lazy.ts'
import { noteRefused } from '../files/blobs.ts'
import { applyToDraft } from '../files/draft-changes.ts'
import type { Draft } from '../files/drafts.ts'
import { nameKey } from '../files/rules.ts'
import { chainsFor, wakeChains } from './chain.ts'
import { newestOf, predecessorsOf } from './freeze.ts'
import { fetchedBytes, itemDraft } from './item-work.ts'
import type { EndedItem, OperationRow, WorkItem } from './types.ts'

/** The index of the step after the one that fetches: an import has one, the first. */
export const AFTER_FETCH = 1
const PIECE = 1000

interface UnpackedEntry {
  /** The position of the archive's item. */
  parent: number
  draft: Draft
  /** What differs from the entry of the archive. */
  entry: Pick<Entry, 'filename' | 'unpacked_from'> & Partial<Entry>
}

/**
 * Adds an item for each file that was unpacked from these items, in their transaction. Locks the
 * operation's row.
 */
export async function addUnpacked(
  tx: ShopScope,
  { id: operation, workflow }: OperationRow,
  archives: readonly WorkItem[],
): Promise<void> {
  const added = archives.flatMap((item) =>
    (item.unpacked ?? []).map((file) => ({ file, added: entryOf(item, file) })),
  )
  if (added.length === 0) return
  // Chains are locked before the operation, as everywhere.
  await wakeChains(tx, operation, chainsFor(added.length, workflow.parallel))
  const { first } = await tx.one<{ first: number }>(
    `update operations set total = total + :count where shop_id = :shop and id = :operation
     returning total - :count as first`,
    { operation, count: added.length },
  )
  // Until they are admitted, their bytes count in the quota, and are removed if they are not.
  await noteRefused(
    tx,
    added.map(({ file }) => file.bytes),
  )
  const entries = added.map((one) => one.added)
  const newest = await newestOf(
    tx,
    operation,
    entries.map(({ entry }) => entry.filename),
  )
  const before = predecessorsOf(
    entries.map(({ entry, draft }) => ({ entry: entry as Entry, draft })),
  )
  const rows = entries.map((one, at) => {
    const near = before[at] ?? null
    const far = newest.get(nameKey(one.entry.filename)) ?? null
    return { ...one, before: near === null ? far : first + near }
  })
  for (let at = 0; at < rows.length; at += PIECE)
    await insertEntries(tx, operation, first + at, rows.slice(at, at + PIECE))
}

const entryOf = (item: WorkItem, { bytes, change, path, ...file }: UnpackedFile): UnpackedEntry => {
  const archive = present(item.entry, 'The entry of an archive').filename
  // The transaction may be repeated.
  const draft = structuredClone(itemDraft(item))
  if (change) applyToDraft(draft, change)
  draft.filename = file.filename
  return {
    parent: item.position,
    draft,
    entry: { ...file, unpacked_from: { archive, path, bytes } },
  }
}

/** What is said about the archive, and not about its files. */
const OF_ARCHIVE = ['sha256', 'name_cleaned', 'sku_prefixes', 'match_as', 'replaces']

/** Inserts the items. The entry is taken from the archive's row, in which its secrets are sealed. */
const insertEntries = (
  tx: ShopScope,
  operation: string,
  first: number,
  rows: readonly (UnpackedEntry & { before: number | null })[],
) =>
  tx.query(
    `insert into items (shop_id, operation_id, position, entry, draft, staged, step, waits_for)
     select :shop, :operation, :first + n::int - 1, (archive.entry - :dropped::text[]) || (e -> 'entry'),
       e -> 'draft', e #> '{entry,unpacked_from,bytes}', ${AFTER_FETCH}, (e ->> 'before')::int
     from jsonb_array_elements(:rows::jsonb) with ordinality as t(e, n)
       join items archive on archive.shop_id = :shop and archive.operation_id = :operation
         and archive.position = (e ->> 'parent')::int and archive.position = any(:parents::int[])`,
    {
      operation,
      first,
      dropped: OF_ARCHIVE,
      rows: JSON.stringify(rows),
      parents: [...new Set(rows.map(({ parent }) => parent))],
    },
  )

const GONE = 'unpacked_gone'

/**
 * Begins the work on items that were unpacked before: their bytes are kept for another day, and
 * compared with the bytes of which their files were made.
 * @returns those whose bytes were removed meanwhile
 */
export async function beginUnpacked(
  scope: ShopScope,
  items: readonly WorkItem[],
): Promise<EndedItem[]> {
  const begun = items.flatMap((item) => {
    const bytes = item.entry?.unpacked_from?.bytes
    return bytes && item.step === AFTER_FETCH ? [{ item, bytes }] : []
  })
  if (begun.length === 0) return []
  const kept = await keepBytes(
    scope,
    begun.map(({ bytes }) => bytes),
  )
  const ended: EndedItem[] = []
  for (const { item, bytes } of begun)
    if (kept.has(bytes.hash)) item.staged = fetchedBytes(item, bytes)
    else {
      const { message } = new AppError(GONE)
      ended.push({
        item,
        ending: { status: 'failed', error: { code: GONE, message, retryable: false } },
      })
    }
  return ended
}

/** Keeps bytes that no row names for another day. Returns the hashes of those that are there. */
async function keepBytes(scope: ShopScope, blobs: readonly StagedBlob[]): Promise<Set<string>> {
  const rows = await scope.query<{ hash: string }>(
    `with held as (
       select b.hash, b.location from blob_locations b
       where b.shop_id = :shop and (b.hash, b.location) in (
         select decode(hash, 'hex'), location from jsonb_to_recordset(:blobs::jsonb) as g(hash text, location text))
       order by b.hash, b.location for update
     )
     update blob_locations b
     set unneeded_since = case when b.unneeded_since is null then null else now() end
     from held where b.shop_id = :shop and b.hash = held.hash and b.location = held.location
     returning encode(b.hash, 'hex') as hash`,
    { blobs: JSON.stringify(blobs.map(({ hash, location }) => ({ hash, location }))) },
  )
  return new Set(rows.map(({ hash }) => hash))
}
