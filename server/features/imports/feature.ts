// Imports of every channel, and the list of channels.
import type { Channel } from '../workflows/channel.ts'
import { importsExamples } from './examples.ts'
import { channelRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const importsFeature = defineFeature({
  name: 'imports',
  examples: importsExamples,
  endpoints: ({ channels }: { channels: readonly Channel[] }) => channelRoutes(channels),
})
