// How a channel reads.
import { type Channel } from '../client/channels.ts'

/** `CSV`; its id where this installation no longer has it, or while the channels load. */
export const channelText = (channels: readonly Channel[], id: string): string =>
  channels.find((channel) => channel.id === id)?.title ?? id

/** What one import by it is called, `CSV import`; null where it is not known. */
export const importText = (channels: readonly Channel[], id: string): string | null =>
  channels.find((channel) => channel.id === id)?.imports?.title ?? null
