// Map files to products.
import type { Workflow } from '../plugins/contract.ts'

export const mapProductsWorkflow: Workflow = {
  id: 'map-products',
  title: 'Map files to products',
  action: 'map-products',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'map-products' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
