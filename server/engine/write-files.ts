// Writes the files of items that are done, or in a preview finds what would change. A writer is
// called only if it has something to write.
import { createHash } from 'node:crypto'
import {
  SKU_SEPARATOR,
  type Entry,
  type StagedBlob,
  type ItemPlugin,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { present, zip } from '../core/lazy.ts'
import { admitFiles } from '../files/admit.ts'
import { previewAdmissions } from '../files/preview-admissions.ts'
import { copyOf, type AdmissionLimits, replacesBytes } from '../files/admission.ts'
import { refusedByQuota } from '../files/quotas.ts'
import { addVersion } from '../files/admit-version.ts'
import { changeFiles } from '../files/changes.ts'
import type { Draft, FileRecord } from '../files/drafts.ts'
import { findKnownVersions } from '../files/present-bytes.ts'
import type { HeldChain } from './chain.ts'
import type { Effect } from './effect.ts'
import type { EffectName, OperationRow, WorkItem, ResolvedStep } from './types.ts'
import { itemDraft, loadedRecord } from './item-work.ts'
import {
  addRecords,
  prepareEffects,
  previewEffects,
  recordEffects,
  resultOf,
  takeBackEffects,
  type Results,
  UNCHANGED,
  resultOfAdmission,
  resultOfChange,
} from './write-results.ts'

export type WriteLimits = AdmissionLimits

export interface WriteParts {
  limits: WriteLimits
  effects: readonly Effect[]
}

/** An item that creates a file. */
interface NewFile {
  item: WorkItem
  entry: Entry
  draft: Draft
}

/** An item that may change an existing file. */
interface ExistingFile {
  item: WorkItem
  record: FileRecord
}

/** A version that this transaction added, from the bytes that an item's steps made. */
interface AddedVersion extends ExistingFile {
  number: number
}

/**
 * Creates and changes the items' files, with their effects, in the caller's transaction.
 * @returns the outcome of each item; a refused change leaves its file as it was
 */
export async function writeDone(
  tx: ShopScope,
  { operation }: HeldChain,
  done: readonly WorkItem[],
  { limits, effects }: WriteParts,
): Promise<Results> {
  const results: Results = new Map()
  const { made, existing } = filesOf(done, results)
  if (made.length > 0) await admitEntries(tx, operation, made, { limits, results })
  const prepared = await prepareEffects(tx, operation, done, { effects, results })
  const versions = await changeRecords(
    tx,
    existing.filter(({ item }) => !results.has(item)),
    { limits, results },
  )
  const isRefused = (item: WorkItem) => resultOf(results, item).status !== 'done'
  await removeVersions(
    tx,
    versions.filter(({ item }) => isRefused(item)),
  )
  await takeBackEffects(tx, operation, done.filter(isRefused), effects)
  addRecords(results, prepared)
  await recordEffects(tx, operation, { effects, results })
  return results
}

/**
 * Separates the items that create files from those about existing ones. Archives that were unpacked
 * are neither: their result is how many files are in them, in a preview null.
 */
function filesOf(
  items: readonly WorkItem[],
  results: Results,
): { made: NewFile[]; existing: ExistingFile[] } {
  const made: NewFile[] = []
  const existing: ExistingFile[] = []
  for (const item of items)
    if (item.unpacked !== null)
      results.set(item, { status: 'done', after: { unpacked: item.unpacked.length || null } })
    else if (item.entry !== null)
      made.push({ item, entry: item.entry, draft: present(item.draft, 'the draft of an entry') })
    else existing.push({ item, record: loadedRecord(item) })
  return { made, existing }
}

/** Creates the files of an import's entries. */
async function admitEntries(
  tx: ShopScope,
  operation: OperationRow,
  made: readonly NewFile[],
  { limits, results }: { limits: WriteLimits; results: Results },
): Promise<void> {
  const admitted = await admitFiles(
    tx,
    made.map(({ item, entry, draft }) => ({
      draft,
      staged: present(item.staged, 'the bytes of an entry'),
      onConflict: entry.on_conflict,
      replaces: entry.replaces,
      states: entry.states,
      tagsRemoved: entry.tags_removed,
      packsRemoved: entry.packs_removed,
      channel: operation.channel,
      productOptions: {
        sku: entry.product_names?.skus?.join(SKU_SEPARATOR) ?? null,
        auto_map: operation.request.private ? false : (operation.request.auto_map ?? null),
      },
    })),
    limits,
  )
  for (const [{ item, draft }, result] of zip(made, admitted)) {
    // What follows from new bytes (messages to buyers, files made of them, links) does not happen.
    if (result.status === 'same') keepOnly(item, ['candidates', 'quarantine'])
    results.set(item, resultOfAdmission(draft, result))
  }
}

/** Drops what the item's steps asked for, except for these effects. */
function keepOnly(item: WorkItem, names: readonly EffectName[]): void {
  item.effects = Object.fromEntries(
    names.flatMap((name) => (item.effects[name] ? [[name, item.effects[name]]] : [])),
  )
}

/**
 * Changes existing files; bytes that their steps made become their newest versions, which are
 * returned.
 */
async function changeRecords(
  tx: ShopScope,
  files: readonly ExistingFile[],
  { limits, results }: { limits: WriteLimits; results: Results },
): Promise<AddedVersion[]> {
  await refuseAboveQuota(tx, files, { limits, results })
  const allowed = files.filter(({ item }) => !results.has(item))
  const added: AddedVersion[] = []
  for (const file of allowed)
    if (file.item.staged) added.push(await replaceBytes(tx, file, file.item.staged))
  await recordChanges(tx, allowed, results, null)
  return added
}

/** Refuses changes whose bytes the shop has no room for. */
async function refuseAboveQuota(
  tx: ShopScope,
  files: readonly ExistingFile[],
  { limits, results }: { limits: WriteLimits; results: Results },
): Promise<void> {
  const made = files.flatMap(({ item }) =>
    item.staged ? [{ item, draft: itemDraft(item), staged: item.staged }] : [],
  )
  const wanted = made.map(({ staged }) => ({
    newName: null,
    overwrites: true,
    ...copyOf(staged),
  }))
  for (const [{ item, draft }, refusal] of zip(made, await refusedByQuota(tx, wanted, limits)))
    if (refusal) results.set(item, resultOfAdmission(draft, { status: 'refused', ...refusal }))
}

/** Makes the bytes the file's newest version, under its new name. */
async function replaceBytes(
  tx: ShopScope,
  { item, record }: ExistingFile,
  staged: StagedBlob,
): Promise<AddedVersion> {
  const draft = itemDraft(item)
  const number = await addVersion(tx, record.id, staged, draft.filename)
  draft.version = number
  draft.size_bytes = staged.size_bytes
  return { item, record, number }
}

/** Removes versions that were added for items whose change was then refused. */
async function removeVersions(tx: ShopScope, added: readonly AddedVersion[]): Promise<void> {
  if (added.length === 0) return
  await tx.query(
    `delete from versions v using unnest(:files::uuid[], :numbers::int[]) as added (file_id, number)
     where v.shop_id = :shop and v.file_id = added.file_id and v.number = added.number`,
    { files: added.map(({ record }) => record.id), numbers: added.map(({ number }) => number) },
  )
}

/** Finds what the items would change, and writes nothing except the names that they would take. */
export async function previewDone(
  tx: ShopScope,
  preview: string,
  done: readonly WorkItem[],
  { limits, effects }: WriteParts,
): Promise<Results> {
  const results: Results = new Map()
  const { made, existing } = filesOf(done, results)
  await recordChanges(tx, existing, results, preview)
  if (made.length > 0) await previewEntries(tx, preview, made, { limits, results })
  await previewEffects(tx, { effects, results })
  return results
}

/** Finds which entries of an import would be refused, and what the others would become. */
async function previewEntries(
  tx: ShopScope,
  preview: string,
  made: readonly NewFile[],
  { limits, results }: { limits: WriteLimits; results: Results },
): Promise<void> {
  const planned = await previewAdmissions(
    tx,
    made.map(({ entry, draft }) => ({
      draft,
      onConflict: entry.on_conflict,
      replaces: entry.replaces,
      size_bytes: draft.size_bytes ?? null,
    })),
    { limits, preview },
  )
  for (const [{ item, draft }, admission] of zip(made, planned)) {
    const result = resultOfAdmission(draft, admission)
    // The item gets its file when it is imported.
    delete result.file_id
    results.set(item, result)
  }
}

/**
 * Changes existing files, or only finds what would change.
 * @param preview the UUID of the operation that previews them; null: write
 */
async function recordChanges(
  tx: ShopScope,
  files: readonly ExistingFile[],
  results: Results,
  preview: string | null,
): Promise<void> {
  // Files that no step touched stay as they are, unless a preview promised a change.
  const isTouched = ({ item: { draft, plan } }: ExistingFile) => draft !== null || plan !== null
  const touched = files.filter(isTouched)
  for (const file of files) if (!isTouched(file)) results.set(file.item, UNCHANGED)
  if (touched.length === 0) return
  const changes = await changeFiles(
    tx,
    touched.map(({ item, record }) => ({ record, draft: itemDraft(item), promised: item.plan })),
    { write: preview === null, preview },
  )
  for (const [{ item }, change] of zip(touched, changes)) results.set(item, resultOfChange(change))
}

// The versions that entries are compared with before their bytes are fetched, and after: bytes that
// were the source of a version need no steps again.

/** Reads what is known of the files that entries would give bytes to. */
export async function loadKnown(
  scope: ShopScope,
  steps: readonly ResolvedStep<ItemPlugin>[],
  items: readonly WorkItem[],
): Promise<void> {
  const entries = items.flatMap((item) => (item.entry ? [{ item, entry: item.entry }] : []))
  const given = fingerprintOf(steps)
  if (entries.length === 0 || given === null) return
  // A pack may have its own watermark.
  for (const { item } of entries) item.byte_steps = hashOf([given, item.draft?.new_packs ?? []])
  const onto = entries.filter(({ entry: { on_conflict, replaces } }) =>
    replacesBytes({ onConflict: on_conflict, replaces }),
  )
  if (onto.length === 0) return
  const known = await findKnownVersions(
    scope,
    onto.map(({ entry: { filename, replaces } }) => ({ filename, replaces })),
  )
  for (const [at, { item }] of onto.entries()) {
    const version = known.get(at)
    if (version && version.source.steps === item.byte_steps) item.known = version
  }
}

/**
 * What the bytes of a file depend on in addition to those that were fetched. Null: that differs from
 * file to file.
 */
function fingerprintOf(steps: readonly ResolvedStep<ItemPlugin>[]): string | null {
  const working = steps.filter(({ pluginImpl }) => pluginImpl.bytes && pluginImpl.kind !== 'fetch')
  if (working.some(({ when, branch }) => when ?? branch)) return null
  return hashOf(working.map(({ plugin, parsedOptions }) => [plugin, parsedOptions]))
}

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex')
