// One object that is built from parts: it is not visible before it is complete. While one part is
// filled, two are being sent.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { nameOf, type S3Bucket } from './s3-calls.ts'
import { headObject } from './s3-read.ts'
import { StoreError } from './store.ts'

/** Parts of one object uploaded concurrently. */
const PART_CONCURRENCY = 2

export interface Upload {
  /**
   * Resolves when the part is being sent, so that the next one can be filled; an error is thrown by
   * the next call.
   */
  add(part: Buffer): Promise<void>
  /** The same for a range of another object; `start` and `end` are included. */
  addCopy(from: string, start: number, end: number): Promise<void>
  /** Completes the object. `size`: the bytes of all parts. */
  complete(size: number): Promise<void>
  /** Aborts the upload, as far as possible; never rejects. */
  discard(): Promise<void>
}

export async function startUpload(
  bucket: S3Bucket,
  key: string,
  signal: AbortSignal | undefined,
): Promise<Upload> {
  const of = { Bucket: bucket.name, Key: key }
  const { client, call, semaphore } = bucket
  const begun = await call(
    (options) => client.send(new CreateMultipartUploadCommand(of), options),
    signal,
  )
  const upload = { ...of, UploadId: begun.UploadId }
  const stop = new AbortController()
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const parts = createParts()
  return {
    add: async (part) => {
      await parts.room()
      const release = await semaphore.acquire()
      parts.send(async (PartNumber) => {
        const command = new UploadPartCommand({
          ...upload,
          PartNumber,
          Body: part,
          ContentLength: part.length,
        })
        return (await call((options) => client.send(command, options), either).finally(release))
          .ETag
      })
    },
    addCopy: async (from, start, end) => {
      await parts.room()
      parts.send(async (PartNumber) => {
        const source = {
          CopySource: `${bucket.name}/${from}`,
          CopySourceRange: `bytes=${start}-${end}`,
        }
        const command = new UploadPartCopyCommand({ ...upload, ...source, PartNumber })
        return (await call((options) => client.send(command, options), either)).CopyPartResult?.ETag
      })
    },
    complete: async (size) => {
      const command = new CompleteMultipartUploadCommand({
        ...upload,
        MultipartUpload: { Parts: await parts.all() },
      })
      await call((options) => client.send(command, options), signal).catch(
        async (error: unknown) => {
          // The answer of an earlier try may have been lost: then the object is complete, and its
          // upload id unknown.
          if (!(await isThere(bucket, key, size, error))) throw error
        },
      )
    },
    discard: async () => {
      stop.abort()
      // A part that arrives after the abort would remain.
      await parts.all().catch(() => {})
      await call((options) => client.send(new AbortMultipartUploadCommand(upload), options)).catch(
        () => {},
      )
    },
  }
}

interface SentPart {
  PartNumber: number
  ETag: string | undefined
}

/** The parts that are being sent, numbered in order. */
function createParts() {
  const sent: SentPart[] = []
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | null = null
  const check = () => {
    if (failure) throw failure.error
  }
  return {
    /** Resolves when another part may be sent; rejects with the error of an earlier one. */
    room: async () => {
      if (running.size >= PART_CONCURRENCY) await Promise.race(running)
      check()
    },
    send: (work: (number: number) => Promise<string | undefined>) => {
      const part: SentPart = { PartNumber: sent.length + 1, ETag: undefined }
      sent.push(part)
      const task: Promise<void> = work(part.PartNumber).then(
        (ETag) => void (part.ETag = ETag),
        (error: unknown) => void (failure ??= { error }),
      )
      const tracked: Promise<void> = task.finally(() => running.delete(tracked))
      running.add(tracked)
    },
    /** All parts, after they have arrived. */
    all: async (): Promise<SentPart[]> => {
      await Promise.all(running)
      check()
      return sent
    },
  }
}

async function isThere(
  bucket: S3Bucket,
  key: string,
  size: number,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof StoreError) || nameOf(error.cause) !== 'NoSuchUpload') return false
  return (await headObject(bucket, key))?.size === size
}
