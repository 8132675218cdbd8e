// Writes the files of items that are done, or in a preview finds what would change.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { admitFiles } from '../../files/admit.ts'
import { previewAdmissions } from '../../files/preview-admissions.ts'
import { addVersion } from '../../files/admit-version.ts'
import { changeFiles } from '../../files/changes.ts'
import { recordReviews } from '../../files/reviews.ts'
import type { HeldChain } from './chain.ts'
import { makeFiles, deleteMadeFiles } from './created.ts'
import type { WorkItem } from '../types.ts'
import { itemDraft } from './item-work.ts'
import type { WriteResult } from './outcome-rows.ts'
import {
  addToLedger,
  reviewsOf,
  recordLinks,
  notifyBuyers,
  type ItemEffectParts,
} from './write-effects.ts'
import { UNCHANGED, resultOfAdmission, resultOfChange, refusal } from './write-results.ts'

export type WriteLimits = { file_bytes: number }

export interface WriteParts extends ItemEffectParts {
  limits: WriteLimits
}

type Results = Map<WorkItem, WriteResult>

/** Creates and changes the items' files, with their effects, and gives each item's outcome. */
export async function writeDone(
  tx: ShopScope,
  held: HeldChain,
  done: readonly WorkItem[],
  { limits, secrets, messages }: WriteParts,
): Promise<Results> {
  const results: Results = new Map()
  await admitEntries(tx, held, done, { limits, results })
  const created = await makeFiles(tx, held.operation, done, limits)
  const isRefused = (item: WorkItem) => 'code' in (created.get(item) ?? {})
  await changeRecords(
    tx,
    held.operation.id,
    done.filter((item) => item.entry === null && !isRefused(item)),
    results,
  )
  for (const [item, made] of created) {
    if ('code' in made) results.set(item, refusal(made))
    else if (results.get(item)!.status === 'done')
      addToLedger(results, item, { created_files: made })
  }
  await recordLinks(tx, held, results, { secrets, messages })
  await notifyBuyers(tx, held.operation.id, results, messages)
  await recordReviews(tx, held.operation.id, reviewsOf(results))
  return results
}

/** Creates the files of an import's entries. */
async function admitEntries(
  tx: ShopScope,
  { operation }: HeldChain,
  done: readonly WorkItem[],
  { limits, results }: { limits: WriteLimits; results: Results },
): Promise<void> {
  const made = done.filter(({ entry }) => entry !== null)
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

/** Changes existing files; a version that was added for a change that failed is removed again. */
async function changeRecords(
  tx: ShopScope,
  operation: string,
  changed: readonly WorkItem[],
  results: Results,
): Promise<void> {
  for (const item of changed) if (item.staged) await replaceBytes(tx, item)
  await recordChanges(tx, changed, results, null)
  await takeBack(
    tx,
    operation,
    changed.filter((item) => results.get(item)!.status !== 'done'),
  )
  for (const item of changed)
    if (item.drop_previous && results.get(item)!.before?.version !== undefined)
      addToLedger(results, item, { drop_previous: true })
}

/** The bytes that its steps made become its newest version, under its new name. */
async function replaceBytes(tx: ShopScope, item: WorkItem): Promise<void> {
  const draft = itemDraft(item)
  draft.version = await addVersion(tx, item.record!.id, item.staged!, draft.filename)
  draft.size_bytes = item.staged!.size_bytes
}

/**
 * For items whose change was not made: removes the version that was added for it, and files that
 * were created with it.
 */
async function takeBack(
  tx: ShopScope,
  operation: string,
  items: readonly WorkItem[],
): Promise<void> {
  const replaced = items.filter(({ staged }) => staged !== null)
  if (replaced.length > 0)
    await tx.query(
      `delete from versions v using unnest(:files::uuid[], :numbers::int[]) as added
         (file_id, number)
       where v.shop_id = :shop and v.file_id = added.file_id and v.number = added.number`,
      {
        files: replaced.map(({ record }) => record!.id),
        numbers: replaced.map(({ draft }) => draft!.version!),
      },
    )
  const made = items.filter(({ created }) => created.length > 0)
  if (made.length > 0) await deleteMadeFiles(tx, operation, made)
}

/** Finds what the items would change, and writes nothing. */
export async function previewDone(
  tx: ShopScope,
  preview: string,
  done: readonly WorkItem[],
  { limits, messages }: Pick<WriteParts, 'limits' | 'messages'>,
) {
  const results = new Map<WorkItem, WriteResult>()
  await recordChanges(
    tx,
    done.filter(({ entry }) => entry === null),
    results,
    preview,
  )
  await previewEntries(tx, preview, done, { limits, results })
  for (const item of done)
    if (item.link && results.get(item)!.status === 'done')
      addToLedger(results, item, { link: item.link })
  const notifying = done.filter(
    (item) => item.notify_buyers && results.get(item)!.status === 'done',
  )
  const buyers = await messages.buyersOf(
    tx,
    notifying.map(({ file_id }) => file_id!),
  )
  for (const item of notifying)
    addToLedger(results, item, { buyers: buyers.get(item.file_id!)?.length ?? 0 })
  return results
}

/** Finds which entries of an import would be refused, and what the others would become. */
async function previewEntries(
  tx: ShopScope,
  preview: string,
  done: readonly WorkItem[],
  { limits, results }: { limits: WriteLimits; results: Results },
): Promise<void> {
  const made = done.filter(({ entry }) => entry !== null)
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
