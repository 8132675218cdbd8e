import { expect, test } from 'vitest'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type Workflow } from '../../shell/client/workflows.ts'
import { actionsOf, mayDelete, workflowsOf } from './use-schedule-form.ts'

const plugin = (
  id: string,
  permission: Plugin['permission'] = null,
  works_on: Plugin['works_on'] = null,
): Plugin => ({ id, title: id, permission, works_on, scope: 'operation' }) as Plugin
const workflow = (
  id: string,
  built_in: boolean,
  kind: Workflow['kind'] = 'bulk',
  steps: string[] = [],
): Workflow =>
  ({ id, name: id, built_in, kind, steps: steps.map((one) => ({ plugin: one })) }) as Workflow

const plugins = [
  plugin('list-files', 'files:read'),
  plugin('burn-files', 'files:delete'),
  plugin('notify'),
]
const workflows = [
  workflow('workflow_1', false, 'bulk', ['burn-files']),
  workflow('list-files', true),
  workflow('burn-files', true),
  workflow('nightly', true),
  workflow('import-post', true, 'import'),
]

test('a task can run any workflow, on the whole operation too, and built-in ones without an action', () => {
  expect(actionsOf(plugins, workflows).map(({ id }) => id)).toEqual(['list-files', 'burn-files'])
  expect(workflowsOf(plugins, workflows).map(({ id }) => id)).toEqual(['workflow_1', 'nightly'])
})

test('the deletion limit applies to workflows that delete, not to all that need a permission', () => {
  expect(mayDelete({ runs: { action: 'list-files' } }, plugins, workflows)).toBe(false)
  expect(mayDelete({ runs: { action: 'burn-files' } }, plugins, workflows)).toBe(true)
  expect(mayDelete({ runs: { workflow: 'workflow_1' } }, plugins, workflows)).toBe(true)
  const back = plugin('raise-files', 'files:delete', 'trash')
  const gone = plugin('scatter-files', 'files:purge', 'trash')
  expect(mayDelete({ runs: { action: 'raise-files' } }, [back, gone], workflows)).toBe(false)
  expect(mayDelete({ runs: { action: 'scatter-files' } }, [back, gone], workflows)).toBe(true)
})
