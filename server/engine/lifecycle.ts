// The moves of an operation: pause, resume, cancel, retry, confirm, and in which status each is
// allowed. A move is one transaction.
import { type Plugin, say, type Text, type Workflow } from '../../plugins/contract/index.ts'
import { type ShopScope, retryTransaction } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import type { Listener } from '../core/db/listener.ts'
import { ENDED, type OperationRow, type OperationStatus } from './types.ts'
import type { EngineParts, RunGuard } from './parts.ts'
import { reopen, RUN_MOVE, type OperationMove } from './moves.ts'
import { readOperation } from './read.ts'
import { replaceWorkflowOf } from './replaced-workflow.ts'
import { storedWorkflow } from './start.ts'

const MOVES: Record<
  OperationMove,
  { from: readonly OperationStatus[]; also?(operation: OperationRow): boolean }
> = {
  pause: { from: ['queued', 'running'] },
  resume: { from: ['paused'] },
  cancel: { from: ['previewing', 'previewed', 'queued', 'running', 'paused'] },
  retry: {
    from: ['partial', 'failed', 'cancelled'],
    also: canRetry,
  },
  confirm: {
    from: ['previewed'],
    also: ({ question }) => question === null || question.answer === 'approved',
  },
}

export const MOVE_NAMES = Object.keys(MOVES) as OperationMove[]

/** Whether it was started as a preview and is not confirmed. */
const isUnconfirmed = ({ preview, round }: OperationRow): boolean => preview && round === 0

/** Whether it is a discarded preview, which has changed nothing. */
export const isDiscarded = (operation: OperationRow): boolean =>
  operation.status === 'cancelled' && isUnconfirmed(operation)

/** Whether the operation has ended. A cancelled one ends only after its last steps have run. */
export const hasEnded = ({ status, finished_at }: OperationRow): boolean =>
  ENDED.includes(status) && finished_at !== null

/** Whether nothing changes its items until a person confirms, resumes or retries it. */
export const isResting = (operation: OperationRow): boolean =>
  hasEnded(operation) || operation.status === 'previewed' || operation.status === 'paused'

/** Whether it is a preview that can never be confirmed: what it found was not done. */
export const isEndedPreview = (operation: OperationRow): boolean =>
  ['cancelled', 'failed'].includes(operation.status) && isUnconfirmed(operation)

/** SQL: the operation `o` is such a preview. */
export const IS_ENDED_PREVIEW = `(o.status in ('cancelled', 'failed') and o.preview and o.round = 0)`

/** Whether its preview is a question that waits for an answer. */
export const asksNow = ({ question, status, continue_at }: OperationRow): boolean =>
  question !== null && status === 'previewed' && continue_at !== null

/**
 * Whether a retry makes sense: not while or after it is undone, and not after a discarded preview.
 */
function canRetry(operation: OperationRow): boolean {
  const { total, ledger, done, failed, cancelled, stopped } = operation
  const { finished_at, undoes, undone_by, detail } = operation
  if (finished_at === null || undone_by !== null || isUnconfirmed(operation)) return false
  // The ledger of the undone operation must still exist; an undo that changed nothing is started
  // again instead.
  if (undoes !== null) return done > 0 && failed + cancelled > 0 && detail === 'kept'
  // Its channel added no items: another round would succeed without doing anything.
  if (ledger && total === 0) return false
  // A last step may have failed without a failed file.
  return (failed + cancelled > 0 || stopped !== null) && detail !== 'record'
}

/** Whether this move is possible now. */
export function allows(operation: OperationRow, move: OperationMove): boolean {
  const { from, also } = MOVES[move]
  return from.includes(operation.status) && (also?.(operation) ?? true)
}

/** After these moves the operation runs, as after its start. */
const RUNS_AGAIN: readonly OperationMove[] = ['retry', 'confirm']

/**
 * Makes a move.
 * @throws `operation_state` if it is not possible, `not_found` if there is no such operation, and what
 *   the guards throw
 */
export function moveOperation(
  scope: ShopScope,
  id: string,
  move: OperationMove,
  { plugins, guards }: { plugins: readonly Plugin[]; guards: readonly RunGuard[] },
): Promise<void> {
  const run: Run = (tx, operation) => RUN_MOVE[move](tx, operation, plugins)
  return moving(scope, id, { move, run, guards: RUNS_AGAIN.includes(move) ? guards : [] })
}

/**
 * Confirms a preview whose channel decides again what it does, and whether it may run beside others.
 * Throws as `moveOperation`.
 */
export const reopenOperation = (scope: ShopScope, id: string): Promise<void> =>
  moving(scope, id, { move: 'confirm', run: (tx) => reopen(tx, id), guards: [] })

/**
 * Retries an operation with other steps.
 * @throws what `moveOperation` throws, `workflow_unfit` with every reason why its files cannot be
 *   processed with these steps, and `workflow_broken` if a plugin is not installed
 */
