// The steps for every file that is uploaded in the browser.
import type { Workflow } from '../plugins/contract/index.ts'

export const importUpload: Workflow = {
  id: 'import-upload',
  title: 'Browser upload',
  action: 'import',
  kind: 'import',
  parallel: 2,
  steps: [
    { id: 'take', plugin: 'take-upload' },
    { id: 'validate', plugin: 'validate-file' },
    { id: 'map', plugin: 'map-products' },
    { id: 'notify', plugin: 'notify' },
  ],
}
