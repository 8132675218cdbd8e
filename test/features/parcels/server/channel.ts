import type { ImportChannel } from '../workflows/channel.ts'

export const parcelChannel: ImportChannel = {
  id: 'parcels',
  title: 'Parcels',
  imports: { title: 'Parcel', plural: 'Parcels' },
}