export async function retryWith(
  scope: ShopScope,
  id: string,
  given: Workflow,
  parts: Pick<EngineParts, 'plugins' | 'guards' | 'secrets'>,
): Promise<void> {
  const workflow = await storedWorkflow(parts, scope, given)
  const run: Run = async (tx, operation) => {
    const replaced = await replaceWorkflowOf(tx, operation, workflow, parts.plugins)
    await RUN_MOVE.retry(tx, replaced, parts.plugins)
  }
  await moving(scope, id, { move: 'retry', run, guards: parts.guards })
}

type Run = (tx: ShopScope, operation: OperationRow) => Promise<void>

function moving(
  scope: ShopScope,
  id: string,
  { move, run, guards }: { move: OperationMove; run: Run; guards: readonly RunGuard[] },
): Promise<void> {
  // It locks the operation, then its chains; batches do the reverse. If the two meet, PostgreSQL
  // may choose this transaction to end the deadlock.
  return retryTransaction(scope, async (tx) => {
    const before = guards.length > 0 ? await readOperation(tx, id) : null
    // The locks of the guards come first, as when such an operation is started.
    if (before && allows(before, move)) for (const guard of guards) await guard(tx, before)
    const [operation] = await tx.query<OperationRow>(
      'select * from operations where shop_id = :shop and id = :id for no key update',
      { id },
    )
    if (!operation) throw new AppError('not_found')
    if (!allows(operation, move))
      throw new AppError('operation_state', { message: refusal(operation, move) })
    await run(tx, operation)
    await tx.query(`select pg_notify('operation_progress', :shop || '/' || :id)`, { id })
  })
}

function refusal(operation: OperationRow, move: OperationMove): Text {
  const { status, total, failed, cancelled, stopped, detail } = operation
  if (isDiscarded(operation)) return say('This preview was discarded: start the operation again')
  const ended = ENDED.includes(status)
  if (move === 'retry' && ended && failed + cancelled === 0 && stopped === null)
    return say('No file of this operation failed')
  if (move === 'retry' && ended && total === 0)
    return say('This operation has no files to try again: start another one')
  if (move === 'retry' && detail === 'record')
    return say('The failed files of this operation are no longer recorded')
  if (move === 'confirm' && status === 'previewed')
    return say('This run waits for an answer: approve or reject it')
  const state = STATES[status] ?? say('This operation has ended')
  return say('{state}: {refusal}', { state, refusal: IMPOSSIBLE[move] })
}

/** The statuses of operations that have not ended. */
const STATES: Partial<Record<OperationStatus, Text>> = {
  previewing: say('This operation is being previewed'),
  previewed: say('This operation is a preview'),
  queued: say('This operation is queued'),
  running: say('This operation is running'),
  paused: say('This operation is paused'),
}
const IMPOSSIBLE: Record<OperationMove, Text> = {
  pause: say('it cannot be paused'),
  resume: say('it cannot be resumed'),
  cancel: say('it cannot be cancelled'),
  retry: say('it cannot be tried again'),
  confirm: say('it cannot be confirmed'),
}

/**
 * Ends all operations of a shop without running their last steps: the shop is being deleted, and
 * nothing may be sent about it any more.
 */
export async function stopOperations(tx: ShopScope): Promise<void> {
  await tx.query(
    `with stopped as (
       update operations set status = 'cancelled', open = false, finished_at = now(),
         continue_at = null
       where shop_id = :shop and finished_at is null returning id
     )
     select pg_notify('operation_control', id::text) from stopped`,
  )
}

// Waits for the end of an operation: its notifications are hints to read it again.

/** Notifications may be lost with their connection: the operation is read this often too. */
const POLL_MS = 1000

/**
 * @returns the operation once it has ended, or its current state after `ms` or when `signal`
 *   aborts; null: there is no such operation
 */
export async function waitForEnd(
  listener: Listener,
  scope: ShopScope,
  id: string,
  ms: number,
  signal: AbortSignal,
): Promise<OperationRow | null> {
  const until = performance.now() + ms
  while (true) {
    // Listen before reading: a notification during the read would be lost.
    const stop = new AbortController()
    const left = Math.max(0, until - performance.now())
    const either = AbortSignal.any([signal, stop.signal])
    const hint = nextHint(listener, `${scope.shop}/${id}`, Math.min(left, POLL_MS), either)
    const operation = await readOperation(scope, id)
    if (operation && !hasEnded(operation) && left > 0 && !signal.aborted) await hint
    else {
      stop.abort()
      return operation
    }
  }
}

/** Resolves at the operation's next notification, after `ms`, or when `signal` aborts. */
function nextHint(
  listener: Listener,
  operation: string,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      forget()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const forget = listener.on('operation_progress', (payload) => {
      if (payload === null || payload === operation) end()
    })
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}

/**
 * Calls `handler` with an operation of the shop that may have changed, or with null if any of them
 * may have. Returns the function that stops it.
 */
export const watchProgress = (
  listener: Listener,
  shop: number,
  handler: (operation: string | null) => void,
): (() => void) =>
  listener.on('operation_progress', (payload) => {
    const [of, operation] = payload?.split('/') ?? []
    if (payload === null || Number(of) === shop) handler(operation ?? null)
  })
