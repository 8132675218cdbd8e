// Starts an undo: a separate operation over the items of another one, once, and within the undo
// window.
import {
  say,
  type Workflow,
  FILE_SETTINGS,
  SETTING_NAMES,
  type AnyText,
  sayPlain,
  textOf,
  ownValue,
  type Plugin,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Ledger } from '../files/change-ledger.ts'
import { applyToDraft } from '../files/draft-changes.ts'
import type { Draft, FileRecord, KeptMapping } from '../files/drafts.ts'
import { findNameOwners } from '../files/name-allocation.ts'
import type { ChangedPacks } from '../files/pack-places.ts'
import { productsOfPacks } from '../files/packs.ts'
import { nameKey } from '../files/rules.ts'
import { lockUndoable, takeUndo } from './moves.ts'
import { startOperation } from './start.ts'
import type { OperationRow, ItemEnding, WorkItem, EndedItem, Undone } from './types.ts'
import {
  itemDraft,
  loadRecords,
  endingOfFailure,
  inUse,
  leftOutFor,
  obstacleOf,
} from './item-work.ts'
import { filePlaceOf, itemPlugins } from './steps.ts'

/**
 * The workflow of the undo. Its items say what to restore, so it has no steps except the
 * notification.
 */
const undoOf = ({ workflow }: OperationRow): Workflow => ({
  id: 'undo',
  title: `Undo: ${workflow.title}`,
  action: 'undo',
  kind: 'bulk',
  // Operations that ran in order are undone in reverse order.
  parallel: Math.min(2, workflow.parallel),
  steps: workflow.steps.filter(({ plugin }) => plugin === 'notify'),
})

interface UndoRequest {
  requestedBy: string
  channel: string
  /** It is only a preview until it is confirmed. */
  dryRun: boolean
}

/**
 * Starts the undo of an operation, or its preview.
 * @returns the UUID of the undo, which is an operation too
 * @throws `operation_state` if it cannot be undone now, `not_found` if there is no such operation
 */
export function startUndo(scope: ShopScope, id: string, by: UndoRequest): Promise<string> {
  return scope.transaction(async (tx) => {
    const operation = await lockUndoable(tx, id)
    const undo = await startOperation(
      tx,
      {
        workflow: undoOf(operation),
        source: { type: 'operation', id },
        request: {},
        ...by,
      },
      [],
    )
    if (!by.dryRun) await takeUndo(tx, id, undo)
    return undo
  })
}

// Undo: restores what another operation changed in a file, if it is still as that operation left
// it. Drift counts only in the fields that the operation changed: a download is no drift. An undo
// is an operation without steps, so it has progress, history and recovery like any other, and
// plugins with `undo: 'fields'` contain no code for it. A file that was not changed since gets back
// even the time of its last change.

/** How long an operation can be undone. */
export const UNDO_WINDOW = '7 days'

/** Loads into each item of an undo what the operation `undoes` did to its file. */
async function loadUndo(tx: ShopScope, undoes: string, items: readonly WorkItem[]): Promise<void> {
  const rows = await tx.query<Ledger & { position: number; at: string }>(
    `select position, coalesce(before, '{}') as before, coalesce(after, '{}') as after,
       finished_at::text as at from items
     where shop_id = :shop and operation_id = :undoes and position = any(:positions)`,
    { undoes, positions: items.map(({ position }) => position) },
  )
  const ledgers = new Map(rows.map(({ position, ...ledger }) => [position, ledger]))
  for (const item of items) item.undo = ledgers.get(item.position) ?? null
  await loadGiven(tx, items)
  // The files that the operation created follow its own items.
  const others = items.filter(({ undo, file_id }) => undo === null && file_id !== null)
  if (others.length === 0) return
  const made = await tx.query<{ file_id: string }>(
    `select file_id from created_files
     where shop_id = :shop and operation_id = :undoes and file_id = any(:files::uuid[])`,
    { undoes, files: others.map(({ file_id }) => file_id) },
  )
  const ids = new Set(made.map(({ file_id }) => file_id))
  for (const item of others)
    if (item.file_id !== null && ids.has(item.file_id))
      item.undo = { before: {}, after: { created: true }, at: '' }
}

