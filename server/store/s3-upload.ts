// One object put together from parts: nobody sees it before it is whole. While one part fills, a few are on their way.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { nameOf, type Bucket } from './s3-calls.ts'
import { look } from './s3-read.ts'
import { StoreError } from './store.ts'

/** Parts on their way at once. With the one that fills and the one that waits, four are in memory. */
const AT_ONCE = 2

export interface Upload {
  /** Resolves when there is room for the next one; a failure of this one may show only then. */
  add(part: Buffer): Promise<void>
  /** The same for a range of another object, both ends included. */
  addCopy(from: string, start: number, end: number): Promise<void>
  /** Makes it one object. `size`: of all parts. */
  complete(size: number): Promise<void>
  /** Takes it all back, as far as that can be done; never rejects. */
  discard(): Promise<void>
}

export async function startUpload(bucket: Bucket, key: string, signal: AbortSignal | undefined): Promise<Upload> {
  const of = { Bucket: bucket.name, Key: key }
  const { client, call } = bucket
  const begun = await call((options) => client.send(new CreateMultipartUploadCommand(of), options), signal)
  const upload = { ...of, UploadId: begun.UploadId }
  const stop = new AbortController()
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const done: { PartNumber: number; ETag: string | undefined }[] = []
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | null = null

  const send = async (work: (number: number) => Promise<string | undefined>) => {
    const PartNumber = done.length + 1
    const place = { PartNumber, ETag: undefined as string | undefined }
    done.push(place)
    const task: Promise<void> = work(PartNumber).then(
      (ETag) => void (place.ETag = ETag),
      (error: unknown) => void (failure ??= { error }),
    )
    const tracked: Promise<void> = task.finally(() => running.delete(tracked))
    running.add(tracked)
    if (running.size >= AT_ONCE) await Promise.race(running)
    if (failure) throw failure.error
  }
  return {
    add: (part) =>
      send(async (PartNumber) => {
        const command = new UploadPartCommand({ ...upload, PartNumber, Body: part, ContentLength: part.length })
        return (await call((options) => client.send(command, options), either)).ETag
      }),
    addCopy: (from, start, end) =>
      send(async (PartNumber) => {
        const source = { CopySource: `${bucket.name}/${from}`, CopySourceRange: `bytes=${start}-${end}` }
        const command = new UploadPartCopyCommand({ ...upload, ...source, PartNumber })
        return (await call((options) => client.send(command, options), either)).CopyPartResult?.ETag
      }),
    complete: async (size) => {
      await Promise.all(running)
      if (failure) throw failure.error
      const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: done } })
      await call((options) => client.send(command, options), signal).catch(async (error: unknown) => {
        // The answer to an earlier try may have got lost: then it is complete, and unknown under its old name.
        if (!(await isThere(bucket, key, size, error))) throw error
      })
    },
    discard: async () => {
      stop.abort()
      // A part that arrives behind the abort would stay.
      await Promise.all(running)
      await call((options) => client.send(new AbortMultipartUploadCommand(upload), options)).catch(() => {})
    },
  }
}

async function isThere(bucket: Bucket, key: string, size: number, error: unknown): Promise<boolean> {
  if (!(error instanceof StoreError) || nameOf(error.cause) !== 'NoSuchUpload') return false
  return (await look(bucket, key))?.size === size
}
