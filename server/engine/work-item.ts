// Items as a worker holds them: rows of `items`, or files of a batch whose items have no rows yet.
import type { FileChange, Mapping } from '../../plugins/contract/index.ts'
import type { Draft } from '../files/drafts.ts'
import { normalizeTags } from '../files/rules.ts'
import { keptTrail } from './trail.ts'
import type { WorkItem } from './types.ts'

/**
 * The columns of a row from which an item is made. Other results of its steps are not stored: the
 * steps run again.
 */
export type ClaimedRow = Pick<
  WorkItem,
  | 'position'
  | 'file_id'
  | 'attempt'
  | 'crashed'
  | 'step'
  | 'entry'
  | 'draft'
  | 'staged'
  | 'plan'
  | 'wanted'
  | 'waits_for'
> & { trail: string | null }
export const ITEM_COLUMNS =
  'position, file_id, attempt, crashed, step, entry, draft, staged, plan, wanted, waits_for, trail'
/** The item of this row. */
export const workItem = (row: ClaimedRow): WorkItem => ({
  ...row,
  trail: keptTrail(row.trail, row.step),
  record: null,
  undo: null,
  known: null,
  byte_steps: null,
  left_out_for: null,
  facts: null,
  branches: new Map(),
  warnings: [],
  effects: {},
  unchanged: null,
  acted: false,
  unpacked: null,
  last: false,
  resume: { step: row.step, staged: row.staged, final: false },
})

/** An item that has no row yet. */
export const freshItem = (of: Pick<WorkItem, 'position' | 'file_id'>): WorkItem =>
  workItem({
    ...of,
    attempt: 1,
    crashed: false,
    step: 0,
    entry: null,
    draft: null,
    staged: null,
    plan: null,
    wanted: null,
    waits_for: null,
    trail: null,
  })

// Applies a plugin's change to an item's draft: of a file that is being imported, or of an existing
// one.

export function applyToDraft(draft: Draft, change: FileChange): void {
  Object.assign(draft, change.set)
  if (change.tags) draft.tags = changedTags(draft.tags, change.tags)
  if (change.mappings) draft.mappings = changedMappings(draft.mappings, change.mappings)
  if (change.pack !== undefined) movePack(draft, change.pack)
  if (change.deleted !== undefined) draft.deleted = change.deleted
  if (change.purged) draft.purged = true
}

function movePack(draft: Draft, pack: NonNullable<FileChange['pack']> | null): void {
  delete draft.new_pack
  delete draft.pack_id
  if (pack === null) draft.pack_id = null
  else if ('id' in pack) draft.pack_id = pack.id
  else draft.new_pack = pack.name
}

function changedTags(tags: readonly string[], change: NonNullable<FileChange['tags']>): string[] {
  if ('replace' in change) return normalizeTags(change.replace)
  const removed = new Set(normalizeTags(change.remove ?? []))
  const kept = tags.filter((tag) => !removed.has(tag))
  return normalizeTags([...kept, ...(change.add ?? [])])
}

const sameTarget = (
  a: Pick<Mapping, 'product_id' | 'variant_id'>,
  b: Pick<Mapping, 'product_id' | 'variant_id'>,
) => a.product_id === b.product_id && a.variant_id === b.variant_id

function changedMappings(
  mappings: readonly Mapping[],
  change: NonNullable<FileChange['mappings']>,
): Mapping[] {
  const { remove = [], add = [] } = change
  const kept =
    remove === 'all' ? [] : mappings.filter((one) => !remove.some((gone) => sameTarget(one, gone)))
  return [...kept, ...add.filter((fresh) => !kept.some((one) => sameTarget(one, fresh)))]
}
