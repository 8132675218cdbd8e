// Texts about channels.
import { type ImportSource } from '../../shell/client/workflows.ts'
import { t } from '../../shell/messages/t.ts'
import { type Channel } from './channel-calls.ts'

/** `CSV`; the channel's id if this installation no longer has it, or while channels load. */
export const channelText = (channels: readonly Channel[], id: string): string =>
  channels.find((channel) => channel.id === id)?.title ?? id

/** The name of one import through the channel, `CSV import`; null if it is unknown. */
export const importText = (channels: readonly Channel[], id: string): string | null =>
  channels.find((channel) => channel.id === id)?.imports?.title ?? null

/** The names of what sources refer to, by their ids. */
export interface SourceNames {
  channels: readonly Channel[]
  names: ReadonlyMap<string, string>
}

/** Where imports come from: `files of the drop account “Supplier A”`. */
export function sourceText(from: ImportSource, { channels, names }: SourceNames): string {
  const { channel, drop_account: account, folder, connection, feed, csv_mapping, api_key } = from
  const nameOf = (id: string) => names.get(id) ?? id
  if (account !== undefined)
    return folder
      ? t('files of the drop account “{name}” in the folder {folder}', {
          name: nameOf(account),
          folder,
        })
      : t('files of the drop account “{name}”', { name: nameOf(account) })
  if (connection !== undefined)
    return t('syncs of the connection “{name}”', { name: nameOf(connection) })
  if (feed !== undefined) return t('imports of the feed “{name}”', { name: nameOf(feed) })
  if (csv_mapping !== undefined)
    return t('CSV files with the saved mapping “{name}”', { name: csv_mapping })
  if (api_key !== undefined)
    return t('API imports with the key “{name}”', { name: nameOf(api_key) })
  const known = channels.find(({ id }) => id === channel)
  return known?.imports?.plural ?? channel ?? ''
}
