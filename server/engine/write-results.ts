// The outcome of an item whose file was admitted or changed.
import { sayPlain, type AnyText } from '../../plugins/contract/index.ts'
import { storedMessage } from '../core/texts.ts'
import type { AdmissionResult } from '../files/admission.ts'
import type { PlannedResult } from '../files/preview-admissions.ts'
import type { ChangeResult } from '../files/changes.ts'
import type { Draft } from '../files/drafts.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { present } from '../core/lazy.ts'
import { leftOutFor } from './item-work.ts'
import { skippedFor, type WriteResult } from './outcomes.ts'
import type { Effect, EffectRecords, EffectRequest } from './effect.ts'
import type { EffectName, OperationRow, WorkItem } from './types.ts'

export const CHANGED_SINCE_PREVIEW = sayPlain('It has changed since the preview')

export const UNCHANGED: WriteResult = { status: 'done' }

/** The outcome of an entry whose file, with this draft, was admitted or would be. */
export function resultOfAdmission(
  draft: Draft,
  admitted: AdmissionResult | PlannedResult,
): WriteResult {
  if (admitted.status === 'refused') return refusal(admitted)
  if (admitted.status === 'left_out') return skippedFor(leftOutFor(admitted.existing))
  // An existing file keeps its products; those of the draft are only for a new one.
  const mapped = 'mapped' in admitted ? admitted.mapped : draft.mappings.length > 0
  const after = { filename: admitted.filename, product_mapped: mapped }
  const created = { ...after, created: true }
  if (!('fileId' in admitted)) return { status: 'done', after: created }
  const { fileId: file_id } = admitted
  switch (admitted.status) {
    case 'created':
      return { status: 'done', file_id, after: created }
    case 'replaced':
      return { status: 'done', file_id, after: { ...after, replaced: true } }
    case 'versioned':
      return {
        status: 'done',
        file_id,
        before: { ...admitted.ledger?.before, version: admitted.before },
        after: { ...admitted.ledger?.after, ...after, version: admitted.version },
      }
    case 'same':
      return admitted.ledger
        ? {
            status: 'done',
            file_id,
            before: admitted.ledger.before,
            after: { ...admitted.ledger.after, ...after },
          }
        : { status: 'done', file_id, after: { ...after, same_bytes: true } }
  }
}

/** The outcome of an item whose file was changed or would be. `overtaken`: the item is tried again. */
export function resultOfChange(changed: ChangeResult): WriteResult {
  switch (changed.status) {
    case 'changed':
      return { status: 'done', ...changed.ledger }
    case 'same':
      return { status: 'done' }
    case 'overtaken':
      return { status: 'pending' }
    case 'drifted':
      return skippedFor({ reason: CHANGED_SINCE_PREVIEW })
    case 'refused':
      return refusal(changed)
  }
}

/**
 * The outcome of an item that failed. Without `retryable`, only a file in use is worth another
 * attempt.
 */
const refusal = ({
  code,
  message,
  retryable = code === 'file_in_use',
}: {
  code: string
  message: AnyText
  retryable?: boolean
}): WriteResult => ({
  status: 'failed',
  error: { code, ...storedMessage(message), retryable },
})

// Calls the writers of the effects that items asked for, and adds what they record to the outcomes.

export type Results = Map<WorkItem, WriteResult>

/** The outcome of an item that has been written. Throws if it has none. */
export const resultOf = (
  results: ReadonlyMap<WorkItem, WriteResult>,
  item: WorkItem,
): WriteResult => present(results.get(item), 'the outcome of an item')

/**
 * Prepares the effects, before the files are changed. Items that an effect refuses get their result
 * now.
 * @returns what the outcomes of the others record
 */
export async function prepareEffects(
  tx: ShopScope,
  operation: OperationRow,
  done: readonly WorkItem[],
  { effects, results }: { effects: readonly Effect[]; results: Results },
): Promise<EffectRecords> {
  const records = new Map<WorkItem, Record<string, unknown>>()
  const wanted = wantedOf(done)
  for (const { name, prepare } of effects) {
    if (!prepare || !wanted.has(name)) continue
    const requests = requestsOf(name, done, results)
    if (requests.length === 0) continue
    for (const [item, { problem, record }] of await prepare(tx, operation, requests))
      if (problem) results.set(item, refusal(problem))
      else records.set(item, { ...records.get(item), ...record })
  }
  return records
}

/** Takes back what was prepared for items whose change was not made. */
export async function takeBackEffects(
  tx: ShopScope,
  operation: OperationRow,
  refused: readonly WorkItem[],
  effects: readonly Effect[],
): Promise<void> {
  const wanted = wantedOf(refused)
  for (const { name, takeBack } of effects) {
    if (!wanted.has(name)) continue
    const items = refused.filter((item) => item.effects[name])
    if (items.length > 0) await takeBack?.(tx, operation.id, items)
  }
}

/** Writes and undoes the effects of the items that are done, after the files are changed. */
export async function recordEffects(
  tx: ShopScope,
  operation: OperationRow,
  { effects, results }: { effects: readonly Effect[]; results: Results },
): Promise<void> {
  const done = doneItems(results)
  const wanted = wantedOf(done)
  const undoes = done.some((item) => item.undo)
  for (const { name, write, undo } of effects) {
    const requests = wanted.has(name) ? requestsOf(name, done, results) : []
    if (requests.length > 0) addRecords(results, await write?.(tx, operation, requests))
    if (!undoes) continue
    const undone = done.flatMap((item) => item.undo?.after[name] ?? [])
    if (undone.length > 0) await undo?.(tx, undone)
  }
}

/** The names of the effects that the items asked for: mostly there are none. */
const wantedOf = (items: readonly WorkItem[]): ReadonlySet<string> =>
  new Set(items.flatMap(({ effects }) => Object.keys(effects)))

/** The items for which each effect that was previewed would record something. */
export type PreviewedEffects = ReadonlyMap<EffectName, ReadonlySet<WorkItem>>

/** Adds what the effects of items that would be done would record. */
export async function previewEffects(
  tx: ShopScope,
  { effects, results }: { effects: readonly Effect[]; results: Results },
): Promise<PreviewedEffects> {
  const done = doneItems(results)
  const previewed = new Map<EffectName, ReadonlySet<WorkItem>>()
  const wanted = wantedOf(done)
  for (const { name, preview } of effects) {
    if (!wanted.has(name)) continue
    const requests = requestsOf(name, done, results)
    if (!preview || requests.length === 0) continue
    const records = await preview(tx, requests)
    previewed.set(name, new Set(records?.keys()))
    addRecords(results, records)
  }
  return previewed
}

const doneItems = (results: Results): WorkItem[] =>
  [...results].flatMap(([item, { status }]) => (status === 'done' ? [item] : []))

/**
 * The items' requests for this effect. An item that creates its file has the file in its result.
 */
const requestsOf = (
  name: EffectName,
  items: readonly WorkItem[],
  results: Results,
): EffectRequest<never>[] =>
  items.flatMap((item) => {
    const values = item.effects[name]
    const { file_id, before = {} } = results.get(item) ?? {}
    const file = file_id ?? item.file_id ?? ''
    return values ? [{ item, file, before, values: values as never[] }] : []
  })

/** Adds what effects recorded to the outcomes of items that are done. */
export function addRecords(results: Results, records: EffectRecords | void): void {
  for (const [item, record] of records ?? []) {
    const result = resultOf(results, item)
    if (result.status !== 'done') continue
    results.set(item, {
      ...result,
      before: result.before ?? {},
      after: { ...result.after, ...record },
    })
  }
}
