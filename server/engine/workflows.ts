// Questions about a workflow as data: what it works on, what it takes to run it, what could not be undone.
import type { ItemPlugin, Plugin, Step, Workflow } from '../../plugins/contract.ts'

const pluginOf = (plugins: readonly Plugin[], step: Step) => plugins.find(({ id }) => id === step.plugin)

const itemPlugins = (workflow: Workflow, plugins: readonly Plugin[]): ItemPlugin[] =>
  workflow.steps
    .map((step) => pluginOf(plugins, step))
    .filter((plugin): plugin is ItemPlugin => plugin !== undefined && plugin.scope !== 'operation')

/** Do its steps work on files in the trash? */
export const worksOnTrash = (workflow: Workflow, plugins: readonly Plugin[]): boolean =>
  itemPlugins(workflow, plugins)[0]?.worksOn === 'trash'

/** Is there anything about it that an undo takes back? */
export const canUndo = (workflow: Workflow, plugins: readonly Plugin[]): boolean =>
  itemPlugins(workflow, plugins).some(({ undo }) => undo !== 'none')

/** Titles of the steps whose effect no undo takes back. A check has none, and neither has a message. */
export function cannotUndo(workflow: Workflow, plugins: readonly Plugin[]): string[] {
  const lasting = workflow.steps.flatMap((step) => pluginOf(plugins, step) ?? [])
  return [
    ...new Set(
      lasting
        .filter(({ undo, kind }) => undo === 'none' && kind !== 'validate' && kind !== 'notify')
        .map(({ title }) => title),
    ),
  ]
}

/** The API scopes that someone needs who runs it. */
export const permissionsOf = (workflow: Workflow, plugins: readonly Plugin[]): string[] => [
  ...new Set(itemPlugins(workflow, plugins).map(({ permission }) => permission ?? 'files:write')),
]

/** The workflow with an action's options in the step that carries it out. */
export const withOptions = (workflow: Workflow, plugin: string, options: Record<string, unknown>): Workflow => ({
  ...workflow,
  steps: workflow.steps.map((step) =>
    step.plugin === plugin ? { ...step, options: { ...step.options, ...options } } : step,
  ),
})
