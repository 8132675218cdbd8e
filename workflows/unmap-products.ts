// Remove product mappings.
import type { Workflow } from '../plugins/contract.ts'

export const unmapProductsWorkflow: Workflow = {
  id: 'unmap-products',
  title: 'Remove product mappings',
  action: 'unmap-products',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'unmap-products' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
