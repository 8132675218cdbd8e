// Freezes what an operation works on when it starts: its items in their order, or arrays of file ids
// whose items are written when they end.
import type { Entry, RowChange } from '../../plugins/contract/index.ts'
import type { Bindings, ShopScope } from '../core/db/for-shop.ts'
import type { Draft } from '../files/drafts.ts'
import { compileFilter, type FileFilter } from '../files/filter.ts'
import { nameKey } from '../files/rules.ts'
import type { EndedItem } from './types.ts'

/**
 * What an operation works on: entries of an import; files by their bare UUIDs, in this order; all
 * files that a filter selects; or files with a change each.
 */
export type OperationSource =
  | { type: 'entries'; entries: readonly { entry: Entry; draft: Draft }[] }
  | { type: 'files'; ids: readonly string[] }
  | { type: 'filter'; filter: FileFilter }
  | { type: 'rows'; rows: readonly { id: string; wanted: RowChange }[] }
  /** The items of another operation, to undo them. */
  | { type: 'operation'; id: string }

/**
 * Freezes the selection in its order.
 * @param batches the largest batch and the number of chains that share them; null: each item gets
 *   its row now
 * @returns the number of items
 */
export async function freezeItems(
  tx: ShopScope,
  operation: string,
  source: OperationSource,
  batches: { most: number; chains: number } | null,
): Promise<number> {
  const [ordered, bindings] = await orderedItems(tx, source)
  const kept =
    batches !== null && source.type !== 'operation' && source.type !== 'rows'
      ? EVEN_BATCHES
      : `insert into items (shop_id, operation_id, position, file_id, entry, draft, wanted,
         waits_for)
         select :shop, :operation, position, file_id, entry, draft, wanted, waits_for from ordered
           order by position returning 1 as files`
  const row = await tx.one<{ total: number }>(
    `with ordered as (${ordered}), kept as (${kept}) select coalesce(sum(files), 0) as total
       from kept`,
    { operation, ...bindings, ...batches },
  )
  return row.total
}

/**
 * SQL: inserts batches as large as possible, such that no chain is without work while another one
 * has a whole batch left.
 */
const EVEN_BATCHES = `
  insert into item_batches (shop_id, operation_id, position, file_ids)
  select :shop, :operation, first, ids[first + 1 : first + size]
  from (
    select ids, n, ceil(n / (used * ceil(n / used / :most)))::int as size
    from (
      select array_agg(file_id order by position) as ids, count(*)::numeric as n,
        least(:chains, ceil(count(*)::numeric / :most)) as used
      from ordered
    ) counted where n > 0
    offset 0 -- the array is made once, not once a batch
  ) shared, generate_series(0, n::int - 1, size) as first
  returning cardinality(file_ids) as files`

/** SQL whose rows are position, file_id, entry, draft, wanted and waits_for. */
async function orderedItems(
  tx: ShopScope,
  source: OperationSource,
): Promise<[sql: string, bindings: Bindings]> {
  const none =
    'null::jsonb as entry, null::jsonb as draft, null::jsonb as wanted, null::int as waits_for'
  switch (source.type) {
    case 'entries':
      return [
        `select (n - 1)::int as position, null::uuid as file_id, e -> 'entry' as entry,
           e -> 'draft' as draft, null::jsonb as wanted, (e ->> 'waits_for')::int as waits_for
         from jsonb_array_elements(:entries::jsonb) with ordinality as t(e, n)`,
        { entries: JSON.stringify(linked(source.entries)) },
      ]
    case 'files':
      return [
        `select (row_number() over (order by min(n)) - 1)::int as position, id as file_id, ${none}
         from unnest(:ids::uuid[]) with ordinality as t(id, n) group by id`,
        { ids: source.ids },
      ]
    case 'rows':
      return [
        `select (n - 1)::int as position, (e ->> 'id')::uuid as file_id, null::jsonb as entry,
           null::jsonb as draft, e -> 'wanted' as wanted, null::int as waits_for
         from jsonb_array_elements(:rows::jsonb) with ordinality as t(e, n)`,
        { rows: JSON.stringify(source.rows) },
      ]
    case 'filter': {
      // Ids grow with time: this is the order in which files were created, and their order on the
      // disk.
      const { sql, bindings } = await compileFilter(tx, source.filter)
      return [
        `select (row_number() over (order by id) - 1)::int as position, id as file_id,
         ${none} from files
         where files.shop_id = :shop and ${sql}`,
        bindings,
      ]
    }
    case 'operation':
      // The files that the operation made come after the files that it changed.
      return [
        `select position, file_id, ${none} from items
         where shop_id = :shop and operation_id = :undone and status = 'done' and after is not null
           and file_id is not null
         union all
         select (o.total - 1 + row_number() over (order by c.position, c.ordinal))::int, c.file_id,
           ${none}
         from created_files c join operations o on o.shop_id = c.shop_id and o.id = c.operation_id
         where c.shop_id = :shop and c.operation_id = :undone`,
        { undone: source.id },
      ]
  }
}

/** The entries, each with the position of the previous one that asks for the same name. */
function linked(entries: Extract<OperationSource, { type: 'entries' }>['entries']) {
  const before = predecessorsOf(entries)
  return entries.map((each, at) =>
    before[at] === null ? each : { ...each, waits_for: before[at] },
  )
}

// Entries of one import that ask for the same filename are fetched in parallel but end in the order
// of the request: the first one gets the name, and the last one's bytes are the newest version.
// Otherwise the fastest origin would decide.

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
 * Reads the positions of an operation's newest items of these names, by the keys of the names: files
 * of one name are imported in the order of their arrival.
 */
export async function newestOf(
  tx: ShopScope,
  operation: string,
  names: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.query<{ name: string; position: number }>(
    `select lower(entry ->> 'filename') as name, max(position) as position from items
     where shop_id = :shop and operation_id = :operation
       and lower(entry ->> 'filename') = any(:names::text[]) group by 1`,
    { operation, names: names.map(nameKey) },
  )
  return new Map(rows.map(({ name, position }) => [name, position]))
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
