// Creates buyers' links for files, and a list of them.
import type { Workflow } from '../plugins/contract/index.ts'

export const createLinksWorkflow: Workflow = {
  id: 'create-links',
  title: 'Create download links',
  action: 'create-links',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'create-links' },
    { id: 'list', plugin: 'list-links' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
