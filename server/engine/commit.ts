// Commits a group of ended items: files, changes and outcomes in one transaction. Only items that
// still carry this claim's lease are written, so a worker that lost the lease writes nothing.
import { retryTransaction, type ShopScope } from '../core/db/for-shop.ts'
import { isDatabaseUnavailable } from '../core/db/error-classes.ts'
import { AppError } from '../core/errors.ts'
import { errorFields, type Logger } from '../core/log.ts'
import { LeaseLost } from '../core/queue/lease.ts'
import { enqueueNext } from './chain.ts'
import { type Claim, releaseFiles } from './claim.ts'
import { partsInOrder, UNBLOCKED } from './freeze.ts'
import type { Effect } from './effect.ts'
import type { EndedItem } from './types.ts'
import { writeEnded } from './write.ts'
import type { WriteLimits } from './write-files.ts'

export interface CommitOptions {
  limits: WriteLimits
  effects: readonly Effect[]
  log: Logger
  /** Whether the batch ends with this group: then the chain's next job is queued. */
  last: boolean
}

/**
 * Writes a group of ended items. Of two items of one name the second is written after the first.
 * @throws `LeaseLost`, or the error of an unavailable database: the rest of the group is then
 *   unwritten
 */
export async function commit(
  scope: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
  options: CommitOptions,
): Promise<void> {
  const parts = partsInOrder(group)
  for (const [at, part] of parts.entries())
    await commitPart(scope, claim, part, {
      ...options,
      last: options.last && at === parts.length - 1,
    })
}

async function commitPart(
  scope: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
  options: CommitOptions,
): Promise<void> {
  try {
    await commitGroup(scope, claim, group, options)
  } catch (error) {
    if (error instanceof LeaseLost || isDatabaseUnavailable(error)) throw error
    await commitOneByOne(scope, claim, group, options, error)
  }
}

/**
 * Writes each item of a group that the database rejects in its own transaction, so that only the
 * faulty one fails.
 */
async function commitOneByOne(
  scope: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
  options: CommitOptions,
  cause: unknown,
): Promise<void> {
  const [only, ...others] = group
  if (!only) throw cause
  const notLast = { ...options, last: false }
  if (others.length > 0) {
    for (const ended of group) await commit(scope, claim, [ended], notLast)
  } else {
    const error = { code: 'internal', message: new AppError('internal').message, retryable: true }
    const failed: EndedItem = { item: only.item, ending: { status: 'failed', error } }
    await commitGroup(scope, claim, [failed], notLast)
    options.log.error('an item could not be written', {
      operation: claim.operation.id,
      ...errorFields(cause),
    })
  }
  if (options.last) await commit(scope, claim, [], options)
}

function commitGroup(
  scope: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
  { limits, effects, last }: CommitOptions,
): Promise<void> {
  return retryTransaction(scope, async (tx) => {
    const blocked = await holdItems(tx, claim, group)
    const files = group.flatMap(({ item }) =>
      item.record && !claim.inUse.has(item) ? [item.record.id] : [],
    )
    if (files.length > 0) await releaseFiles(tx, claim.operation.id, claim.lease, files)
    if (last) await enqueueNext(tx, claim)
    const ended = group.map((each) => (blocked.has(each.item.position) ? waitingItem(each) : each))
    await writeEnded(tx, claim, ended, { limits, effects, fresh: new Set(), uniform: 0 })
  })
}

/**
 * Puts an item back whose predecessor waits for a retry: taking the name now would break the order.
 */
const waitingItem = (ended: EndedItem): EndedItem =>
  ended.ending.status === 'done' ? { item: ended.item, ending: { status: 'returned' } } : ended

/**
 * Locks the items. Returns the positions of those whose name an item before them may still take.
 * @throws `LeaseLost` if this claim no longer holds all of them
 */
async function holdItems(
  tx: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
): Promise<ReadonlySet<number>> {
  const held = await tx.query<{ position: number; blocked: boolean }>(
    `select position, not ${UNBLOCKED} as blocked from items where shop_id = :shop
       and operation_id = :operation and position = any(:positions)
       and status = 'running' and lease = :lease
     order by position for update`,
    {
      operation: claim.operation.id,
      lease: claim.lease,
      positions: group.map(({ item }) => item.position),
    },
  )
  if (held.length !== group.length) throw new LeaseLost()
  return new Set(held.flatMap(({ position, blocked }) => (blocked ? [position] : [])))
}
