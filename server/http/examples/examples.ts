// One example for every endpoint.
import type { Examples } from './example.ts'
import { fileExamples } from './files.ts'
import { csvExamples, uploadExamples } from './imports.ts'
import { operationExamples, workflowExamples } from './operations.ts'
import { deliveryExamples, linkExamples, packExamples, productExamples } from './packs-links.ts'
import { shopExamples } from './shop.ts'

export const EXAMPLES: Examples = {
  ...fileExamples,
  ...packExamples,
  ...linkExamples,
  ...deliveryExamples,
  ...productExamples,
  ...operationExamples,
  ...workflowExamples,
  ...csvExamples,
  ...uploadExamples,
  ...shopExamples,
}
