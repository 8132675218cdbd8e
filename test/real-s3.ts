// Runs the store's tests against any S3 bucket, to check whether a provider is compatible:
// `TEST_S3` has the format of STORAGE_PRIMARY. The bucket should be empty; the tests leave blobs in
// it.
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { parseLocation } from '../server/core/store/address.ts'
import { createS3Store } from '../server/core/store/s3.ts'
import { openBucket } from '../server/core/store/s3-calls.ts'
import type { StoreUnderTest } from './suites/store.ts'

export function openRealS3(address: string): StoreUnderTest {
  const {
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_REGION,
  } = process.env
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null
  const location = parseLocation(address, credentials, AWS_REGION)
  if (typeof location === 'string' || location.kind !== 's3')
    throw new Error(`TEST_S3: ${JSON.stringify(location)}`)
  const { client, name: Bucket } = openBucket(location)
  const under = { Bucket, Prefix: location.prefix }
  return {
    store: createS3Store(location),
    contents: async () => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command(under))
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand(under))
      return [
        ...Contents.map(({ Key }) => Key!),
        ...Uploads.map(({ Key }) => `${Key} (unfinished)`),
      ].sort()
    },
    close: () => Promise.resolve(),
  }
}
