// The steps for every new file, and every new version, of a table at an address.
import type { Workflow } from '../plugins/contract/index.ts'

export const importFeed: Workflow = {
  id: 'import-feed',
  title: 'Feed import',
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
