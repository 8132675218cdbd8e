// The API channel: storefront tools post addresses to POST /api/files/import.
import type { ImportChannel } from '../workflows/channel.ts'

export const apiChannel: ImportChannel = {
  id: 'api',
  title: 'API',
  imports: { title: 'API import', plural: 'API imports' },
}
