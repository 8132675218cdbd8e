// Opens delivery with the notices that it raises.
import { downloadMessages } from './download-notices.ts'
import { createDelivery, type Delivery, type DeliveryParts } from './downloads.ts'

export type OpenParts = Omit<DeliveryParts, 'messages'>

export const openDownloads = (parts: OpenParts): Delivery =>
  createDelivery({ ...parts, messages: downloadMessages(parts.database, parts.clock) })
