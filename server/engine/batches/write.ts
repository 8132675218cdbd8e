// Writes how items ended: created or changed files, outcomes and counters, in the caller's
// transaction. A file is never written without its outcome.
import type { ShopScope } from '../../db/for-shop.ts'
import { admitFiles } from '../../files/admit.ts'
import { addVersion } from '../../files/admit-version.ts'
import type { Admitted } from '../../files/admission.ts'
import { changeFiles, type Changed } from '../../files/changes.ts'
import { revokeLinks } from '../../files/link-changes.ts'
import { makeLinks } from '../../files/link-creation.ts'
import { recordReviews } from '../../files/reviews.ts'
import type { Secrets } from '../../secrets.ts'
import type { HeldChain } from './chain.ts'
import { makeFiles, deleteMadeFiles } from './created.ts'
import { retryDelay } from './failure.ts'
import { countOutcomes } from './outcomes.ts'
import type { EndedItem, ItemStatus, OperationMessages, WorkItem } from '../types.ts'
import { itemDraft } from './item-work.ts'
import {
  insertOutcomes,
  outcomeRow,
  skippedFor,
  updateOutcomes,
  type OutcomeRow,
  type WriteResult,
} from './outcome-rows.ts'

export const CHANGED_SINCE_PREVIEW = 'It has changed since the preview'
export type WriteLimits = { file_bytes: number }

export interface WriteOptions {
  limits: WriteLimits
  secrets: Secrets
  messages: OperationMessages
  /** Positions of items without rows: they are inserted now, once. */
  fresh: ReadonlySet<number>
  /** Items that a uniform change has already written, as done. */
  uniform: number
}

/** Throws `LeaseLost` if the operation was ended elsewhere. */
export async function writeEnded(
  tx: ShopScope,
  held: HeldChain,
  ended: readonly EndedItem[],
  options: WriteOptions,
): Promise<void> {
  const { fresh } = options
  const done = ended.filter(({ ending }) => ending.status === 'done').map(({ item }) => item)
  const results =
    held.operation.preview && held.operation.status === 'previewing'
      ? await previewResults(tx, held.operation.id, done, options.messages)
      : await carriedOut(tx, held, done, options)
  const rows = ended.map((each) => outcomeRow(triedAgain(each, results), results.get(each.item)))
  const [unwritten, written] = [true, false].map((is) =>
    rows.filter(({ position }) => fresh.has(position) === is),
  )
  if (unwritten!.length > 0) await insertOutcomes(tx, held, unwritten!)
  if (written!.length > 0) await updateOutcomes(tx, held, written!)
  const stop = ended.find(
    ({ ending }) => ending.status === 'failed' && ending.stops !== undefined,
  )?.ending
  const count = (status: ItemStatus) => rows.filter((row) => row.status === status).length
  // Last, because it locks a row that every chain of the operation writes.
  await countOutcomes(
    tx,
    held.operation.id,
    {
      done: options.uniform + count('done'),
      failed: count('failed'),
      skipped: count('skipped'),
      bytes: bytesOf(ended, rows),
      saved: savedOf(rows),
    },
    stop?.status === 'failed'
      ? { step: stop.stops!, code: stop.error.code, message: stop.error.message }
      : null,
  )
}

