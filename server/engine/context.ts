// What a plugin is handed: the shop's ports and the operation's wishes.
import type { Plugin, WriteContext, Workflow } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { openOptions } from './sealed-options.ts'
import type { EngineParts, OperationRow, ResolvedStep } from './types.ts'

export async function writeContext(
  parts: EngineParts,
  scope: ShopScope,
  operation: Pick<OperationRow, 'request'>,
  signal: AbortSignal,
): Promise<WriteContext> {
  const ports = await parts.ports(scope)
  const { background_delete, background_update, ...limits } = parts.limits
  const background = { delete: background_delete, update: background_update }
  return { ...ports, signal, request: operation.request, limits: { ...limits, background } }
}

/** A workflow's steps of one scope, with their plugins and checked options. Throws where a plugin is gone. */
export function resolveSteps<P extends Plugin>(
  { plugins, secrets }: Pick<EngineParts, 'plugins' | 'secrets'>,
  { shop }: ShopScope,
  workflow: Workflow,
  scope: 'items' | 'operation',
): ResolvedStep<P>[] {
  return workflow.steps.flatMap((step) => {
    const plugin = plugins.find(({ id }) => id === step.plugin)
    if (!plugin) throw new Error(`Workflow ${workflow.id} needs the plugin ${step.plugin}, which is not installed`)
    if ((plugin.scope ?? 'items') !== scope) return []
    return [
      {
        ...step,
        pluginImpl: plugin as P,
        parsedOptions: plugin.options.parse(openOptions(step, plugin, { shop, secrets })),
      },
    ]
  })
}
