// Operations that take entries while they run: an import of uploads begins with the first complete
// file. It stays open until its channel closes it, and can end only then.
import type { Entry } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import type { Draft } from '../../files/drafts.ts'
import { predecessorsOf } from './name-order.ts'
import { queueChain, queueFinish } from '../../queue/queue.ts'

export interface GrowingEntry {
  entry: Entry
  draft: Draft
  /** The position of the operation's newest item of this name, or null. */
  after: number | null
}

/**
 * Appends items and gives the position of the first one, or null if the operation was closed or
 * cancelled. The caller must prevent concurrent additions.
 */
export async function addEntries(
  tx: ShopScope,
  operation: string,
  entries: readonly GrowingEntry[],
): Promise<number | null> {
  // Locked before the operation's row, as a commit does. Waits for a chain that is about to end: it
  // has not seen the new items.
  const [chain] = await tx.query<{ chain: number }>(
    `select chain from (
       select chain, ended, worker_id from chains
       where shop_id = :shop and operation_id = :operation and chain >= 0 order by chain for update
     ) locked order by ended desc, worker_id is null desc, chain limit 1`,
    { operation },
  )
  const [grown] = await tx.query<{ first: number; paused: boolean }>(
    `update operations set total = total + :count
     where shop_id = :shop and id = :operation and open and status in ('queued', 'running', 'paused')
     returning total - :count as first, status = 'paused' as paused`,
    { operation, count: entries.length },
  )
  if (!grown || !chain) return null
  const { first } = grown
  const before = predecessorsOf(entries).map((at, n) =>
    at === null ? entries[n]!.after : first + at,
  )
  await tx.query(
    `insert into items (shop_id, operation_id, position, entry, draft, waits_for)
     select :shop, :operation, :first + n::int - 1, e -> 'entry', e -> 'draft', (e ->> 'before')::int
     from jsonb_array_elements(:entries::jsonb) with ordinality as t(e, n)`,
    {
      ...{ operation, first },
      entries: JSON.stringify(
        entries.map(({ entry, draft }, n) => ({ entry, draft, before: before[n] })),
      ),
    },
  )
  await tx.query(
    'update chains set ended = false where shop_id = :shop and operation_id = :operation and chain = :chain',
    { operation, chain: chain.chain },
  )
  if (!grown.paused) await queueChain(tx, operation, chain.chain)
  return first
}

/** Nothing more will be added: the operation ends with its last item. Idempotent. */
export async function closeOperation(tx: ShopScope, operation: string): Promise<void> {
  const [closed] = await tx.query<{ complete: boolean }>(
    `update operations set open = false where shop_id = :shop and id = :operation and open
     returning status in ('queued', 'running') and done + failed + skipped + cancelled = total as complete`,
    { operation },
  )
  if (closed?.complete) await queueFinish(tx, operation)
}
