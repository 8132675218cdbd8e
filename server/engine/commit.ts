// Committing: a group of ended items becomes files, versions, mappings and outcomes in one transaction. Only items that
// still carry this claim's lease are written: whoever lost the lease writes nothing.
import { isDatabaseAway, isRollback } from '../db/faults.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { AppError } from '../errors.ts'
import { admitFiles, type Admitted } from '../files/admit.ts'
import { errorFields, type Logger } from '../log.ts'
import type { Claim } from './claim.ts'
import { countOutcomes } from './outcomes.ts'
import { queueChain } from './queue.ts'
import type { EndedItem, ItemError, ItemStatus } from './types.ts'

/** Another worker has taken this chain over: stop, write nothing. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease was taken over')
    this.name = 'LeaseLost'
  }
}

interface OutcomeRow {
  position: number
  status: ItemStatus
  file_id: string | null
  error: ItemError | null
  delay_ms: number | null
  step: number
  staged: unknown
  candidates: unknown
  warnings: unknown
  after: unknown
  attempt: number
}

export interface CommitOptions {
  limits: { file_bytes: number }
  log: Logger
  /** The batch ends with this group: hand the chain on to its successor. */
  last: boolean
}

const ROLLBACK_TRIES = 5

/** Throws `LeaseLost`, or what says that the database is away, with nothing of the group written. */
export async function commit(
  scope: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
  options: CommitOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await commitGroup(scope, claim, group, options)
    } catch (error) {
      if (error instanceof LeaseLost || isDatabaseAway(error)) throw error
      if (isRollback(error) && attempt < ROLLBACK_TRIES) continue
      return commitApart(scope, claim, group, options, error)
    }
  }
}

/** The database refuses something in the group: each item is written by itself, and the one at fault fails alone. */
async function commitApart(
  scope: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
  options: CommitOptions,
  cause: unknown,
): Promise<void> {
  if (group.length === 0) throw cause
  if (group.length > 1) {
    for (const ended of group) await commit(scope, claim, [ended], { ...options, last: false })
  } else {
    const error = { code: 'internal', message: new AppError('internal').message, retryable: true }
    await commitGroup(scope, claim, [{ item: group[0]!.item, ending: { status: 'failed', error } }], {
      ...options,
      last: false,
    })
    options.log.error('an item could not be written', { operation: claim.operation.id, ...errorFields(cause) })
  }
  if (options.last) await commit(scope, claim, [], options)
}

function commitGroup(
  scope: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
  options: CommitOptions,
): Promise<void> {
  return scope.transaction(async (tx) => {
    await holdItems(tx, claim, group)
    const done = group.filter(({ ending }) => ending.status === 'done')
    const admitted = await admitFiles(
      tx,
      done.map(({ item }) => ({
        draft: item.draft,
        staged: item.staged!,
        onConflict: item.entry!.on_conflict,
        channel: claim.operation.channel,
      })),
      options.limits,
    )
    const results = new Map(done.map(({ item }, at) => [item, admitted[at]!]))
    const rows = group.map((ended) => outcomeRow(ended, results.get(ended.item)))
    if (rows.length > 0) await writeOutcomes(tx, claim, rows)
    if (options.last) await handOn(tx, claim)
    // Last, since it locks the row that every chain of the operation writes.
    await countRows(tx, claim, group, rows)
  })
}

async function holdItems(tx: ShopScope, claim: Claim, group: readonly EndedItem[]): Promise<void> {
  const held = await tx.query<{ position: number }>(
    `select position from items where shop_id = :shop and operation_id = :operation and position = any(:positions)
       and status = 'running' and lease = :lease
     order by position for update`,
    {
      operation: claim.operation.id,
      lease: claim.lease,
      positions: group.map(({ item }) => item.position),
    },
  )
  if (held.length !== group.length) throw new LeaseLost()
}

function outcomeRow({ item, ending }: EndedItem, admitted: Admitted | undefined): OutcomeRow {
  const row = {
    position: item.position,
    file_id: null,
    error: null,
    delay_ms: null,
    step: item.step,
    staged: item.staged,
    candidates: item.candidates.length > 0 ? item.candidates : null,
    warnings: item.warnings.length > 0 ? item.warnings : null,
    after: null,
    attempt: item.attempt,
  }
  switch (ending.status) {
    case 'done':
      if (admitted!.status === 'refused') {
        const error = { code: admitted!.code, message: admitted!.message, retryable: false }
        return { ...row, status: 'failed', error }
      }
      return {
        ...row,
        status: 'done',
        staged: null,
        file_id: admitted!.fileId,
        after: { filename: admitted!.filename, product_mapped: item.draft.mappings.length > 0 },
      }
    case 'skipped':
      return { ...row, status: 'skipped', error: { code: 'skipped', message: ending.reason, retryable: false } }
    case 'failed':
      return { ...row, status: 'failed', error: ending.error }
    case 'again':
      return { ...row, status: 'pending', error: ending.error, delay_ms: ending.delayMs }
    case 'returned':
      return { ...row, status: 'pending', attempt: item.attempt - 1 }
  }
}

async function writeOutcomes(tx: ShopScope, claim: Claim, rows: readonly OutcomeRow[]): Promise<void> {
  await tx.query(
    `update items set status = o.status, file_id = coalesce(o.file_id, items.file_id), error = o.error, step = o.step,
       staged = o.staged, candidates = o.candidates, warnings = o.warnings, after = o.after, attempt = o.attempt,
       lease = null, run_after = now() + o.delay_ms * interval '1 millisecond',
       finished_at = case when o.status = 'pending' then null else now() end
     from jsonb_to_recordset(:rows::jsonb) as o(position int, status text, file_id uuid, error jsonb, delay_ms int,
       step smallint, staged jsonb, candidates jsonb, warnings jsonb, after jsonb, attempt smallint)
     where items.shop_id = :shop and items.operation_id = :operation and items.position = o.position`,
    { operation: claim.operation.id, rows: JSON.stringify(rows) },
  )
}

/** The batch is over: the chain is free, and the job that goes on with it is queued. */
async function handOn(tx: ShopScope, claim: Claim): Promise<void> {
  const freed = await tx.query(
    `update chains set worker_id = null, claimed = '{}'
     where shop_id = :shop and operation_id = :operation and chain = :chain and lease = :lease returning 1`,
    { operation: claim.operation.id, chain: claim.chain, lease: claim.lease },
  )
  if (freed.length === 0) throw new LeaseLost()
  await queueChain(tx, claim.operation.id, claim.chain)
}

async function countRows(tx: ShopScope, claim: Claim, group: readonly EndedItem[], rows: readonly OutcomeRow[]) {
  const ended = (status: ItemStatus) => rows.filter((row) => row.status === status).length
  const bytes = group.reduce(
    (sum, { item }, at) => sum + (rows[at]!.status === 'done' ? item.staged!.size_bytes : 0),
    0,
  )
  await countOutcomes(tx, claim.operation.id, {
    done: ended('done'),
    failed: ended('failed'),
    skipped: ended('skipped'),
    bytes,
  })
}
