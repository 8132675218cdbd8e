// Writes one stream of bytes into a bucket while hashing it. A blob of one part is sent directly to
// its final key, after its hash is known. A larger one is built under a temporary key and copied
// there; in both cases a blob is complete or absent.
import { createReadStream } from 'node:fs'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { CopyObjectCommand, DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import {
  abortable,
  asBuffer,
  StoreError,
  type ByteSource,
  type TakeOptions,
  type WrittenBlob,
} from './store.ts'
import { stat, storeError, unlink } from './disk-calls.ts'
import type { S3Bucket } from './s3-calls.ts'
import type { Keys } from './s3-keys.ts'
import { startUpload, type Upload } from './s3-upload.ts'

const READ_BYTES = 256 * 1024

/**
 * Sends bytes under a temporary key while they are hashed, then copies them to the key of their hash;
 * few bytes are sent there at the end. The sweep removes what a crash leaves.
 * @throws `StoreError`, or the reason of `signal`
 */
export async function writeBlob(
  bucket: S3Bucket,
  keys: Keys,
  shop: number,
  bytes: ByteSource,
  signal: AbortSignal | undefined,
): Promise<WrittenBlob> {
  const temporary = keys.temporary()
  const sent = await sendParts(bucket, temporary, bytes, signal)
  const target = keys.blob(shop, sent.written.hash)
  if (sent.only) await put(bucket, target, sent.only, signal)
  else {
    try {
      await copyObject(bucket, temporary, target, sent.written.size_bytes, signal)
    } finally {
      // If the removal fails, the sweep removes the object.
      await removeObject(bucket, temporary).catch(() => {})
    }
  }
  return sent.written
}

/**
 * Writes a local file: it is read twice, so that its bytes are written directly to their
 * final name.
 */
export async function adoptIntoBucket(
  bucket: S3Bucket,
  keys: Keys,
  shop: number,
  path: string,
  signal: AbortSignal | undefined,
): Promise<WrittenBlob> {
  signal?.throwIfAborted()
  const hasher = new Blake3Hasher()
  for await (const chunk of abortable(fileChunks(path), signal)) hasher.update(asBuffer(chunk))
  const hash = hasher.digest('hex')
  const target = keys.blob(shop, hash)
  const sent = await sendParts(bucket, target, fileChunks(path), signal, hash)
  if (sent.only) await put(bucket, target, sent.only, signal)
  return sent.written
}

/** Writes a local file to its final name as `adoptIntoBucket` does, and removes the file. */
export async function takeIntoBucket(
  bucket: S3Bucket,
  keys: Keys,
  shop: number,
  path: string,
  { size, signal, onFirst }: TakeOptions,
): Promise<WrittenBlob | null> {
  signal?.throwIfAborted()
  const found = await stat(path)
  if (found.size !== size) return null
  if (onFirst && size > 0) onFirst(await firstBytes(path))
  const written = await adoptIntoBucket(bucket, keys, shop, path, signal)
  await unlink(path)
  return written
}

async function firstBytes(path: string): Promise<Buffer> {
  for await (const chunk of fileChunks(path)) return chunk
  return Buffer.alloc(0)
}

async function* fileChunks(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>
  } catch (error) {
    throw storeError(error)
  }
}

interface SentParts {
  written: WrittenBlob
  /** All bytes, if they are one part: then nothing was sent yet. */
  only: Buffer | null
}

/**
 * Builds an object at `key`, unless it has only one part. `expected`: its hash; with another hash
 * the object is not completed.
 */
async function sendParts(
  bucket: S3Bucket,
  key: string,
  bytes: ByteSource,
  signal: AbortSignal | undefined,
  expected?: string,
): Promise<SentParts> {
  const hasher = new Blake3Hasher()
  let size = 0
  let first: Buffer | null = null
  let upload: Upload | null = null
  const seen = (chunk: Uint8Array) => {
    hasher.update(asBuffer(chunk))
    size += chunk.length
  }
  const release = (chunks: readonly Uint8Array[]) => bytes.release?.(chunks)
  try {
    for await (const part of inParts(
      abortable(bytes, signal),
      bucket.sizes.upload,
      release,
      seen,
    )) {
      // The first part is held back: there are several only if a second one follows.
      if (!upload && !first) first = part
      else {
        upload ??= await startUpload(bucket, key, signal)
        if (first) await upload.add(first)
        first = null
        await upload.add(part)
      }
    }
    const written = { hash: hasher.digest('hex'), size_bytes: size }
    if (expected !== undefined && expected !== written.hash) throw new StoreError('unavailable')
    if (!upload) return { written, only: first ?? Buffer.alloc(0) }
    await upload.complete(size)
    return { written, only: null }
  } catch (error) {
    await upload?.discard()
    throw error
  }
}

async function put(
  { client, call, name }: S3Bucket,
  key: string,
  body: Buffer,
  signal: AbortSignal | undefined,
): Promise<void> {
  const command = new PutObjectCommand({
    Bucket: name,
    Key: key,
    Body: body,
    ContentLength: body.length,
  })
  await call((options) => client.send(command, options), signal)
}

/**
 * Copies within the bucket, without transferring the bytes. The object is complete at `to`, or
 * absent.
 */
export async function copyObject(
  bucket: S3Bucket,
  from: string,
  to: string,
  size: number,
  signal?: AbortSignal,
): Promise<void> {
  if (size > bucket.sizes.whole) return copyInParts(bucket, from, to, size, signal)
  const command = new CopyObjectCommand({
    Bucket: bucket.name,
    Key: to,
    CopySource: `${bucket.name}/${from}`,
  })
  await bucket.call((options) => bucket.client.send(command, options), signal)
}

async function copyInParts(
  bucket: S3Bucket,
  from: string,
  to: string,
  size: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const part = bucket.sizes.copy
  const upload = await startUpload(bucket, to, signal)
  try {
    for (let at = 0; at < size; at += part)
      await upload.addCopy(from, at, Math.min(size, at + part) - 1)
    await upload.complete(size)
  } catch (error) {
    await upload.discard()
    throw error
  }
}

/** Deletes an object. Idempotent. */
export async function removeObject({ client, call, name }: S3Bucket, key: string): Promise<void> {
  await call((options) => client.send(new DeleteObjectCommand({ Bucket: name, Key: key }), options))
}

// Splits a stream into parts of equal length, as some buckets require. Chunks are copied as they
// arrive: many small chunks use no more memory than their bytes, and the source can reuse its
// buffers immediately.

/** The first buffer of a part is small, since most blobs are small. */
const FIRST_BYTES = 64 * 1024

/**
 * All parts except the last one have `partBytes`; an empty stream gives no part. `seen` is called
 * with each chunk before the chunk is released.
 */
async function* inParts(
  chunks: AsyncIterable<Uint8Array>,
  partBytes: number,
  release: ByteSource['release'],
  seen: (chunk: Uint8Array) => void,
): AsyncGenerator<Buffer> {
  let part: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  let length = 0
  for await (const chunk of chunks) {
    seen(chunk)
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + partBytes - length)
      part = roomFor(part, length, piece.length, partBytes)
      part.set(piece, length)
      at += piece.length
      length += piece.length
      if (length < partBytes) continue
      yield part
      part = Buffer.allocUnsafeSlow(partBytes)
      length = 0
    }
    release?.([chunk])
  }
  if (length > 0) yield part.subarray(0, length)
}

function roomFor(part: Buffer, length: number, more: number, most: number): Buffer {
  if (length + more <= part.length) return part
  const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(part.length * 2, length + more)))
  part.copy(larger, 0, 0, length)
  return larger
}
