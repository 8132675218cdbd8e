// Brings files back from the trash.
import type { Workflow } from '../plugins/contract.ts'

export const restoreFilesWorkflow: Workflow = {
  id: 'restore-files',
  title: 'Restore files',
  action: 'restore-files',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'restore-files' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
