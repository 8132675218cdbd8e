// Deletes files for good.
import type { Workflow } from '../plugins/contract.ts'

export const purgeFilesWorkflow: Workflow = {
  id: 'purge-files',
  title: 'Delete permanently',
  action: 'purge-files',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'purge-files' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
