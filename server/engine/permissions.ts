// The API scopes that someone needs who sets an operation going again, or takes it back: what it does to files is what they do then.
import type { Plugin } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import type { Move } from './lifecycle.ts'
import type { OperationRow } from './types.ts'
import { permissionsOf } from './workflows.ts'

export type Doing = Move | 'undo'
type Ran = Pick<OperationRow, 'id' | 'kind' | 'workflow' | 'undoes'>

export async function permissionsTo(
  doing: Doing,
  scope: ShopScope,
  operation: Ran,
  plugins: readonly Plugin[],
): Promise<string[]> {
  if (doing === 'undo') return toUndo(scope, operation, plugins)
  if (doing !== 'confirm' && doing !== 'retry') return []
  if (operation.undoes === null) return permissionsOf(operation.workflow, plugins)
  const [undone] = await scope.query<Ran>(
    'select id, kind, workflow, undoes from operations where shop_id = :shop and id = :undoes',
    { undoes: operation.undoes },
  )
  return undone ? toUndo(scope, undone, plugins) : []
}

/** As to run it; and to delete, where files that it made go to the trash. */
async function toUndo(scope: ShopScope, { id, kind, workflow }: Ran, plugins: readonly Plugin[]): Promise<string[]> {
  const made = await scope.query('select 1 from created_files where shop_id = :shop and operation_id = :id limit 1', {
    id,
  })
  const trashes = kind === 'import' || made.length > 0
  return [...new Set([...permissionsOf(workflow, plugins), ...(trashes ? ['files:delete'] : [])])]
}
