// Pieces of files that are not complete yet, each an object below one folder of the bucket. A piece
// may have any length, unlike the parts of a multipart upload, and any process can add the next one.
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Location } from './address.ts'
import { openBucket } from './s3-calls.ts'
import { headObject, readObject } from './s3-read.ts'
import { objectPages } from './s3-sweep.ts'
import { removeObject } from './s3-write.ts'

/** Objects that are removed concurrently. */
const REMOVAL_CONCURRENCY = 8

export type Pieces = ReturnType<typeof openPieces>

/**
 * `folder` is below the prefix of the location. Names are `<file>/<piece>`, without other slashes.
 * Functions reject with a `StoreError`.
 */
export function openPieces(location: S3Location, folder: string) {
  const bucket = openBucket(location)
  const start = `${location.prefix}${folder}/`
  const { client, call, name: Bucket, semaphore } = bucket
  const removeAll = async (keys: readonly string[]) => {
    for (let at = 0; at < keys.length; at += REMOVAL_CONCURRENCY) {
      const some = keys.slice(at, at + REMOVAL_CONCURRENCY)
      await Promise.all(some.map((key) => removeObject(bucket, key)))
    }
  }
  return {
    /** The usual length of a piece. */
    bytes: bucket.sizes.upload,
    write: async (name: string, Body: Buffer): Promise<void> => {
      const release = await semaphore.acquire()
      const object = { Bucket, Key: start + name, Body, ContentLength: Body.length }
      await call((options) => client.send(new PutObjectCommand(object), options)).finally(release)
    },
    read: (name: string) => readObject(bucket, start + name),
    /** The length of a piece; null: there is none of this name. */
    size: async (name: string): Promise<number | null> =>
      (await headObject(bucket, start + name))?.size ?? null,
    /** The address to which a client may PUT this piece, with exactly so many bytes. */
    signedAddress: (name: string, ContentLength: number, expiresIn: number): Promise<string> => {
      const command = new PutObjectCommand({ Bucket, Key: start + name, ContentLength })
      return call(() => getSignedUrl(client, command, { expiresIn }))
    },
    remove: (names: readonly string[]) => removeAll(names.map((name) => start + name)),
    /** Removes all pieces of a file, also those that nothing names. */
    removeFile: async (file: string): Promise<void> => {
      for await (const page of objectPages(bucket, `${start}${file}/`))
        await removeAll(page.flatMap(({ Key }) => Key ?? []))
    },
    /** Yields the files that have a piece from before this time, a page at a time. */
    async *old(before: Date): AsyncGenerator<string[]> {
      for await (const page of objectPages(bucket, start)) {
        const old = page.flatMap(({ Key = '', LastModified }) => {
          const [file] = Key.slice(start.length).split('/')
          return file !== undefined && LastModified && LastModified < before ? [file] : []
        })
        yield [...new Set(old)]
      }
    },
  }
}
