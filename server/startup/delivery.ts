// Delivery as this installation configures it: with or without a CDN, and with nginx sending the files.
import type { Config } from '../config.ts'
import { createDelivery, type Delivery, type DeliveryParts } from '../delivery/delivery.ts'

/** Below this, a second request costs a buyer more than our passing the bytes on. Whoever gets the address may use it for so long. */
const LEADING = { fromBytes: 8 * 1024 * 1024, seconds: 60 }

export function openDelivery(
  { environment }: Config,
  parts: Omit<DeliveryParts, 'trustProxy' | 'cdnBaseUrl' | 'accel' | 'leading' | 'limits'>,
): Delivery {
  const { trustProxy, cdnBaseUrl, accelLocation, s3Redirect } = environment
  const accel = accelLocation === null ? null : { location: 'primary', prefix: accelLocation }
  const leading = s3Redirect ? LEADING : null
  return createDelivery({ ...parts, trustProxy, cdnBaseUrl, accel, leading })
}
