// Creates delivery with this installation's configuration: CDN, nginx, buckets.
import type { Storage } from '../core/configuration/storage-settings.ts'
import type { Config } from './config.ts'
import { openDownloads, type OpenParts } from '../features/downloads/open.ts'

/** For smaller files a redirect costs the buyer more than this process sending the bytes. */
const BUCKET_REDIRECT = { fromBytes: 8 * 1024 * 1024, seconds: 60 }

export async function openDelivery(
  { environment, storage }: Pick<Config, 'environment' | 'storage'>,
  parts: Omit<OpenParts, 'trustProxy' | 'cdnBaseUrl' | 'accel' | 'bucketRedirect' | 'limits'>,
) {
  const { trustProxy, cdnBaseUrl, accelLocation, s3Redirect } = environment
  const accel = accelLocation === null ? null : { location: 'primary', prefix: accelLocation }
  const bucketRedirect = s3Redirect
    ? { ...BUCKET_REDIRECT, origins: await bucketOrigins(storage) }
    : null
  return openDownloads({ ...parts, trustProxy, cdnBaseUrl, accel, bucketRedirect })
}

/** The origins to which redirects lead. */
export async function bucketOrigins({ primary, backup }: Storage): Promise<string[]> {
  const buckets = [primary, backup].filter((location) => location?.kind === 's3')
  if (buckets.length === 0) return []
  // Loaded only if it is used, as in stores.ts.
  const { originOf } = await import('../core/store/s3-origin.ts')
  return [...new Set(await Promise.all(buckets.map(originOf)))]
}
