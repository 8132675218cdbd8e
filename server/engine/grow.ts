// Operations that take entries while they run: an import of uploads begins with the first complete
// file. It stays open until its channel closes it, and can end only then.
import { storedWarning } from '../core/texts.ts'
import type { Entry, RowChange, Warning } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { present } from '../core/lazy.ts'
import type { Draft } from '../files/drafts.ts'
import { predecessorsOf } from './freeze.ts'
import { BATCH } from './steps.ts'
import { queueChain, queueFinish } from '../core/queue/queue.ts'
import { announceControl } from './runner.ts'
import type { Stop } from './types.ts'

/** An entry that an open import gets. */
export interface GrowingEntry {
  entry: Entry
  draft: Draft
  /** The position of the operation's newest item of this name, or null. */
  after: number | null
}

/** An existing file (a bare UUID) and the change of it. */
export interface GrowingChange {
  file: string
  wanted: RowChange | null
}

/**
 * Appends items. The caller must prevent concurrent additions.
 * @returns the position of the first one; null: the operation was closed or cancelled
 */
export async function addEntries(
  tx: ShopScope,
  operation: string,
  entries: readonly (GrowingEntry | GrowingChange)[],
): Promise<number | null> {
  // Locked before the operation's row, as in a commit. Waits for a chain that is about to end,
  // which has not seen the new items. Takes a chain for each new batch, so that they run
  // concurrently.
  const chains = await tx.query<{ chain: number }>(
    `select chain from (
       select chain, ended, worker_id from chains
       where shop_id = :shop and operation_id = :operation and chain >= 0 order by chain for update
     ) locked order by ended desc, worker_id is null desc, chain limit :batches`,
    { operation, batches: Math.max(1, Math.ceil(entries.length / BATCH)) },
  )
  const [grown] = await tx.query<{ first: number; paused: boolean }>(
    `update operations set total = total + :count
     where shop_id = :shop and id = :operation and open
       and status in ('queued', 'running', 'paused', 'previewing')
     returning total - :count as first, status = 'paused' as paused`,
    { operation, count: entries.length },
  )
  if (!grown || chains.length === 0) return null
  const { first } = grown
  await tx.query(
    `insert into items (shop_id, operation_id, position, file_id, entry, draft, wanted, waits_for)
     select :shop, :operation, :first + n::int - 1, (e ->> 'file')::uuid, e -> 'entry',
       e -> 'draft', nullif(e -> 'wanted', 'null'), (e ->> 'before')::int
     from jsonb_array_elements(:entries::jsonb) with ordinality as t(e, n)`,
    { operation, first, entries: JSON.stringify(linked(entries, first)) },
  )
  await tx.query(
    `update chains set ended = false where shop_id = :shop and operation_id = :operation
      and chain = any(:chains::int[])`,
    { operation, chains: chains.map(({ chain }) => chain) },
  )
  if (!grown.paused) for (const { chain } of chains) await queueChain(tx, operation, chain)
  return first
}

function linked(entries: readonly (GrowingEntry | GrowingChange)[], first: number) {
  const imported = entries.flatMap((each, place) => ('entry' in each ? [{ ...each, place }] : []))
  const rows: object[] = [...entries]
  for (const [n, at] of predecessorsOf(imported).entries()) {
    const { entry, draft, after, place } = present(imported[n], 'an added entry')
    const before = at === null ? after : first + present(imported[at], 'an added entry').place
    rows[place] = { entry, draft, before }
  }
  return rows
}

/**
 * Ends the additions to an operation: it ends with its last item. Idempotent.
 * @param warnings warnings of the operation as a whole
 */
export async function closeOperation(
  tx: ShopScope,
  operation: string,
  warnings: readonly Warning[] = [],
): Promise<void> {
  const [closed] = await tx.query<{ complete: boolean }>(
    `update operations set open = false, warnings = :warnings where shop_id = :shop
       and id = :operation and open
     returning status in ('queued', 'running', 'previewing')
       and done + failed + skipped + cancelled = total as complete`,
    { operation, warnings: JSON.stringify(warnings.map(storedWarning)) },
  )
  if (closed?.complete) await queueFinish(tx, operation)
}

/**
 * Makes an open operation that has no items yet a preview, which a person must confirm; false: it
 * is closed or cancelled, or has items. One that was confirmed before must be confirmed again.
 */
export const previewOpen = (tx: ShopScope, operation: string): Promise<boolean> =>
  tx.has(
    `update operations set preview = true, round = 0, status = 'previewing', paused_at = null
     where shop_id = :shop and id = :operation and open and total = 0
       and status in ('queued', 'running', 'paused', 'previewing')
     returning id`,
    { operation },
  )

/** Fails an operation to which its channel cannot add items; waiting items are cancelled. */
export async function failOpen(tx: ShopScope, operation: string, stop: Stop): Promise<void> {
  const [failed] = await tx.query<{ id: string }>(
    `update operations set open = false, stopped = :stop::jsonb, paused_at = null,
       started_at = coalesce(started_at, now()),
       status = case when status = 'previewing' then status else 'running' end,
       cancelled = total - done - failed - skipped
     where shop_id = :shop and id = :operation and open
       and status in ('queued', 'running', 'paused', 'previewing')
     returning id`,
    { operation, stop: JSON.stringify(stop) },
  )
  if (!failed) return
  await queueFinish(tx, operation)
  await announceControl(tx, operation)
}
