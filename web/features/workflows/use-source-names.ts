// The names of what imports come from: drop accounts, cloud connections, API keys.
import { useConnections } from '../cloud/calls.ts'
import { useFeeds } from '../feeds/calls.ts'
import { useDropAccounts } from '../drop/calls.ts'
import { useChannels } from '../imports/channel-calls.ts'
import { useApiKeys } from '../settings/api-key-calls.ts'
import { type SourceNames } from '../imports/labels.ts'

export function useSourceNames(): SourceNames {
  const channels = useChannels()
  const all = [useDropAccounts().data, useConnections().data, useFeeds().data, useApiKeys().data]
  const names = new Map(
    all.flatMap((list) => (list?.data ?? []).map(({ id, name }) => [id, name] as const)),
  )
  return { channels, names }
}
