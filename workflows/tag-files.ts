// Tags files.
import type { Workflow } from '../plugins/contract.ts'

export const tagFilesWorkflow: Workflow = {
  id: 'tag-files',
  title: 'Tag files',
  action: 'tag-files',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'tag-files' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
