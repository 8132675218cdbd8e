// The channels of this installation: how operations start, and the names of their imports.
import { useQuery } from '@tanstack/react-query'
import { mapTexts } from '../../shell/messages/map-texts.ts'
import { translated } from '../../shell/messages/t.ts'
import { call } from '../../shell/client/client.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type Channel = Schemas['Channel']

const NONE: readonly Channel[] = []

/** Empty while they load. */
export const useChannels = (): readonly Channel[] =>
  useQuery({
    queryKey: ['channels'],
    queryFn: async ({ signal }) =>
      mapTexts(await call<{ data: Channel[] }>('/api/channels', { signal }), translated).data,
    staleTime: Infinity,
  }).data ?? NONE
