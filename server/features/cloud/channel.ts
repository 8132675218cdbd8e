// The cloud channel: accounts and buckets whose files are synced.
import type { ImportChannel } from '../workflows/channel.ts'

export const cloudChannel: ImportChannel = {
  id: 'cloud',
  title: 'Cloud sync',
  imports: { title: 'Cloud sync', plural: 'Cloud syncs' },
}
