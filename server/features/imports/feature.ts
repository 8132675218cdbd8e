// Imports of every channel, and the list of channels.
import type { Channel } from '../workflows/channel.ts'
import { channelRoutes } from './routes.ts'
import { defineFeature } from '../feature.ts'

export const importsFeature = defineFeature({
  name: 'imports',
  endpoints: ({ channels }: { channels: readonly Channel[] }) => channelRoutes(channels),
})
