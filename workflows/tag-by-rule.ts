// Tags files by rules.
import type { Workflow } from '../plugins/contract.ts'

export const tagByRuleWorkflow: Workflow = {
  id: 'tag-by-rule',
  title: 'Tag by rule',
  action: 'tag-by-rule',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'tag-by-rule' },
    { id: 'notify', plugin: 'notify', options: { when: 'background' } },
  ],
}
