// The API scopes needed to confirm, retry or undo an operation: the same as for what it does to
// files.
import type { Entry, Plugin } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { OperationMove } from './moves.ts'
import type { OperationRow } from './types.ts'
import { permissionsOf, withEarlier } from './steps.ts'

export type PermittedMove = OperationMove | 'undo'
type OperationRef = Pick<OperationRow, 'id' | 'kind' | 'workflow' | 'undoes'>

/** The scopes for a move, or for an undo. A pause, a resume and a cancellation need none. */
export async function permissionsTo(
  doing: PermittedMove,
  scope: ShopScope,
  operation: OperationRef,
  plugins: readonly Plugin[],
): Promise<string[]> {
  if (doing === 'undo') return toUndo(scope, operation, plugins)
  if (doing !== 'confirm' && doing !== 'retry') return []
  if (operation.undoes === null)
    return [
      ...new Set([
        ...permissionsOf(operation.workflow, plugins),
        ...(await toOverwrite(scope, operation)),
      ]),
    ]
  const [undone] = await scope.query<OperationRef>(
    'select id, kind, workflow, undoes from operations where shop_id = :shop and id = :undoes',
    { undoes: operation.undoes },
  )
  return undone ? toUndo(scope, undone, plugins) : []
}

const OVERWRITING: readonly Entry['on_conflict'][] = ['overwrite', 'new_version']

/** The scopes that an entry's `on_conflict` needs in addition to those of its workflow. */
export const scopesOfConflict = (onConflict: Entry['on_conflict']): 'files:write'[] =>
  OVERWRITING.includes(onConflict) ? ['files:write'] : []

/** The scopes to overwrite files, for the entries of a retried import that are not imported yet. */
async function toOverwrite(scope: ShopScope, { id, kind }: OperationRef): Promise<string[]> {
  if (kind !== 'import') return []
  const found = await scope.query(
    `select 1 from items where shop_id = :shop and operation_id = :id and status <> 'done'
       and entry ->> 'on_conflict' = any(:overwriting) limit 1`,
    { id, overwriting: OVERWRITING },
  )
  return found.length > 0 ? ['files:write'] : []
}

/**
 * The scopes to undo the operation: those to run it, and to delete if files that it created go to
 * the trash.
 */
async function toUndo(
  scope: ShopScope,
  { id, kind, workflow }: OperationRef,
  plugins: readonly Plugin[],
): Promise<string[]> {
  const made = await scope.query(
    'select 1 from created_files where shop_id = :shop and operation_id = :id limit 1',
    {
      id,
    },
  )
  const trashes = kind === 'import' || made.length > 0
  const ran = permissionsOf(withEarlier(workflow), plugins)
  return [...new Set([...ran, ...(trashes ? ['files:delete'] : [])])]
}
