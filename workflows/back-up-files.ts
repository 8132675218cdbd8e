// Copies files to the backup location.
import type { Workflow } from '../plugins/contract.ts'

export const backUpFilesWorkflow: Workflow = {
  id: 'back-up-files',
  title: 'Back up files',
  action: 'back-up-files',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'back-up-files' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