async function carriedOut(
  tx: ShopScope,
  held: HeldChain,
  done: readonly WorkItem[],
  { limits, secrets, messages }: WriteOptions,
) {
  const results = new Map<WorkItem, WriteResult>()
  const made = done.filter(({ entry }) => entry !== null)
  const admitted = await admitFiles(
    tx,
    made.map((item) => ({
      draft: item.draft!,
      staged: item.staged!,
      onConflict: item.entry!.on_conflict,
      replaces: item.entry!.replaces,
      channel: held.operation.channel,
      wishes: {
        sku: item.entry!.product_sku || null,
        auto_map: held.operation.request.auto_map ?? null,
      },
    })),
    limits,
  )
  made.forEach((item, at) => results.set(item, resultOfAdmission(item, admitted[at]!)))
  const created = await makeFiles(tx, held.operation, done, limits)
  const isRefused = (item: WorkItem) => 'code' in (created.get(item) ?? {})
  const changed = done.filter((item) => item.entry === null && !isRefused(item))
  for (const item of changed) if (item.staged) await replaceBytes(tx, item)
  await recordChanges(tx, changed, results, null)
  await takeBack(
    tx,
    held.operation.id,
    changed.filter((item) => results.get(item)!.status !== 'done'),
  )
  for (const [item, made] of created) {
    if ('code' in made) results.set(item, refusal(made))
    else if (results.get(item)!.status === 'done')
      addToLedger(results, item, { created_files: made })
  }
  for (const item of changed)
    if (item.drop_previous && results.get(item)!.before?.version !== undefined)
      addToLedger(results, item, { drop_previous: true })
  await recordLinks(tx, held, results, { secrets, messages })
  await tellBuyers(tx, held.operation.id, results, messages)
  await recordReviews(tx, held.operation.id, questionsOf(results))
  return results
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
      `delete from versions v using unnest(:files::uuid[], :numbers::int[]) as added (file_id, number)
       where v.shop_id = :shop and v.file_id = added.file_id and v.number = added.number`,
      {
        files: replaced.map(({ record }) => record!.id),
        numbers: replaced.map(({ draft }) => draft!.version!),
      },
    )
  const made = items.filter(({ created }) => created.length > 0)
  if (made.length > 0) await deleteMadeFiles(tx, operation, made)
}

/** Creates the links that steps asked for, and revokes those that an undone operation created. */
async function recordLinks(
  tx: ShopScope,
  { operation }: HeldChain,
  results: Map<WorkItem, WriteResult>,
  { secrets, messages }: Pick<WriteOptions, 'secrets' | 'messages'>,
) {
  const done = [...results].filter(([, { status }]) => status === 'done').map(([item]) => item)
  const wanting = done.filter(({ link }) => link !== null)
  const fileOf = (item: WorkItem) => results.get(item)!.file_id ?? item.file_id!
  const links = await makeLinks(
    tx,
    secrets,
    {
      file_ids: wanting.map(fileOf),
      per_file: wanting.map((item) => ({ file_id: fileOf(item), ...item.link })),
      operation: operation.id,
    },
    new Date(),
  )
  wanting.forEach((item, at) => addToLedger(results, item, { link: links[at]! }))
  const sent = links.filter((_, at) => wanting[at]!.link!.send && wanting[at]!.link!.email)
  await messages.linksMade(tx, sent, operation.id)
  const undone = done.flatMap(({ undo }) =>
    typeof undo?.after.link === 'string' ? [undo.after.link] : [],
  )
  await revokeLinks(tx, undone)
}

/** Queues a mail for each paid delivery of the files whose buyers are told, one for an operation. */
async function tellBuyers(
  tx: ShopScope,
  operation: string,
  results: Map<WorkItem, WriteResult>,
  messages: OperationMessages,
): Promise<void> {
  const telling = [...results].filter(([item, { status }]) => item.tells && status === 'done')
  if (telling.length === 0) return
  const fileOf = (item: WorkItem) => results.get(item)!.file_id ?? item.file_id!
  const files = telling.map(([item]) => fileOf(item))
  const buyers = await messages.buyersOf(tx, files)
  for (const [item] of telling)
    addToLedger(results, item, { buyers: buyers.get(fileOf(item))?.length ?? 0 })
  await messages.tellBuyers(tx, [...new Set([...buyers.values()].flat())], operation)
}

function addToLedger(
  results: Map<WorkItem, WriteResult>,
  item: WorkItem,
  after: Record<string, unknown>,
): void {
  const result = results.get(item)!
  results.set(item, {
    ...result,
    before: result.before ?? {},
    after: { ...result.after, ...after },
  })
}

