// Items as a worker holds them: rows of `items`, or files of a batch whose items have no rows yet.
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
