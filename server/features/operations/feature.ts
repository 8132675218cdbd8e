// Operations as merchants see them. The engine runs them.
import { say } from '../../../plugins/contract/index.ts'
import type { WholeBlobs } from '../../files/whole-blobs.ts'
import { defineEvent } from '../../core/outbox/webhook-events.ts'
import { operationsExamples } from './examples.ts'
import { operationRoutes, type OperationParts } from './routes.ts'
import { operationSchema } from './record.ts'
import { artifactRoutes } from './routes/artifact-endpoints.ts'
import { bulkRoutes } from './routes/bulk-endpoints.ts'
import { operationLogRoutes } from './routes/log-endpoints.ts'
import { stepRoutes } from './routes/step-endpoints.ts'
import { trialRoutes } from './routes/trial-endpoints.ts'
import { defineFeature, type OperationMoves } from '../feature.ts'

export const operationsFeature = defineFeature({
  name: 'operations',
  examples: operationsExamples,
  endpoints: (parts: OperationParts & OperationMoves & { blobs: WholeBlobs }) => [
    ...operationRoutes(parts),
    ...operationLogRoutes(parts),
    ...artifactRoutes(parts),
    ...bulkRoutes(parts),
    ...stepRoutes(parts),
    ...trialRoutes(parts),
  ],
  events: [
    defineEvent({
      name: 'operation.finished',
      title: say('An operation ends'),
      about: 'An operation that ended, as GET /api/operations/{id} answers',
      data: operationSchema,
      operations: { of: {}, content: 'record' },
    }),
    defineEvent({
      name: 'workflow.failed',
      title: say('A run of a workflow failed'),
      about:
        'A run of one of the shop’s workflows that ended with failed files, or could not ask its question, as operation.finished',
      starts: say('files failed in a run of a workflow'),
      data: operationSchema,
      operations: {
        // A preview that a person started is no run.
        of: [
          { own: true, failed: true, completed: true },
          { own: true, failed: true, question: true },
        ],
        content: 'record',
        takes: 'failed',
      },
    }),
  ],
  tables: {
    operations: {
      about: 'Operations that made links',
      columns: [
        'workflow',
        'request',
        'source',
        'label',
        'warnings',
        'intentions',
        'stopped',
        'requested_by',
        'question',
      ],
      keeps: [
        'action',
        'channel',
        'idempotency_key',
        'preview_counts',
        'failure_causes',
        'cause',
        'again',
        'question',
      ],
      how: 'mask',
    },
    items: {
      about: 'Files of those operations',
      columns: [
        'entry',
        'draft',
        'candidates',
        'warnings',
        'error',
        'before',
        'after',
        'plan',
        'wanted',
      ],
      keeps: ['staged'],
      how: 'mask',
    },
    artifacts: 'names of documents; those with a buyer’s links are deleted with the links',
    background_tasks: 'ids of work',
    chains: 'numbers',
    created_files: 'ids',
    file_claims: 'ids',
    preview_names: 'names of files',
    item_batches: 'ids',
  },
})
