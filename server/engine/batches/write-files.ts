// Writes the files of items that are done, or in a preview finds what would change.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { admitFiles } from '../../files/admit.ts'
import { previewAdmissions } from '../../files/preview-admissions.ts'
import { addVersion } from '../../files/admit-version.ts'
import { changeFiles } from '../../files/changes.ts'
import type { HeldChain } from './chain.ts'
import type { Effect } from '../effect.ts'
import type { OperationRow, WorkItem } from '../types.ts'
import { itemDraft } from './item-work.ts'
import {
  addRecords,
  prepareEffects,
  previewEffects,
  recordEffects,
  takeBackEffects,
  type Results,
} from './write-effects.ts'
import { UNCHANGED, resultOfAdmission, resultOfChange } from './write-results.ts'

export type WriteLimits = { file_bytes: number }

export interface WriteParts {
  limits: WriteLimits
  effects: readonly Effect[]
}

/** Creates and changes the items' files, with their effects, and gives each item's outcome. */
export async function writeDone(
  tx: ShopScope,
  { operation }: HeldChain,
  done: readonly WorkItem[],
  { limits, effects }: WriteParts,
): Promise<Results> {
  const results: Results = new Map()
  const [entries, existing] = [true, false].map((is) =>
    done.filter(({ entry }) => (entry !== null) === is),
  ) as [WorkItem[], WorkItem[]]
  if (entries.length > 0) await admitEntries(tx, operation, entries, { limits, results })
  const prepared = await prepareEffects(tx, operation, done, { effects, results })
  const changing = existing.filter((item) => !results.has(item))
  if (changing.length > 0) await changeRecords(tx, changing, results)
  const refused = done.filter((item) => results.get(item)!.status !== 'done')
  if (refused.length > 0) {
    await removeVersions(tx, refused)
    await takeBackEffects(tx, operation, refused, effects)
  }
  addRecords(results, prepared)
  await recordEffects(tx, operation, { effects, results })
  return results
}

/** Creates the files of an import's entries. */
async function admitEntries(
  tx: ShopScope,
  operation: OperationRow,
  made: readonly WorkItem[],
  { limits, results }: { limits: WriteLimits; results: Results },
): Promise<void> {
  const admitted = await admitFiles(
    tx,
    made.map((item) => ({
      draft: item.draft!,
      staged: item.staged!,
      onConflict: item.entry!.on_conflict,
      replaces: item.entry!.replaces,
      channel: operation.channel,
      productOptions: {
        sku: item.entry!.product_sku || null,
        auto_map: operation.request.auto_map ?? null,
      },
    })),
    limits,
  )
  made.forEach((item, at) => results.set(item, resultOfAdmission(item, admitted[at]!)))
}

/** Changes existing files; bytes that their steps made become their newest versions. */
async function changeRecords(
  tx: ShopScope,
  changed: readonly WorkItem[],
  results: Results,
): Promise<void> {
  for (const item of changed) if (item.staged) await replaceBytes(tx, item)
  await recordChanges(tx, changed, results, null)
}

/** The bytes that its steps made become its newest version, under its new name. */
async function replaceBytes(tx: ShopScope, item: WorkItem): Promise<void> {
  const draft = itemDraft(item)
  draft.version = await addVersion(tx, item.record!.id, item.staged!, draft.filename)
  draft.size_bytes = item.staged!.size_bytes
}

/** Removes the versions that were added for items whose change was not made. */
async function removeVersions(tx: ShopScope, items: readonly WorkItem[]): Promise<void> {
  const replaced = items.filter(({ entry, staged, draft }) => !entry && staged && draft?.version)
  if (replaced.length === 0) return
  await tx.query(
    `delete from versions v using unnest(:files::uuid[], :numbers::int[]) as added (file_id, number)
     where v.shop_id = :shop and v.file_id = added.file_id and v.number = added.number`,
    {
      files: replaced.map(({ record }) => record!.id),
      numbers: replaced.map(({ draft }) => draft!.version!),
    },
  )
}

/** Finds what the items would change, and writes nothing. */
export async function previewDone(
  tx: ShopScope,
  preview: string,
  done: readonly WorkItem[],
  { limits, effects }: WriteParts,
): Promise<Results> {
  const results: Results = new Map()
  const existing = done.filter(({ entry }) => entry === null)
  const entries = done.filter(({ entry }) => entry !== null)
  if (existing.length > 0) await recordChanges(tx, existing, results, preview)
  if (entries.length > 0) await previewEntries(tx, preview, entries, { limits, results })
  await previewEffects(tx, { effects, results })
  return results
}

/** Finds which entries of an import would be refused, and what the others would become. */
async function previewEntries(
  tx: ShopScope,
  preview: string,
  made: readonly WorkItem[],
  { limits, results }: { limits: WriteLimits; results: Results },
): Promise<void> {
  const planned = await previewAdmissions(
    tx,
    made.map((item) => ({
      draft: item.draft!,
      onConflict: item.entry!.on_conflict,
      replaces: item.entry!.replaces,
      size_bytes: item.draft!.size_bytes ?? null,
    })),
    { limits, preview },
  )
  made.forEach((item, at) => {
    const result = resultOfAdmission(item, planned[at]!)
    // The item gets its file when it is imported.
    delete result.file_id
    results.set(item, result)
  })
}

/** Changes existing files, or only finds what would change (`preview`: an operation's UUID). */
async function recordChanges(
  tx: ShopScope,
  items: readonly WorkItem[],
  results: Results,
  preview: string | null,
) {
  // Files that no step touched stay as they are, unless a preview promised a change.
  const touched = items.filter(
    ({ record, draft, plan }) => record !== null && (draft !== null || plan !== null),
  )
  for (const item of items) results.set(item, UNCHANGED)
  const changes = await changeFiles(
    tx,
    touched.map((item) => ({ record: item.record!, draft: itemDraft(item), promised: item.plan })),
    { write: preview === null, preview },
  )
  touched.forEach((item, at) => results.set(item, resultOfChange(changes[at]!)))
}
