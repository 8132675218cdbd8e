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

/** Begins the upload of an object under `key`; `signal` aborts its requests. */
export async function startUpload(
  bucket: S3Bucket,
  key: string,
  signal: AbortSignal | undefined,
): Promise<Upload> {
  const object = { Bucket: bucket.name, Key: key }
  const begun = await bucket.call(
    (options) => bucket.client.send(new CreateMultipartUploadCommand(object), options),
    signal,
  )
  return new Upload(bucket, { ...object, UploadId: begun.UploadId }, signal)
}

interface UploadName {
  Bucket: string
  Key: string
  UploadId: string | undefined
}

export class Upload {
  readonly #bucket: S3Bucket
  readonly #name: UploadName
  readonly #signal: AbortSignal | undefined
  readonly #discarded = new AbortController()
  /** Aborts the requests of parts when the upload is aborted or discarded. */
  readonly #partSignal: AbortSignal
  readonly #parts = createParts()

  constructor(bucket: S3Bucket, name: UploadName, signal: AbortSignal | undefined) {
    this.#bucket = bucket
    this.#name = name
    this.#signal = signal
    const discarded = this.#discarded.signal
    this.#partSignal = signal ? AbortSignal.any([signal, discarded]) : discarded
  }

  /**
   * Resolves when the part is being sent, so that the next one can be filled; an error is thrown by
   * the next call.
   */
  async add(part: Buffer): Promise<void> {
    const { client, call, semaphore } = this.#bucket
    await this.#parts.room()
    const release = await semaphore.acquire()
    this.#parts.send(async (PartNumber) => {
      const content = { Body: part, ContentLength: part.length }
      const command = new UploadPartCommand({ ...this.#name, ...content, PartNumber })
      const sent = call((options) => client.send(command, options), this.#partSignal)
      return (await sent.finally(release)).ETag
    })
  }

  /** Adds a range of another object as a part; `start` and `end` are included. */
  async addCopy(from: string, start: number, end: number): Promise<void> {
    const { client, call, name } = this.#bucket
    await this.#parts.room()
    this.#parts.send(async (PartNumber) => {
      const source = { CopySource: `${name}/${from}`, CopySourceRange: `bytes=${start}-${end}` }
      const command = new UploadPartCopyCommand({ ...this.#name, ...source, PartNumber })
      const { CopyPartResult } = await call(
        (options) => client.send(command, options),
        this.#partSignal,
      )
      return CopyPartResult?.ETag
    })
  }

  /** Completes the object. `size`: the bytes of all parts. */
  async complete(size: number): Promise<void> {
    const { client, call } = this.#bucket
    const MultipartUpload = { Parts: await this.#parts.all() }
    const command = new CompleteMultipartUploadCommand({ ...this.#name, MultipartUpload })
    try {
      await call((options) => client.send(command, options), this.#signal)
    } catch (error) {
      // The answer of an earlier try may have been lost: then the object is complete, and its
      // upload id unknown.
      if (!(await isThere(this.#bucket, this.#name.Key, size, error))) throw error
    }
  }

  /** Aborts the upload, as far as possible; never rejects. */
  async discard(): Promise<void> {
    const { client, call } = this.#bucket
    this.#discarded.abort()
    // A part that arrives after the abort would remain.
    await this.#parts.all().catch(() => {})
    const command = new AbortMultipartUploadCommand(this.#name)
    await call((options) => client.send(command, options)).catch(() => {})
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
