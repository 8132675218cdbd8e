// Folders of cloud providers.
import { say } from '../../../plugins/contract/index.ts'
import { defineEvent } from '../../core/outbox/webhook-events.ts'
import { operationSchema } from '../operations/record.ts'
import { confirmSync } from './confirmation.ts'
import { cloudChannel } from './channel.ts'
import { cloudExamples } from './examples.ts'
import { connectionName, documentTask, queueDocument, type DocumentParts } from './documents.ts'
import { dueTask } from './due.ts'
import { listingTask, type ListingParts } from './listing-task.ts'
import { createCloudPort } from './port.ts'
import { connectionRoutes } from './routes.ts'
import { cloudCallback } from './routes/callback.ts'
import { sealedBytes } from '../../core/sealed-place.ts'
import { authorizationPlace } from './authorize.ts'
import { connectionPlace } from './sealed.ts'
import { defineFeature } from '../feature.ts'

export const cloudFeature = defineFeature({
  name: 'cloud',
  messageWords: { [cloudChannel.id]: say('Sync', {}, 'noun') },
  examples: cloudExamples,
  endpoints: connectionRoutes,
  moves: {
    confirmSync:
      ({ cloud, engine }: Parameters<typeof connectionRoutes>[0]) =>
      (scope, about) =>
        confirmSync(cloud, engine, scope, about),
  },
  requests: () => [cloudCallback],
  ports: { cloud: createCloudPort },
  operationMessages: { document: queueDocument, connection: connectionName },
  tasks: (parts: ListingParts & DocumentParts) => [
    listingTask(parts),
    dueTask(parts),
    documentTask(parts),
  ],
  events: [
    defineEvent({
      name: 'sync.finished',
      title: say('A cloud folder was synchronised'),
      about: 'The synchronisation of a cloud folder that ended, as operation.finished',
      starts: say('a cloud folder was synchronised'),
      data: operationSchema,
      operations: { of: { channel: cloudChannel.id }, content: 'record' },
    }),
  ],
  sealed: [
    ...sealedBytes('connections', ['sealed'], connectionPlace),
    ...sealedBytes('cloud_authorizations', ['verifier'], authorizationPlace),
  ],
  tables: {
    cloud_authorizations: 'who of the shop signs in to a provider',
    cloud_files: 'paths of the merchant’s own files',
    cloud_listings: 'paths of the merchant’s own files',
    cloud_rejections: 'paths of the merchant’s own files',
    connections: 'the merchant’s own accounts',
    document_sends: 'paths of documents, and errors of a provider',
    sent_documents: 'paths of documents',
    sync_changes: 'paths of the merchant’s own files',
    syncs: 'counts, and errors of a provider',
  },
})
