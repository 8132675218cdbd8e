// The steps for every object that a cloud sync finds new, changed, renamed or deleted.
import type { Workflow } from '../plugins/contract/index.ts'

export const importCloud: Workflow = {
  id: 'import-cloud',
  title: 'Cloud sync',
  action: 'import',
  kind: 'import',
  parallel: 2,
  steps: [
    { id: 'sync', plugin: 'sync-cloud' },
    { id: 'validate', plugin: 'validate-file' },
    { id: 'map', plugin: 'map-products' },
    { id: 'notify', plugin: 'notify' },
  ],
}
