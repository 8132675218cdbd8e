// Imports of every channel, and the list of channels.
import { say } from '../../../plugins/contract/index.ts'
import { defineEvent, operationFilesData } from '../../core/outbox/webhook-events.ts'
import type { Channel } from '../workflows/channel.ts'
import { importsExamples } from './examples.ts'
import { channelRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const importsFeature = defineFeature({
  name: 'imports',
  examples: importsExamples,
  endpoints: ({ channels }: { channels: readonly Channel[] }) => channelRoutes(channels),
  events: [
    defineEvent({
      name: 'file.imported',
      title: say('Files were imported'),
      about: 'The files that an import created or gave new contents',
      starts: say('files were imported'),
      data: operationFilesData,
      operations: {
        of: { kind: 'import', worked: true },
        content: 'files',
        about: 'imported',
      },
    }),
  ],
})
