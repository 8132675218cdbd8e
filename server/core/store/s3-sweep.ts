// Finds and removes what a crash may have left in a bucket, and blobs without a row. Any process
// can write a blob again between the last check and the removal, and a bucket cannot prevent that.
// So a blob is first put aside and kept for as long again: readers find it there, and the next
// sweep restores it if it is needed. Why not by locks, versions or conditions: docs/decisions/0018.
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  type _Object,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
} from '@aws-sdk/client-s3'
import { nameOf, unlessMissing, type S3Bucket } from './s3-calls.ts'
import { type BlobKey, StoreError, type KnownBlobs, type SweepScope } from './store.ts'
import type { Keys } from './s3-keys.ts'
import { headObject } from './s3-read.ts'
import { copyObject, removeObject } from './s3-write.ts'

/**
 * Temporary objects are kept longer: an object that is built from parts has the date of its first
 * part, and the slowest accepted source takes hours for one part.
 */
const UNFINISHED_MS = 24 * 60 * 60 * 1000
/** S3 gives times in whole seconds. */
const SECOND_MS = 1000

interface Sweep {
  bucket: S3Bucket
  keys: Keys
  known: KnownBlobs
  /** Objects that were changed before this time are old. */
  before: number
}

interface SeenObject extends BlobKey {
  key: string
  size: number
  changed: number
}

/** Returns how many blobs and leftovers it removed; a blob counts when it is put aside. */
export async function sweepBucket(
  bucket: S3Bucket,
  keys: Keys,
  { olderThan, known, shops }: SweepScope,
): Promise<number> {
  const sweep: Sweep = { bucket, keys, known, before: Date.now() - olderThan }
  let removed = await sweepUploads(sweep)
  const prefixes = shops
    ? [keys.temporaryPrefix, ...shops.flatMap((shop) => keys.ofShop(shop))]
    : [keys.prefix]
  for (const prefix of prefixes)
    for await (const page of objectPages(bucket, prefix)) {
      removed += await sweepTemporary(sweep, page)
      for (const blobs of byShop(page, keys.toBlob)) removed += await sweepBlobs(sweep, blobs)
      for (const blobs of byShop(page, keys.toAside)) await finishAside(sweep, blobs)
    }
  return removed
}

/** Names what a sweep would put aside. */
export async function* orphansInBucket(
  bucket: S3Bucket,
  keys: Keys,
  olderThan: number,
  known: KnownBlobs,
): AsyncGenerator<BlobKey> {
  const before = Date.now() - olderThan
  for await (const page of objectPages(bucket, keys.prefix))
    for (const blobs of byShop(page, keys.toBlob)) {
      const old = blobs.filter(({ changed }) => isOld(changed, before))
      const [first] = old
      if (!first) continue
      const { shop } = first
      const wanted = await known(
        shop,
        old.map(({ hash }) => hash),
      )
      for (const { hash } of old) if (!wanted.has(hash)) yield { shop, hash }
    }
}

const REMOVAL_CONCURRENCY = 8

/** Removes a shop's blobs, in place and put aside; other objects in the bucket stay. */
export async function removeShopObjects(
  bucket: S3Bucket,
  keys: Keys,
  shop: number,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  for (const prefix of keys.ofShop(shop))
    for await (const page of objectPages(bucket, prefix)) {
      signal?.throwIfAborted()
      const ours = page.flatMap(({ Key: key = '' }) =>
        keys.toBlob(key) || keys.toAside(key) ? [key] : [],
      )
      for (let at = 0; at < ours.length; at += REMOVAL_CONCURRENCY) {
        const some = ours.slice(at, at + REMOVAL_CONCURRENCY)
        await Promise.all(some.map((key) => removeObject(bucket, key)))
      }
      removed += ours.length
    }
  return removed
}

/** All objects whose keys begin with `prefix`. */
export async function* objectPages(
  { client, call, name }: S3Bucket,
  prefix: string,
): AsyncGenerator<_Object[]> {
  let token: string | undefined
  do {
    const command = new ListObjectsV2Command({
      Bucket: name,
      Prefix: prefix,
      ContinuationToken: token,
    })
    const page = await call((options) => client.send(command, options))
    yield page.Contents ?? []
    token = page.IsTruncated ? page.NextContinuationToken : undefined
  } while (token !== undefined)
}

function byShop(
  page: readonly _Object[],
  nameOfKey: (key: string) => BlobKey | null,
): SeenObject[][] {
  const seen = page.flatMap(({ Key: key = '', Size: size = 0, LastModified }): SeenObject[] => {
    const blob = nameOfKey(key)
    return blob ? [{ ...blob, key, size, changed: LastModified?.getTime() ?? Infinity }] : []
  })
  return [...Map.groupBy(seen, ({ shop }) => shop).values()]
}

