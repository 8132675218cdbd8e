// Replaces a tag by another one.
import type { Workflow } from '../plugins/contract.ts'

export const replaceTagWorkflow: Workflow = {
  id: 'replace-tag',
  title: 'Replace a tag',
  action: 'replace-tag',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'replace-tag' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
