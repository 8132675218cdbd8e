// The channels of this installation: how operations start, and the names of their imports.
import { useQuery } from '@tanstack/react-query'
import { mapTexts } from '../messages/map-texts.ts'
import { translated } from '../messages/t.ts'
import { call } from './client.ts'
import { type Schemas } from './types.ts'

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
