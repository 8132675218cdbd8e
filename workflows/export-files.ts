// Exports files' records as one document.
import type { Workflow } from '../plugins/contract.ts'

export const exportFilesWorkflow: Workflow = {
  id: 'export-files',
  title: 'Export files',
  action: 'export-files',
  kind: 'bulk',
  parallel: 1,
  steps: [
    { id: 'act', plugin: 'export-files' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
