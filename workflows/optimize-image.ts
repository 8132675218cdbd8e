// Makes images smaller.
import type { Workflow } from '../plugins/contract.ts'

export const optimizeImageWorkflow: Workflow = {
  id: 'optimize-image',
  title: 'Optimize images',
  action: 'optimize-image',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'optimize-image' },
    { id: 'notify', plugin: 'notify', options: { when: 'always' } },
  ],
}
