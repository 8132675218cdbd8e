// Makes one PDF document of several.
import type { Workflow } from '../plugins/contract.ts'

export const mergePdfWorkflow: Workflow = {
  id: 'merge-pdf',
  title: 'Merge PDF documents',
  action: 'merge-pdf',
  kind: 'bulk',
  parallel: 1,
  steps: [
    { id: 'act', plugin: 'merge-pdf' },
    { id: 'notify', plugin: 'notify', options: { when: 'always' } },
  ],
}
