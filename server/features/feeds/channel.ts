// The feed channel: tables at addresses that are imported again and again.
import type { ImportChannel } from '../workflows/channel.ts'

export const feedChannel: ImportChannel = {
  id: 'feed',
  title: 'Feed',
  imports: { title: 'Feed import', plural: 'Feed imports' },
}
