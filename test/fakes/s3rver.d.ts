// The parts of s3rver that the fake bucket uses; s3rver has no types.
declare module '@20minutes/s3rver' {
  import type { IncomingMessage, Server } from 'node:http'
  import type FilesystemStore from '@20minutes/s3rver/lib/stores/filesystem.js'

  export interface Context {
    method: string
    url: string
    path: string
    query: Record<string, string | undefined>
    req: IncomingMessage
    params: { bucket: string; key?: string }
    status: number
    body: unknown
  }
  export default class S3rver {
    constructor(options: {
      port: number
      address: string
      silent: boolean
      directory: string
      vhostBuckets: boolean
    })
    store: FilesystemStore
    context: { store: FilesystemStore }
    middleware: ((ctx: Context, next: () => Promise<unknown>) => Promise<unknown>)[]
    httpServer: Server
    run(): Promise<unknown>
    close(): Promise<void>
  }
}

declare module '@20minutes/s3rver/lib/middleware/authentication.js' {
  import type { Context } from '@20minutes/s3rver'
  /** Throws if the signature is invalid. */
  export default function authentication(): (
    ctx: Context,
    next: () => Promise<unknown>,
  ) => Promise<unknown>
}

declare module '@20minutes/s3rver/lib/stores/filesystem.js' {
  export type Content = Buffer | NodeJS.ReadableStream
  export interface Part {
    number: number
    etag: string
  }
  export default class FilesystemStore {
    constructor(directory: string)
    rootDirectory: string
    getResourcePath(bucket: string, key: string | undefined, resource: string): string
    putBucket(bucket: string): Promise<unknown>
    getBucket(bucket: string): Promise<unknown>
    listObjects(
      bucket: string,
      options: { prefix?: string | undefined; startAfter?: string; maxKeys?: number },
    ): Promise<{
      objects: { key: string; size: number; md5: string; lastModifiedDate: Date }[]
      isTruncated: boolean
    }>
    getObject(
      bucket: string,
      key: string,
      options: { start?: number; end?: number },
    ): Promise<unknown>
    putContent(file: string, content: Content): Promise<[size: number, md5: string]>
    putPart(
      bucket: string,
      uploadId: string,
      part: string,
      content: Content,
    ): Promise<{ size: number; md5: string }>
    putObjectMultipart(
      bucket: string,
      uploadId: string,
      parts: readonly Part[],
    ): Promise<{ size: number; md5: string }>
  }
}

declare module '@20minutes/s3rver/lib/models/error.js' {
  export default class S3Error extends Error {
    constructor(code: string, message: string)
  }
}
