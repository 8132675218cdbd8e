// Since when the runs of a workflow of the shop end with failed files, and when one works again.
import { z } from 'zod'
import { say } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { parsePublicId, toOperationId } from '../../core/ids.ts'
import { type EndedOperation, defineEvent, raiseEvent } from '../../core/outbox/webhook-events.ts'
import type { OperationRow } from '../../engine/types.ts'

export const workflowRecovered = defineEvent({
  name: 'workflow.recovered',
  title: say('A workflow works again'),
  about: 'The first run of a workflow without failed files after runs that had some',
  data: z.object({
    operation_id: z.string(),
    workflow_id: z.string(),
    failing_since: z.iso.datetime(),
  }),
})

/** Notes how a run of a workflow of the shop ended. */
export async function noteEnd(
  tx: ShopScope,
  { id, kind, round, workflow }: OperationRow,
  { failed }: EndedOperation,
): Promise<void> {
  const [row] = await tx.query<{ since: Date | null }>(
    `update workflows set failing_since = case when :failed then now() end
     where shop_id = :shop and id = :workflow and (failing_since is null) = :failed
     returning old.failing_since as since`,
    { workflow: parsePublicId('workflow', workflow.id), failed },
  )
  if (!row?.since) return
  await raiseEvent(tx, workflowRecovered, {
    key: `${id}/${round}`,
    data: {
      operation_id: toOperationId(kind, id),
      workflow_id: workflow.id,
      failing_since: row.since.toISOString(),
    },
  })
}