/** Loads what the packs give in which files stay whose entries into other packs are undone. */
async function loadGiven(tx: ShopScope, items: readonly WorkItem[]): Promise<void> {
  const leaving = items.flatMap(({ record, undo }) => {
    const added = undo?.after.packs as ChangedPacks | undefined
    const others = record?.packs.filter((id) => !added?.added.some((pack) => pack.id === id)) ?? []
    return undo && added && added.added.length > 0 && others.length > 0 ? [{ undo, others }] : []
  })
  const products = await productsOfPacks(tx, [...new Set(leaving.flatMap(({ others }) => others))])
  for (const { undo, others } of leaving)
    undo.given = new Set(others.flatMap((id) => [...(products.get(id) ?? [])]))
}

const skipped = (reason: AnyText): ItemEnding => ({ status: 'skipped', reason })

/**
 * Restores in the item's draft what the other operation changed.
 * @returns why the item is skipped; null: it is restored
 */
function revert(item: WorkItem): ItemEnding | null {
  const { record, undo } = item
  if (!record) return skipped(sayPlain('It was permanently deleted'))
  const draft = itemDraft(item)
  if (!undo) return skipped(sayPlain('Its changes are no longer recorded'))
  const { before, after } = undo
  if (after.replaced) return skipped(sayPlain('It replaced an older file, which was deleted'))
  if (after.created) return trash(record, draft)
  const drifted = driftOf(record, undo)
  if (drifted)
    return skipped(
      say('{what}: changed since', { what: textOf(ownValue(FIELD_NAMES, drifted) ?? drifted) }),
    )
  // An import that added a version also records the name, which it did not change.
  for (const field of Object.keys(after).filter(
    (name) => Object.hasOwn(before, name) && !APART.has(name),
  ))
    Object.assign(draft, { [field]: ownValue(before, field) })
  revertTags(record, draft, undo)
  revertMappings(draft, undo)
  // A file that has products since is mapped, even if it was not before.
  if (draft.mappings.length > 0) delete draft.mapping_state
  revertPacks(record, draft, after)
  if ('deleted' in after) {
    draft.deleted = before.deleted as boolean
    if (draft.deleted) draft.deleted_at = before.deleted_at as string
  }
  // If the file has not changed since, the time of its last change is restored too.
  if (record.updated_at === undo.at) draft.updated_at = before.updated_at as string
  return null
}

const APART: ReadonlySet<string> = new Set([
  'tags',
  'mappings',
  'packs',
  'deleted',
  'product_mapped',
])
const FIELD_NAMES: Record<string, string> = {
  filename: sayPlain('Its name'),
  ...Object.fromEntries(SETTING_NAMES.map((name) => [name, FILE_SETTINGS[name].subject])),
  version: sayPlain('Its content'),
  size_bytes: sayPlain('Its content'),
  deleted: sayPlain('Whether it is in the trash'),
  mapping_state: sayPlain('Whether it has a product'),
}

function trash(record: FileRecord, draft: Draft): ItemEnding | null {
  if (record.deleted_at !== null) return skipped(sayPlain('It is in the trash already'))
  draft.deleted = true
  return null
}

/** The first field that has changed since the operation, or null. */
function driftOf(record: FileRecord, { before, after }: Ledger): string | null {
  const now = { ...record, deleted: record.deleted_at !== null } as unknown as Record<
    string,
    unknown
  >
  for (const [field, value] of Object.entries(after)) {
    if (!Object.hasOwn(before, field) || field === 'tags') continue
    if (JSON.stringify(ownValue(now, field)) !== JSON.stringify(value)) return field
  }
  return null
}

