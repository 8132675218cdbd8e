// The steps for every row of an imported CSV file.
import type { Workflow } from '../plugins/contract/index.ts'

export const importCsv: Workflow = {
  id: 'import-csv',
  title: 'CSV import',
  action: 'import',
  kind: 'import',
  parallel: 4,
  steps: [
    { id: 'fetch', plugin: 'fetch-url' },
    { id: 'validate', plugin: 'validate-file' },
    { id: 'map', plugin: 'map-products' },
    { id: 'notify', plugin: 'notify' },
  ],
}