const isOld = (changed: number, before: number) => changed + SECOND_MS < before

async function sweepBlobs(
  { bucket, keys, known, before }: Sweep,
  blobs: readonly SeenObject[],
): Promise<number> {
  const [{ shop }] = blobs as [SeenObject]
  const old = blobs.filter(({ changed }) => isOld(changed, before))
  if (old.length === 0) return 0
  const wanted = await known(
    shop,
    old.map(({ hash }) => hash),
  )
  let removed = 0
  for (const { hash, key, size } of old.filter((blob) => !wanted.has(blob.hash))) {
    const aside = keys.aside(shop, hash)
    const copied = await unlessMissing(copyObject(bucket, key, aside, size).then(() => true))
    if (!copied) continue
    const now = await headObject(bucket, key)
    const fresh = now !== null && !isOld(now.changed.getTime(), before)
    await removeObject(bucket, fresh ? aside : key)
    if (!fresh) removed += 1
  }
  return removed
}

/** Restores blobs that are needed, and removes the others. */
async function finishAside(
  { bucket, keys, known, before }: Sweep,
  blobs: readonly SeenObject[],
): Promise<void> {
  const [{ shop }] = blobs as [SeenObject]
  const wanted = await known(
    shop,
    blobs.map(({ hash }) => hash),
  )
  for (const { hash, key, size, changed } of blobs) {
    if (wanted.has(hash)) {
      const there = await headObject(bucket, keys.blob(shop, hash))
      if (!there) await copyObject(bucket, key, keys.blob(shop, hash), size)
    } else if (!isOld(changed, before)) continue
    await removeObject(bucket, key)
  }
}

async function sweepTemporary({ bucket, keys }: Sweep, page: readonly _Object[]): Promise<number> {
  let removed = 0
  for (const { Key: key = '', LastModified } of page) {
    if (!keys.isTemporary(key) || !isAbandoned(LastModified)) continue
    await removeObject(bucket, key)
    removed += 1
  }
  return removed
}

const isAbandoned = (changed: Date | undefined) =>
  changed !== undefined && isOld(changed.getTime(), Date.now() - UNFINISHED_MS)

/**
 * Aborts abandoned multipart uploads: no listing shows their parts, but providers charge for them.
 */
async function sweepUploads(sweep: Sweep): Promise<number> {
  let removed = 0
  for await (const page of uploadPages(sweep)) {
    for (const { Key: key = '', UploadId, Initiated } of page) {
      const ours = sweep.keys.isTemporary(key) || sweep.keys.toBlob(key) || sweep.keys.toAside(key)
      if (!ours || !isAbandoned(Initiated) || !isAbandoned(await lastPart(sweep, key, UploadId)))
        continue
      await abort(sweep, key, UploadId)
      removed += 1
    }
  }
  return removed
}

async function* uploadPages({
  bucket: { client, call, name },
  keys,
}: Sweep): AsyncGenerator<MultipartUpload[]> {
  let from: { KeyMarker?: string; UploadIdMarker?: string } = {}
  while (true) {
    const command = new ListMultipartUploadsCommand({ Bucket: name, Prefix: keys.prefix, ...from })
    const page: ListMultipartUploadsCommandOutput | null = await call((options) =>
      client.send(command, options),
    ).catch(unlessUnknown)
    yield page?.Uploads ?? []
    if (!page?.IsTruncated || !page.NextKeyMarker) return
    from = {
      KeyMarker: page.NextKeyMarker,
      ...(page.NextUploadIdMarker && { UploadIdMarker: page.NextUploadIdMarker }),
    }
  }
}

/**
 * Null for an unknown request: some providers cannot list uploads, and remove them automatically.
 */
function unlessUnknown(error: unknown): null {
  if (
    error instanceof StoreError &&
    /^(NotImplemented|MethodNotAllowed)$/.test(nameOf(error.cause))
  )
    return null
  throw error
}

/** The time of the newest part; long ago if there is none. */
async function lastPart(
  { bucket: { client, call, name } }: Sweep,
  Key: string,
  UploadId: string | undefined,
) {
  let newest = 0
  let marker: string | undefined
  do {
    const command = new ListPartsCommand({ Bucket: name, Key, UploadId, PartNumberMarker: marker })
    const page = await unlessMissing(call((options) => client.send(command, options)))
    for (const { LastModified } of page?.Parts ?? [])
      newest = Math.max(newest, LastModified?.getTime() ?? 0)
    marker = page?.IsTruncated ? page.NextPartNumberMarker : undefined
  } while (marker !== undefined)
  return new Date(newest)
}

async function abort(
  { bucket: { client, call, name } }: Sweep,
  Key: string,
  UploadId: string | undefined,
) {
  const command = new AbortMultipartUploadCommand({ Bucket: name, Key, UploadId })
  await unlessMissing(call((options) => client.send(command, options)))
}