function revertTags(record: FileRecord, draft: Draft, { before, after }: Ledger): void {
  const change = after.tags as { added: string[]; removed: string[] } | undefined
  if (!change) return
  const had = before.tags as string[]
  const left = new Set([...had.filter((tag) => !change.removed.includes(tag)), ...change.added])
  const untouched = record.tags.length === left.size && record.tags.every((tag) => left.has(tag))
  if (untouched) draft.tags = had
  else applyToDraft(draft, { tags: { add: change.removed, remove: change.added } })
}

function revertMappings(draft: Draft, { after, given }: Undone): void {
  const change = after.mappings as { added: KeptMapping[]; removed: KeptMapping[] } | undefined
  if (!change) return
  // A product that another pack of the file has too stays.
  const remove = change.added.filter(
    ({ method, product_id, variant_id }) =>
      method !== 'pack' || !given?.has(`${product_id} ${variant_id ?? ''}`),
  )
  applyToDraft(draft, { mappings: { add: change.removed, remove } })
}

/** The file stays in all packs that the operation did not name, and gets its places back. */
function revertPacks(record: FileRecord, draft: Draft, after: Ledger['after']): void {
  const change = after.packs as ChangedPacks | undefined
  if (!change) return
  const idsOf = (of: keyof ChangedPacks) => change[of].flatMap(({ id }) => id ?? [])
  const [entered, left] = [idsOf('added'), idsOf('removed')]
  draft.packs = [
    ...record.packs.filter((id) => !entered.includes(id) && !left.includes(id)),
    ...left,
  ]
  draft.pack_places = change.removed.flatMap(({ id, position, added_at }) =>
    id === undefined || position === undefined || added_at === undefined
      ? []
      : [{ id, position, added_at }],
  )
}

// Loads what items are about: their files' records and, for an undo, what the other operation did.

/** Loads the items' files and, for an undo, what the other operation did to them. */
export async function loadItems(
  tx: ShopScope,
  operation: OperationRow,
  items: readonly WorkItem[],
) {
  await loadRecords(tx, items)
  await loadLeftOut(tx, items)
  if (operation.undoes) await loadUndo(tx, operation.undoes, items)
}

/** Marks entries that are left out, before their bytes are fetched. */
async function loadLeftOut(tx: ShopScope, items: readonly WorkItem[]): Promise<void> {
  const skipping = items.flatMap((item) =>
    item.entry?.on_conflict === 'skip' && item.entry.replaces === undefined
      ? [{ item, key: nameKey(item.entry.filename) }]
      : [],
  )
  if (skipping.length === 0) return
  const owners = await findNameOwners(
    tx,
    skipping.map(({ key }) => key),
  )
  for (const { item, key } of skipping) item.left_out_for = owners.get(key) ?? null
}

// Before the first step: items whose files are gone or claimed by others end here, and an undo
// restores its items.

export interface PreparedBatch {
  /** Items that need no further work. */
  ended: EndedItem[]
  open: WorkItem[]
}

export function prepare(
  operation: OperationRow,
  plugins: readonly Plugin[],
  items: readonly WorkItem[],
  busy: ReadonlySet<WorkItem>,
): PreparedBatch {
  const place = filePlaceOf(operation.workflow, plugins)
  // Files that get other names may be admitted all the same.
  const renames = itemPlugins(operation.workflow, plugins).some(({ ordered }) => ordered)
  const endingOf = (item: WorkItem): ItemEnding | null => {
    if (item.left_out_for !== null && !renames) return leftOutFor(item.left_out_for)
    if (busy.has(item)) return endingOfFailure(null, item, inUse, 0)
    return operation.undoes === null ? obstacleOf(item, place) : revert(item)
  }
  const prepared: PreparedBatch = { ended: [], open: [] }
  for (const item of items) {
    const ending = endingOf(item)
    if (ending) prepared.ended.push({ item, ending })
    else prepared.open.push(item)
  }
  return prepared
}
