// What the features do in the transaction that ends an operation.
import type { Plugin } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { isEndOf, type EndedOperation } from '../core/operation-ends.ts'
import type { OperationEnd } from './parts.ts'
import type { OperationRow } from './types.ts'

export interface EndsOptions {
  plugins: readonly Plugin[]
  ends: readonly OperationEnd[]
  /** Whether the operation changed files. */
  worked: boolean
}

/** Calls those that are for this end, in their order. */
export async function runEnds(
  tx: ShopScope,
  operation: OperationRow,
  { plugins, ends, worked }: EndsOptions,
): Promise<void> {
  const end = endOf(operation, plugins, worked)
  for (const { of, run } of ends) if (isEndOf(of, end)) await run(tx, operation)
}

const endOf = (
  { kind, channel, action, undoes, preview, round, request, workflow }: OperationRow,
  plugins: readonly Plugin[],
  worked: boolean,
): EndedOperation => ({
  kind,
  channel,
  action,
  undo: undoes !== null,
  worked,
  confirmed: preview && round > 0,
  asked: new Set(Object.keys(request)),
  announced: new Set(
    workflow.steps.flatMap((step) => plugins.find(({ id }) => id === step.plugin)?.announces ?? []),
  ),
})
