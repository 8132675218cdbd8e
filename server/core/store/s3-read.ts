// Reads a blob from a bucket. If a connection breaks, the read continues where it stopped: blobs
// never change.
import { Readable } from 'node:stream'
import { GetObjectCommand, HeadObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { storeErrorOf, unlessMissing, type S3Bucket } from './s3-calls.ts'
import type { Keys } from './s3-keys.ts'
import { StoreError, type ByteRange } from './store.ts'

/** Maximum number of consecutive attempts that give no bytes. */
const MAX_EMPTY_READS = 3

/**
 * A blob’s bytes, also while a sweep has copied it aside. A broken connection is resumed.
 * @throws `StoreError`: `not_found`, or why the bucket cannot be read
 */
export async function readBlob(
  bucket: S3Bucket,
  keys: Keys,
  shop: number,
  hash: string,
  range: ByteRange | undefined,
): Promise<Readable> {
  const key = keys.blob(shop, hash)
  const found =
    (await unlessMissing(get(bucket, key, range))) ??
    (await readAside(bucket, keys, shop, hash, range))
  return bytesOf(bucket, found)
}

/** Reads a whole object that never changes. */
export const readObject = async (bucket: S3Bucket, key: string): Promise<Readable> =>
  bytesOf(bucket, await get(bucket, key, undefined))

function bytesOf(bucket: S3Bucket, found: OpenObject): Readable {
  let body = found.body
  const end = found.start + found.size
  async function* chunks(): AsyncGenerator<Buffer> {
    let at = found.start
    let emptyReads = 0
    while (at < end) {
      try {
        for await (const chunk of body as AsyncIterable<Buffer>) {
          at += chunk.length
          emptyReads = 0
          yield chunk
        }
        if (at < end) throw new StoreError('unavailable')
      } catch (error) {
        if (stream.destroyed) return
        if (++emptyReads > MAX_EMPTY_READS) throw storeErrorOf(error)
        body = (await get(bucket, found.key, { start: at, end: end - 1 })).body
      }
    }
  }
  const stream = Readable.from(chunks(), { objectMode: false })
  // A reader that stops before its first read never starts the loop above, whose end releases the
  // connection.
  stream.once('close', () => body.destroy())
  return stream
}

interface OpenObject {
  key: string
  body: Readable
  /** The offset in the object at which it begins. */
  start: number
  size: number
}

async function get(
  { client, call, name }: S3Bucket,
  key: string,
  range: ByteRange | undefined,
): Promise<OpenObject> {
  const Range = range && `bytes=${range.start}-${range.end}`
  const command = new GetObjectCommand({ Bucket: name, Key: key, Range })
  const {
    Body,
    ContentLength = 0,
    ContentRange,
  } = await call((options) => client.send(command, options))
  const body = Body as Readable
  if (range && ContentRange?.startsWith(`bytes ${range.start}-`) !== true) {
    // The bucket answered with another range: its bytes must not be served as the requested ones.
    body.destroy()
    throw new StoreError('unavailable')
  }
  return { key, body, start: range?.start ?? 0, size: ContentLength }
}

/** A blob that is written again while a sweep puts it aside is found where the sweep put it. */
async function readAside(
  bucket: S3Bucket,
  keys: Keys,
  shop: number,
  hash: string,
  range: ByteRange | undefined,
): Promise<OpenObject> {
  const command = new ListObjectsV2Command({
    Bucket: bucket.name,
    Prefix: keys.asideOf(shop, hash),
    MaxKeys: 1,
  })
  const { Contents = [] } = await bucket.call((options) => bucket.client.send(command, options))
  const [object] = Contents
  if (object?.Key === undefined) throw new StoreError('missing')
  return get(bucket, object.Key, range)
}

export interface ObjectHead {
  size: number
  changed: Date
}

/** The size and date of an object; null if none has this key. */
export async function headObject(
  { client, call, name }: S3Bucket,
  key: string,
): Promise<ObjectHead | null> {
  const command = new HeadObjectCommand({ Bucket: name, Key: key })
  const found = await unlessMissing(call((options) => client.send(command, options)))
  return found && { size: found.ContentLength ?? 0, changed: found.LastModified ?? new Date() }
}
