// A storage location in a bucket: Amazon S3, or another service with its protocol.
import { ListObjectsV2Command, GetObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Location } from './address.ts'
import { openBucket, type PartSizes } from './s3-calls.ts'
import { createKeys } from './s3-keys.ts'
import { headObject, readBlob } from './s3-read.ts'
import { orphansInBucket, removeShopObjects, sweepBucket } from './s3-sweep.ts'
import { adoptIntoBucket, removeObject, takeIntoBucket, writeBlob } from './s3-write.ts'
import type { BlobStore } from './store.ts'

/**
 * Any number of processes may share the bucket, and it may contain other things. `sizes` is for
 * tests.
 */
export function createS3Store(location: S3Location, sizes?: Partial<PartSizes>): BlobStore {
  const bucket = openBucket(location, sizes)
  const keys = createKeys(location.prefix)
  const { client, call, name } = bucket
  const read: BlobStore['read'] = async (shop, hash, range) =>
    readBlob(bucket, keys, shop, hash, range)
  return {
    write: (shop, bytes, signal) => writeBlob(bucket, keys, shop, bytes, signal),
    adopt: (shop, path, signal) => adoptIntoBucket(bucket, keys, shop, path, signal),
    take: (shop, path, options) => takeIntoBucket(bucket, keys, shop, path, options),
    read,
    readWhole: async (shop, hash) =>
      Buffer.concat(await Array.fromAsync<Buffer>(await read(shop, hash))),
    size: async (shop, hash) => (await headObject(bucket, keys.blob(shop, hash)))?.size ?? null,
    remove: async (shop, hash) => removeObject(bucket, keys.blob(shop, hash)),
    signedAddress: async (shop, hash, { expiresSeconds, disposition, contentType }) => {
      const as = { ResponseContentDisposition: disposition, ResponseContentType: contentType }
      const command = new GetObjectCommand({ Bucket: name, Key: keys.blob(shop, hash), ...as })
      return call(() => getSignedUrl(client, command, { expiresIn: expiresSeconds }))
    },
    check: async () => {
      const command = new ListObjectsV2Command({ Bucket: name, Prefix: keys.prefix, MaxKeys: 1 })
      await call((options) => client.send(command, options))
    },
    removeShop: async (shop, signal) => removeShopObjects(bucket, keys, shop, signal),
    sweep: (olderThan, known, shops) => sweepBucket(bucket, keys, { olderThan, known, shops }),
    orphans: (olderThan, known) => orphansInBucket(bucket, keys, olderThan, known),
  }
}
