// The origin of a bucket's addresses, for pages whose policy names where they may send bytes.
import { HeadBucketCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Location } from './address.ts'
import { openBucket } from './s3-calls.ts'

/** The library alone knows it; with other credentials, because those of a machine are fetched. */
const CREDENTIALS = { accessKeyId: 'origin', secretAccessKey: 'origin' }

/** The origin to which browsers send their uploads, for the page’s content security policy. */
export async function originOf(location: S3Location): Promise<string> {
  const { client, name } = openBucket({ ...location, credentials: CREDENTIALS })
  try {
    return new URL(await getSignedUrl(client, new HeadBucketCommand({ Bucket: name }))).origin
  } finally {
    client.destroy()
  }
}
