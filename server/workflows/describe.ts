// A workflow told to people, a line a step, and what it takes away.
import type { Plugin, Step, Workflow } from '../../plugins/contract.ts'
import { parseBounded } from '../bounds.ts'
import { withoutSensitive } from '../sensitive.ts'

/**
 * What a step will do with its options, in a short line; its plugin's title where the options are
 * not right yet.
 */
export function summaryOf(step: Step, plugins: readonly Plugin[]): string {
  const plugin = plugins.find(({ id }) => id === step.plugin)
  if (!plugin) return step.plugin
  const { data } = parseBounded(plugin.options, withoutSensitive(plugin, step.options ?? {}))
  return (data !== undefined && plugin.summary?.(data)) || plugin.title
}

/**
 * Does it take files away? Then a run of a schedule is held to its cap. What works in the trash and
 * purges nothing brings them back.
 */
export const deletes = ({ steps }: Workflow, plugins: readonly Plugin[]): boolean =>
  steps.some((step) => {
    const plugin = plugins.find(({ id }) => id === step.plugin)
    if (plugin?.permission === 'files:purge') return true
    const restores = plugin?.scope !== 'operation' && plugin?.worksOn === 'trash'
    return plugin?.permission === 'files:delete' && !restores
  })
