// Entries of one import that ask for the same filename are fetched in parallel but end in the order
// of the request: the first one gets the name, and the last one's bytes are the newest version.
// Otherwise the fastest origin would decide.
import type { Entry } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Draft } from '../files/drafts.ts'
import { nameKey } from '../files/rules.ts'
import type { EndedItem } from './types.ts'

/** What an entry targets: a name, or the file whose next version it is. */
const targetOf = ({ entry, draft }: { entry: Entry; draft: Draft }): string =>
  entry.replaces === undefined ? `name ${nameKey(draft.filename)}` : `file ${entry.replaces}`

/** For each entry, the position of the previous one with the same target, or null. */
export function predecessorsOf(
  entries: readonly { entry: Entry; draft: Draft }[],
): (number | null)[] {
  const last = new Map<string, number>()
  return entries.map((each, position) => {
    const target = targetOf(each)
    const before = last.get(target) ?? null
    last.set(target, position)
    return before
  })
}

/**
 * SQL: whether no earlier entry of the same name is unfinished. It names the operation, so that only
 * the month of that one is planned.
 */
export const UNBLOCKED = `(items.waits_for is null or not exists (
  select from items before where before.shop_id = :shop and before.operation_id = :operation
    and before.position = items.waits_for and before.status in ('pending', 'running')))`

/**
 * The items that follow these claimed ones. No other chain can claim them, because an unfinished
 * item before them is ours.
 * @param about how many items at most; and whether only items whose worker died (`crashed`), with
 *   fewer than `attempts` attempts: the others, and those after them, wait
 */
export async function followersOf(
  tx: ShopScope,
  operation: string,
  claimed: readonly number[],
  about: { crashed: boolean; attempts: number; most: number },
): Promise<number[]> {
  const rows = await tx.query<{ position: number }>(
    `with recursive following as (
       select f.position from items f
       where f.shop_id = :shop and f.operation_id = :operation
         and f.waits_for = any(:claimed::int[]) and ${WAITS}
       union
       select f.position from following before
       join items f
         on f.shop_id = :shop and f.operation_id = :operation and f.waits_for = before.position
           and ${WAITS}
     )
     select position from following order by position limit :most`,
    { operation, claimed, ...about },
  )
  return rows.map(({ position }) => position)
}

const WAITS = `f.status = 'pending' and f.crashed = :crashed::boolean
  and (not f.crashed or f.attempt < :attempts::int)
  and (f.run_after is null or f.run_after <= now())`

/**
 * After a retry, links each pending item to the nearest pending item of its name: the items between
 * them have ended, and the order would be lost. An item without one keeps its link, so that the
 * next retry finds the same group.
 */
export async function relinkRetried(tx: ShopScope, operation: string): Promise<void> {
  await tx.query(
    `with recursive named as (
       select position, position as root from items r
       where shop_id = :shop and operation_id = :operation and waits_for is null and exists (
         select from items f
         where f.shop_id = :shop and f.operation_id = :operation and f.waits_for = r.position)
       union all
       select f.position, named.root from named
       join items f
         on f.shop_id = :shop and f.operation_id = :operation and f.waits_for = named.position
     ), linked as (
       select named.position, lag(named.position) over same_name as nearest
       from named join items i
         on i.shop_id = :shop and i.operation_id = :operation and i.position = named.position
       where i.status = 'pending'
       window same_name as (partition by root order by named.position)
     )
     update items set waits_for = nearest from linked
     where items.shop_id = :shop and items.operation_id = :operation
       and items.position = linked.position and nearest is not null and nearest <> waits_for`,
    { operation },
  )
}

/** Yields the items of a batch, each after the one before it of the same name. */
export async function* inNameOrder(
  ended: AsyncIterable<EndedItem>,
  batch: readonly { position: number; waits_for: number | null }[],
): AsyncGenerator<EndedItem> {
  const open = new Set(batch.map(({ position }) => position))
  const held = new Map<number, EndedItem[]>()
  for await (const one of ended) {
    const ready = [one]
    for (let next = ready.pop(); next; next = ready.pop()) {
      const { position, waits_for } = next.item
      if (waits_for !== null && open.has(waits_for)) {
        held.set(waits_for, [...(held.get(waits_for) ?? []), next])
        continue
      }
      open.delete(position)
      yield next
      ready.push(...(held.get(position) ?? []).reverse())
      held.delete(position)
    }
  }
}

/**
 * Splits a group so that no part has two items of one name: outcomes are written one after another.
 */
export function partsInOrder(group: readonly EndedItem[]): EndedItem[][] {
  const parts: EndedItem[][] = [[]]
  const partOf = new Map<number, number>()
  for (const each of group) {
    const before = each.item.waits_for === null ? undefined : partOf.get(each.item.waits_for)
    const part = before === undefined ? 0 : before + 1
    partOf.set(each.item.position, part)
    ;(parts[part] ??= []).push(each)
  }
  return parts
}
