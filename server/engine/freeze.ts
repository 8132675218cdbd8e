// Freezes what an operation works on when it starts: its items in their order, or arrays of file ids
// whose items are written when they end.
import type { Entry, FileChange } from '../../plugins/contract.ts'
import type { Bindings, ShopScope } from '../core/db/for-shop.ts'
import type { Draft } from '../files/drafts.ts'
import { compileFilter, type FileFilter } from '../files/filter.ts'
import { predecessorsOf } from './name-order.ts'

/**
 * What an operation works on: entries of an import; files by their bare UUIDs, in this order; all
 * files that a filter selects; or files with a change each.
 */
export type OperationSource =
  | { type: 'entries'; entries: readonly { entry: Entry; draft: Draft }[] }
  | { type: 'files'; ids: readonly string[] }
  | { type: 'filter'; filter: FileFilter }
  | { type: 'rows'; rows: readonly { id: string; wanted: FileChange }[] }
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
