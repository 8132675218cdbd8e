// Puts a mark on every page of PDF documents.
import type { Workflow } from '../plugins/contract.ts'

export const watermarkPdfWorkflow: Workflow = {
  id: 'watermark-pdf',
  title: 'Watermark PDF documents',
  action: 'watermark-pdf',
  kind: 'bulk',
  parallel: 2,
  steps: [
    { id: 'act', plugin: 'watermark-pdf' },
    { id: 'notify', plugin: 'notify', options: { when: 'always' } },
  ],
}
