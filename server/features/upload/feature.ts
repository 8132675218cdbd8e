// Files that merchants upload in the browser.
import type { Database } from '../../core/db/database.ts'
import type { Logger } from '../../core/log.ts'
import { logRemoved } from '../../core/removed.ts'
import { defineFeature } from '../feature.ts'
import { uploadExamples } from './examples.ts'
import { createUploadPort } from './port.ts'
import { uploadRoutes } from './routes.ts'
import { abandonedBatchTask, type AbandonedBatchParts } from './sweep.ts'
import { tusPaths, tusRequests, type TusRequestParts } from './tus-route.ts'
import type { FinishParts } from './finish.ts'
import { sweepUploads } from './upload.ts'

interface UploadSweepParts {
  database: Database
  uploads: FinishParts
  log: Logger
}

export const uploadFeature = defineFeature({
  name: 'upload',
  examples: uploadExamples,
  endpoints: uploadRoutes,
  tasks: (parts: AbandonedBatchParts) => [abandonedBatchTask(parts)],
  requests: ({ uploads, authenticator }: TusRequestParts) => [tusRequests(uploads, authenticator)],
  requestPaths: tusPaths,
  ports: { uploads: createUploadPort },
  sweeps: ({ database, uploads, log }: UploadSweepParts) => ({
    uploads: () =>
      logRemoved(log, 'unfinished uploads', sweepUploads({ ...uploads, log }, database)),
  }),
  tables: {
    upload_batches: 'options of the merchant’s uploads',
    uploads: 'names of the merchant’s own files',
    upload_pieces: 'places of the bytes of the merchant’s uploads',
  },
})
