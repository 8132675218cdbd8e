// Describes a workflow to people: a line for each step, and whether it removes files.
import {
  english,
  textOf,
  type Plugin,
  type Step,
  type Text,
  type Workflow,
} from '../../../plugins/contract/index.ts'
import { parseBounded } from '../../core/bounds.ts'
import { withoutSensitive } from '../../core/sensitive.ts'

/**
 * Describes what a step will do with its options, in a short line; the plugin's title while the
 * options are invalid.
 */
function summaryOf(step: Step, plugins: readonly Plugin[]): Text {
  const plugin = plugins.find(({ id }) => id === step.plugin)
  if (!plugin) return textOf(step.plugin)
  const { data } = parseBounded(plugin.options, withoutSensitive(plugin, step.options ?? {}))
  const summary = data === undefined ? undefined : plugin.summary?.(data)
  return textOf(summary || plugin.title)
}

/** The fields of a step's summary in answers. */
export function summaryFields(step: Step, plugins: readonly Plugin[]) {
  const summary = summaryOf(step, plugins)
  return { summary: english(summary), summary_text: summary }
}

/**
 * Does the workflow remove files? Then a schedule's run is limited by its cap. A workflow that
 * works in the trash and purges nothing restores files.
 */
export const deletes = (workflow: Workflow, plugins: readonly Plugin[]): boolean =>
  deletingSteps(workflow, plugins).length > 0

/** Does it remove all of its files, and not only those that meet the condition of a step? */
export const deletesAll = (workflow: Workflow, plugins: readonly Plugin[]): boolean =>
  deletingSteps(workflow, plugins).some(
    ({ when, branch }) => when === undefined && branch === undefined,
  )

const deletingSteps = ({ steps }: Workflow, plugins: readonly Plugin[]): Step[] =>
  steps.filter((step) => {
    const plugin = plugins.find(({ id }) => id === step.plugin)
    if (plugin?.permission === 'files:purge') return true
    const restores = plugin?.scope !== 'operation' && plugin?.worksOn === 'trash'
    return plugin?.permission === 'files:delete' && !restores
  })
