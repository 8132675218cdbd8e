// Delivery as this installation has it: with or without a CDN, and an nginx that sends files in our place.
import type { Config } from '../config.ts'
import { createDelivery, type Delivery, type DeliveryParts } from '../delivery/delivery.ts'

export function openDelivery(
  { environment }: Config,
  parts: Omit<DeliveryParts, 'trustProxy' | 'cdnBaseUrl' | 'accel' | 'limits'>,
): Delivery {
  const { trustProxy, cdnBaseUrl, accelLocation } = environment
  const accel = accelLocation === null ? null : { location: 'primary', prefix: accelLocation }
  return createDelivery({ ...parts, trustProxy, cdnBaseUrl, accel })
}
