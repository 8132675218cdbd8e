// The events of an operation that ended. The plugins of its steps declare them.
import type { Plugin, Workflow } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { toPublicId } from '../../core/ids.ts'
import { raiseTrigger } from '../flow/triggers.ts'
import { raiseEvent, type WebhookEvent } from '../../core/outbox/webhook-events.ts'

/** Maximum number of files that an event names; the operation's items list the others. */
const MAX_FILES = 1000

export interface EndedOperation {
  id: string
  kind: 'import' | 'bulk'
  channel: string
  round: number
  workflow: Pick<Workflow, 'steps'>
}

/** @param worked it changed files; a preview, or one that failed before the first file, did not. */
export async function raiseOperationEvents(
  tx: ShopScope,
  operation: EndedOperation,
  plugins: readonly Plugin[],
  worked: boolean,
): Promise<void> {
  const types: WebhookEvent[] = ['operation.finished']
  if (operation.channel === 'cloud') types.push('sync.finished')
  if (worked) types.push(...changesOf(operation, plugins))
  if (operation.kind === 'import')
    await raiseTrigger(tx, {
      handle: 'import-finished',
      key: `${operation.id}/${operation.round}`,
      operation: operation.id,
    })
  for (const type of types)
    await raiseEvent(tx, {
      type,
      // Retry Failed ends the operation again, and that end is another event.
      key: `${operation.id}/${operation.round}`,
      operation: operation.id,
    })
}

function changesOf(
  { kind, workflow }: EndedOperation,
  plugins: readonly Plugin[],
): Set<WebhookEvent> {
  const announced = workflow.steps.flatMap(
    (step) => plugins.find(({ id }) => id === step.plugin)?.announces ?? [],
  )
  return new Set(kind === 'import' ? ['file.imported', ...announced] : announced)
}

/** The files of an operation: those of its items that are done. */
export async function operationFiles(scope: ShopScope, operation: string): Promise<object> {
  const [row] = await scope.query<{ kind: string; done: number; files: string[] }>(
    `select o.kind, o.done, array(
       select i.file_id from items i
       where i.shop_id = o.shop_id and i.operation_id = o.id and i.status = 'done'
         and i.file_id is not null
       order by i.position limit :most) as files
     from operations o where o.shop_id = :shop and o.id = :operation`,
    { operation, most: MAX_FILES },
  )
  const id = toPublicId(row?.kind === 'import' ? 'import' : 'op', operation)
  return {
    operation_id: id,
    total: row?.done ?? 0,
    file_ids: (row?.files ?? []).map((file) => toPublicId('file', file)),
    more: (row?.done ?? 0) > MAX_FILES ? `/api/operations/${id}/items?status=done` : null,
  }
}
