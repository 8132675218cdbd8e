// Changes existing files as the rows of a CSV file say, one batch after another, because files may
// take each other's names.
import type { Workflow } from '../plugins/contract/index.ts'

export const updateFromCsv: Workflow = {
  id: 'update-from-csv',
  title: 'CSV update',
  action: 'update-from-csv',
  kind: 'bulk',
  parallel: 1,
  steps: [
    { id: 'act', plugin: 'apply-row' },
    { id: 'map', plugin: 'map-products' },
    { id: 'pack', plugin: 'pack-rows' },
    { id: 'trash', plugin: 'trash-rows' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