/** Files that may belong to one of several products. */
function questionsOf(results: ReadonlyMap<WorkItem, WriteResult>) {
  const asked = [...results].filter(
    ([{ candidates }, { status }]) => candidates.length > 0 && status === 'done',
  )
  return asked.map(([{ candidates, file_id, record }, result]) => ({
    fileId: result.file_id ?? file_id!,
    candidates,
    replaces: record?.mapping_state === 'mapped',
  }))
}

async function previewResults(
  tx: ShopScope,
  preview: string,
  done: readonly WorkItem[],
  messages: OperationMessages,
) {
  const results = new Map<WorkItem, WriteResult>()
  await recordChanges(tx, done, results, preview)
  for (const item of done)
    if (item.link && results.get(item)!.status === 'done')
      addToLedger(results, item, { link: item.link })
  const telling = done.filter((item) => item.tells && results.get(item)!.status === 'done')
  const buyers = await messages.buyersOf(
    tx,
    telling.map(({ file_id }) => file_id!),
  )
  for (const item of telling)
    addToLedger(results, item, { buyers: buyers.get(item.file_id!)?.length ?? 0 })
  return results
}

const UNCHANGED: WriteResult = { status: 'done' }

/** Changes existing files, or only finds what would change (`preview`: an operation's UUID). */
async function recordChanges(
  tx: ShopScope,
  items: readonly WorkItem[],
  results: Map<WorkItem, WriteResult>,
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

function resultOfAdmission({ draft }: WorkItem, admitted: Admitted): WriteResult {
  if (admitted.status === 'refused') return refusal(admitted)
  const after = { filename: admitted.filename, product_mapped: draft!.mappings.length > 0 }
  const { fileId: file_id } = admitted
  switch (admitted.status) {
    case 'created':
      return { status: 'done', file_id, after: { ...after, created: true } }
    case 'replaced':
      return { status: 'done', file_id, after: { ...after, replaced: true } }
    case 'versioned':
      return {
        status: 'done',
        file_id,
        before: { version: admitted.before },
        after: { ...after, version: admitted.version },
      }
  }
}

function resultOfChange(changed: Changed): WriteResult {
  switch (changed.status) {
    case 'changed':
      return { status: 'done', ...changed.ledger }
    case 'same':
      return { status: 'done' }
    case 'overtaken':
      return { status: 'pending' }
    case 'drifted':
      return skippedFor(CHANGED_SINCE_PREVIEW)
    case 'refused':
      return refusal(changed)
  }
}

const refusal = ({
  code,
  message,
  retryable = code === 'file_in_use',
}: {
  code: string
  message: string
  retryable?: boolean
}): WriteResult => ({
  status: 'failed',
  error: { code, message, retryable },
})

/**
 * If another operation holds a file when this one is written, wait for it, as at the beginning of a
 * batch.
 */
function triedAgain(ended: EndedItem, results: ReadonlyMap<WorkItem, WriteResult>): EndedItem {
  const { item, ending } = ended
  const error = ending.status === 'done' ? results.get(item)!.error : undefined
  if (error?.code !== 'file_in_use') return ended
  const delayMs = retryDelay(item.attempt, 0)
  return delayMs === null ? ended : { item, ending: { status: 'again', error, delayMs } }
}

const savedOf = (rows: readonly OutcomeRow[]): number =>
  rows.reduce((sum, { before, after }) => sum + sizeIn(before) - sizeIn(after), 0)
const sizeIn = (fields?: Record<string, unknown>) =>
  typeof fields?.size_bytes === 'number' ? fields.size_bytes : 0

const bytesOf = (ended: readonly EndedItem[], rows: readonly OutcomeRow[]): number =>
  ended.reduce(
    (sum, { item }, at) => sum + (rows[at]!.status === 'done' ? (item.staged?.size_bytes ?? 0) : 0),
    0,
  )
