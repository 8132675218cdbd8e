// Texts about channels.
import { type Channel } from './channel-calls.ts'

/** `CSV`; the channel's id if this installation no longer has it, or while channels load. */
export const channelText = (channels: readonly Channel[], id: string): string =>
  channels.find((channel) => channel.id === id)?.title ?? id

/** The name of one import through the channel, `CSV import`; null if it is unknown. */
export const importText = (channels: readonly Channel[], id: string): string | null =>
  channels.find((channel) => channel.id === id)?.imports?.title ?? null
