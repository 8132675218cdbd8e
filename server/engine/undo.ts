// Starts an undo: a separate operation over the items of another one, once, and within the undo
// window.
import { say, type Text, type Workflow } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { startOperation } from './start.ts'
import type { OperationRow } from './types.ts'

/**
 * The workflow of the undo. Its items say what to restore, so it has no steps except the
 * notification.
 */
const undoOf = ({ workflow }: OperationRow): Workflow => ({
  id: 'undo',
  title: `Undo: ${workflow.title}`,
  action: 'undo',
  kind: 'bulk',
  // Operations that ran in order are undone in reverse order.
  parallel: Math.min(2, workflow.parallel),
  steps: workflow.steps.filter(({ plugin }) => plugin === 'notify'),
})

/** Whether the operation can be undone now. */
export const mayUndo = ({ undo_until, undone_by, finished_at }: OperationRow, now: Date): boolean =>
  finished_at !== null && undo_until !== null && undo_until > now && undone_by === null

/**
 * Starts the undo of an operation.
 * @returns the UUID of the undo, which is an operation too
 * @throws `operation_state` if it cannot be undone now, `not_found` if there is no such operation
 */
export function startUndo(
  scope: ShopScope,
  id: string,
  by: { requestedBy: string; channel: string },
): Promise<string> {
  return scope.transaction(async (tx) => {
    const [operation] = await tx.query<OperationRow & { now: Date }>(
      'select *, now() as now from operations where shop_id = :shop and id = :id for no key update',
      { id },
    )
    if (!operation) throw new AppError('not_found')
    if (!mayUndo(operation, operation.now))
      throw new AppError('operation_state', { message: refusal(operation) })
    const undo = await startOperation(
      tx,
      { workflow: undoOf(operation), source: { type: 'operation', id }, request: {}, ...by },
      [],
    )
    await tx.query('update operations set undone_by = :undo where shop_id = :shop and id = :id', {
      id,
      undo,
    })
    return undo
  })
}

function refusal({ status, undone_by, finished_at, undo_until }: OperationRow): Text {
  if (undone_by !== null) return say('This operation has been undone, or is being undone')
  if (status === 'cancelled' && finished_at === null)
    return say('This operation is still being cancelled: wait a moment')
  if (status === 'previewing' || status === 'previewed') return say('This operation is a preview')
  if (finished_at === null) return say('This operation is still running: cancel it first')
  return undo_until === null
    ? say('There is nothing about this operation that can be undone')
    : say('An operation can be undone within 7 days')
}
