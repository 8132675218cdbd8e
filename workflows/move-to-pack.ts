// Moves files into a pack, or out of their packs.
import type { Workflow } from '../plugins/contract.ts'

export const moveToPackWorkflow: Workflow = {
  id: 'move-to-pack',
  title: 'Move to pack',
  action: 'move-to-pack',
  kind: 'bulk',
  // One batch after another: files stand in the pack in the order in which they were chosen.
  parallel: 1,
  steps: [
    { id: 'act', plugin: 'move-to-pack' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
