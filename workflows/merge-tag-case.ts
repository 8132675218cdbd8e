// Makes tags lower-case.
import type { Workflow } from '../plugins/contract.ts'

export const mergeTagCaseWorkflow: Workflow = {
  id: 'merge-tag-case',
  title: 'Merge tags that differ in case',
  action: 'merge-tag-case',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'merge-tag-case' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
