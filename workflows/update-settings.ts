// Changes files' settings.
import type { Workflow } from '../plugins/contract.ts'

export const updateSettingsWorkflow: Workflow = {
  id: 'update-settings',
  title: 'Update settings',
  action: 'update-settings',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'update-settings' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
