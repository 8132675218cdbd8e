// Moves files to the trash.
import type { Workflow } from '../plugins/contract.ts'

export const deleteFilesWorkflow: Workflow = {
  id: 'delete-files',
  title: 'Delete files',
  action: 'delete-files',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'delete-files' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
