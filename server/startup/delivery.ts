// Creates delivery with this installation's configuration: CDN, nginx, buckets.
import type { Config } from './config.ts'
import {
  createDelivery,
  type Delivery,
  type DeliveryParts,
} from '../features/downloads/downloads.ts'

/** For smaller files a redirect costs the buyer more than this process sending the bytes. */
const BUCKET_REDIRECT = { fromBytes: 8 * 1024 * 1024, seconds: 60 }

export function openDelivery(
  { environment }: Config,
  parts: Omit<DeliveryParts, 'trustProxy' | 'cdnBaseUrl' | 'accel' | 'bucketRedirect' | 'limits'>,
): Delivery {
  const { trustProxy, cdnBaseUrl, accelLocation, s3Redirect } = environment
  const accel = accelLocation === null ? null : { location: 'primary', prefix: accelLocation }
  const bucketRedirect = s3Redirect ? BUCKET_REDIRECT : null
  return createDelivery({ ...parts, trustProxy, cdnBaseUrl, accel, bucketRedirect })
}
