// Makes PDF documents smaller.
import type { Workflow } from '../plugins/contract.ts'

export const optimizePdfWorkflow: Workflow = {
  id: 'optimize-pdf',
  title: 'Optimize PDF documents',
  action: 'optimize-pdf',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'optimize-pdf' },
    { id: 'notify', plugin: 'notify', options: { when: 'always' } },
  ],
}
