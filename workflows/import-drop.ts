// The steps for every file that arrives in the FTP/SFTP drop folders.
import type { Workflow } from '../plugins/contract/index.ts'

export const importDrop: Workflow = {
  id: 'import-drop',
  title: 'Drop folder',
  action: 'import',
  kind: 'import',
  parallel: 2,
  steps: [
    { id: 'take', plugin: 'take-drop' },
    { id: 'validate', plugin: 'validate-file' },
    { id: 'map', plugin: 'map-products' },
    { id: 'notify', plugin: 'notify' },
  ],
}
