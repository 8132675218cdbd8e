// The shop’s files.
import { say } from '../../../plugins/contract/index.ts'
import { defineEvent, operationFilesData } from '../../core/outbox/webhook-events.ts'
import { fileChanged, fileReplaced, fileTrashed } from '../../files/change-events.ts'
import { countTask, type CountTaskParts } from './count-task.ts'
import {
  AT_END,
  fileQuarantined,
  noticeQuarantined,
  quarantineEffect,
} from './quarantine-effect.ts'
import { filesExamples } from './examples.ts'
import { fileRoutes } from './routes.ts'
import { backupRoutes } from './routes/backup-endpoints.ts'
import { duplicateRoutes } from './routes/duplicate-endpoints.ts'
import { impactRoutes } from './routes/impact-endpoints.ts'
import { fileListRoutes } from './routes/list-endpoints.ts'
import { renamePreviewRoutes } from './routes/rename-preview-endpoints.ts'
import { savedViewRoutes, type SavedViewParts } from './routes/saved-view-endpoints.ts'
import { versionRoutes, type VersionRouteParts } from './routes/version-endpoints.ts'
import { defineFeature } from '../feature.ts'

export const filesFeature = defineFeature({
  name: 'files',
  examples: filesExamples,
  endpoints: (
    parts: VersionRouteParts &
      Parameters<typeof impactRoutes>[0] &
      Parameters<typeof renamePreviewRoutes>[0] &
      SavedViewParts,
  ) => [
    ...fileListRoutes(parts),
    // Before the routes of one file.
    ...duplicateRoutes(parts),
    ...fileRoutes(parts),
    ...versionRoutes(parts),
    ...renamePreviewRoutes(parts),
    ...impactRoutes(parts),
    ...savedViewRoutes(parts),
    ...backupRoutes(),
  ],
  tasks: (parts: CountTaskParts) => [countTask(parts)],
  changesDelivery: true,
  effects: () => [quarantineEffect],
  onEnd: () => [{ of: AT_END, run: noticeQuarantined }],
  events: [
    fileChanged,
    fileReplaced,
    fileTrashed,
    fileQuarantined,
    defineEvent({
      name: 'file.deleted',
      title: say('Files were deleted'),
      about: 'The files that an operation moved to the trash or removed',
      data: operationFilesData,
      operations: {
        // A sync deletes files that were deleted at the provider, and an undo those that were made.
        of: [
          { worked: true, undo: true },
          { worked: true, kind: 'import' },
          { worked: true, announced: 'file.deleted' },
        ],
        content: 'files',
        about: 'deleted',
      },
    }),
  ],
  tables: {
    backups: 'files’ names, tags and settings',
    blob_locations: 'hashes',
    blobs: 'hashes',
    file_copies: 'hashes',
    file_count_changes: 'counts, and tags of the merchant’s own files',
    file_counts: 'counts, and tags of the merchant’s own files',
    file_download_changes: 'counts',
    file_downloads: 'counts',
    files: 'the merchant’s own files',
    public_addresses: 'counts',
    purged_files: 'names of the merchant’s own files',
    saved_views: 'names and filters of the merchant’s own lists, without addresses of buyers',
    versions: 'hashes, and names of the merchant’s own files',
  },
})
