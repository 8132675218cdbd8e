// Renames files, one batch after another: they may take each other’s names.
import type { Workflow } from '../plugins/contract.ts'

export const renameFilesWorkflow: Workflow = {
  id: 'rename-files',
  title: 'Rename files',
  action: 'rename-files',
  kind: 'bulk',
  parallel: 1,
  steps: [
    { id: 'act', plugin: 'rename-files' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
