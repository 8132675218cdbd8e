// The channels of this installation: how operations start, and the names of their imports.
import { mapTexts } from '../../shell/messages/map-texts.ts'
import { translated } from '../../shell/messages/t.ts'
import { useRead } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type Channel = Schemas['Channel']

const NONE: readonly Channel[] = []

const inLanguage = ({ data }: { data: Channel[] }) => mapTexts(data, translated)

/** Empty while they load. */
export const useChannels = (): readonly Channel[] =>
  useRead('GET /api/channels', { select: inLanguage, staleTime: Infinity }).data ?? NONE
