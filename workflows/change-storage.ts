// Moves files to another storage location, or copies them there.
import type { Workflow } from '../plugins/contract.ts'

export const changeStorageWorkflow: Workflow = {
  id: 'change-storage',
  title: 'Change storage',
  action: 'change-storage',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'change-storage' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
