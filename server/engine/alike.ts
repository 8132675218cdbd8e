// A batch whose one step means the same change for every file: the database makes it and writes the items, in one statement.
import type { ItemPlugin, Plugin } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { updateAlike, type AlikeUpdate } from '../files/alike.ts'
import type { HeldChain } from './claim.ts'
import type { ResolvedStep, WorkItem } from './types.ts'
import { placeOf } from './workflows.ts'

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

/** Gives the positions that are done; the others, where there are any, want to be looked at one by one. */
export async function workAlike(
  tx: ShopScope,
  { operation }: HeldChain,
  update: AlikeUpdate,
  items: readonly WorkItem[],
): Promise<ReadonlySet<number>> {
  const rows = await tx.query<{ position: number }>(
    `with given as (select * from unnest(:ids::uuid[], :positions::int[]) as t(id, position)), changed as (${update.sql})
     insert into items (shop_id, operation_id, position, file_id, status, attempt, step, before, after, finished_at)
     select :shop, :operation, given.position, given.id, 'done', 1, 1, changed.before, changed.after, now()
     from changed join given on given.id = changed.id
     returning position`,
    {
      ...update.bindings,
      operation: operation.id,
      positions: items.map(({ position }) => position),
      ids: items.map(({ file_id }) => file_id),
    },
  )
  return new Set(rows.map(({ position }) => position))
}
