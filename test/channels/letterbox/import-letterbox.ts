// The workflow of files from letters.
import type { Workflow } from '../../../plugins/contract/index.ts'

export const importLetterbox: Workflow = {
  id: 'import-letterbox',
  title: 'Letterbox import',
  action: 'import',
  kind: 'import',
  parallel: 1,
  steps: [
    { id: 'fetch', plugin: 'fetch-url' },
    { id: 'validate', plugin: 'validate-file' },
    { id: 'notify', plugin: 'notify' },
  ],
}
