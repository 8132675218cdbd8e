// What the features do in the transaction that ends an operation, or that makes its preview ready.
import type { Plugin } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { isEndOf, type EndedOperation } from '../core/outbox/webhook-events.ts'
import type { EndStatus } from './finish-lease.ts'
import type { OperationEnd } from './parts.ts'
import type { OperationRow } from './types.ts'

export interface EndsOptions {
  plugins: readonly Plugin[]
  ends: readonly OperationEnd[]
  /** Whether the operation changed files. */
  worked: boolean
  /** `previewed`: its preview is ready. */
  status: EndStatus | 'previewed'
}

/** Calls those that are for this end, in their order. */
export async function runEnds(
  tx: ShopScope,
  operation: OperationRow,
  { plugins, ends, worked, status }: EndsOptions,
): Promise<void> {
  const end = endOf(operation, plugins, { worked, status })
  for (const { of, run } of ends) if (isEndOf(of, end)) await run(tx, operation, end)
}

const endOf = (
  { kind, channel, action, undoes, preview, round, workflow, ...operation }: OperationRow,
  plugins: readonly Plugin[],
  { worked, status }: Pick<EndsOptions, 'worked' | 'status'>,
): EndedOperation => ({
  kind,
  channel,
  action,
  undo: undoes !== null,
  own: workflow.id.startsWith('workflow_'),
  failed: status === 'partial' || status === 'failed',
  completed: !['previewing', 'cancelled'].includes(operation.status),
  worked,
  confirmed: preview && round > 0,
  previewed: status === 'previewed',
  question: operation.question !== null,
  asked: new Set(Object.keys(operation.request)),
  announced: new Set(
    workflow.steps.flatMap((step) => plugins.find(({ id }) => id === step.plugin)?.announces ?? []),
  ),
})
