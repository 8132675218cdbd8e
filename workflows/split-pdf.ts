// Cuts PDF documents into parts.
import type { Workflow } from '../plugins/contract.ts'

export const splitPdfWorkflow: Workflow = {
  id: 'split-pdf',
  title: 'Split PDF documents',
  action: 'split-pdf',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'split-pdf' },
    { id: 'notify', plugin: 'notify', options: { when: 'always' } },
  ],
}
