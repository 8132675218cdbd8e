// The steps for every file that arrives over the HTTP API.
import type { Workflow } from '../plugins/contract/index.ts'

export const importApi: Workflow = {
  id: 'import-api',
  title: 'API import',
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
