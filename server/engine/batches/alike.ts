// A batch whose one step means the same change for every file: the database makes it and writes the items, in one statement.
import type { ItemPlugin, Plugin } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import { updateAlike, type AlikeUpdate } from '../../files/alike.ts'
import type { HeldChain } from './claim.ts'
import { freshItem, TAKE_BATCHES } from './item-batches.ts'
import type { ResolvedStep, WorkItem } from '../types.ts'
import { placeOf } from '../operations/workflows.ts'

/** Null: its steps are more than one such change. */
export function alikeOf(
  { operation }: HeldChain,
  steps: readonly ResolvedStep<ItemPlugin>[],
  plugins: readonly Plugin[],
): AlikeUpdate | null {
  const [step] = steps
  const one = steps.length === 1 && step!.when === undefined && placeOf(operation.workflow, plugins) === 'files'
  if (!one || operation.status === 'previewing') return null
  const change = step!.pluginImpl.uniform?.(step!.parsedOptions) ?? null
  return change && updateAlike(change)
}

export interface AlikeBatch {
  /** Items that are changed and written. */
  done: number
  /** Those that want to be looked at one by one: they have no rows yet. */
  left: WorkItem[]
}

/** Takes the next so many batches, for as long as the transaction holds; null: there is none left, or others have them. */
export async function workAlike(
  tx: ShopScope,
  operation: string,
  update: AlikeUpdate,
  batches: number,
): Promise<AlikeBatch | null> {
  const [row] = await tx.query<{ done: number; left: Pick<WorkItem, 'position' | 'file_id'>[] }>(
    // Of rows that were just taken the planner knows no number: a full join is never a loop in a loop.
    `with taken as (${TAKE_BATCHES}),
     given as materialized (
       select b.position + n - 1 as position, id from taken b, unnest(b.file_ids) with ordinality as t(id, n)),
     changed as (${update.sql}),
     met as materialized (
       select given.position, given.id, changed.id is not null as done, changed.before, changed.after
       from given full join changed on changed.id = given.id),
     written as (
       insert into items (shop_id, operation_id, position, file_id, status, attempt, step, before, after, finished_at)
       select :shop, :operation, position, id, 'done', 1, 1, before, after, now() from met where done)
     select count(*) filter (where done)::int as done,
       coalesce(json_agg(json_build_object('position', position, 'file_id', id) order by position) filter (where not done), '[]')
         as left
     from met`,
    { ...update.bindings, operation, batches },
  )
  const left = row!.left.map(freshItem)
  return row!.done + left.length === 0 ? null : { done: row!.done, left }
}
