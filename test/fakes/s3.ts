// A bucket that speaks S3 over a socket: s3rver, which checks signatures, with additions for the
// parts of the protocol that it lacks: atomic writes of objects, listing and aborting multipart
// uploads, and S3's minimum part size.
import { randomBytes } from 'node:crypto'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import S3rver, { type Context } from '@20minutes/s3rver'
import authentication from '@20minutes/s3rver/lib/middleware/authentication.js'
import FilesystemStore, {
  type Content,
  type Part,
} from '@20minutes/s3rver/lib/stores/filesystem.js'
import S3Error from '@20minutes/s3rver/lib/models/error.js'
import type { S3Location } from '../../server/core/store/address.ts'

export const BUCKET = 'harbour'
/** The only key pair that it accepts. */
export const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
const MIN_PART = 5 * 1024 * 1024

export interface FakeS3 {
  port: number
  /**
   * As a configuration names it; `change` for another prefix, other credentials or another kind of
   * access.
   */
  location(change?: Partial<S3Location>): S3Location
  /**
   * Keys of all objects, and `<key> (unfinished)` for each upload that is neither completed nor
   * aborted.
   */
  contents(): Promise<string[]>
  /**
   * Called with each request; its result replaces the response. `lost`: the request is carried out,
   * but the connection closes without a response. `discarded`: the body is received and dropped.
   */
  intercept: (request: { method: string; url: string }) => Intercepted | Promise<Intercepted>
  /** Every request, such as `PUT /harbour/7/…`. */
  requests: string[]
  /**
   * Sets the age of an object, or of an unfinished upload with its parts; `parts: false`: without
   * its parts.
   */
  age(key: string, to: Date, options?: { parts: boolean }): Promise<void>
  /** Limits later pages of lists to this many objects. */
  cutLists(page: number): void
  /** The number of open connections. */
  connections(): Promise<number>
  close(): Promise<void>
}

type Intercepted = { status: number; code: string } | 'lost' | 'discarded' | null

interface UploadOnDisk {
  Key: string
  UploadId: string
  Initiated: string
}

class WholeStore extends FilesystemStore {
  /** The maximum number of objects in a page of a list. */
  page = 1000
  minPart = MIN_PART

  /**
   * Its own implementation writes into the final file, so a cut connection would leave a partial
   * object.
   */
  override async putContent(file: string, content: Content): Promise<[number, string]> {
    const fresh = path.join(this.rootDirectory, `fresh-${randomBytes(8).toString('hex')}`)
    try {
      const written = await super.putContent(fresh, content)
      // A part that arrives after the abort must not create the folder of its upload again.
      if (!file.includes(path.basename(this.getResourcePath(BUCKET, undefined, 'uploads'))))
        await mkdir(path.dirname(file), { recursive: true })
      await rename(fresh, file)
      return written
    } finally {
      await rm(fresh, { force: true })
    }
  }

  /** s3rver treats a range that ends with the first byte as one without an end. */
  override getObject(
    bucket: string,
    key: string,
    options: { start?: number; end?: number },
  ): Promise<unknown> {
    const end = options.end === 0 ? { end: Object(0) as number } : {}
    return super.getObject(bucket, key, { ...options, ...end })
  }

  folderOf(bucket: string, uploadId: string): string {
    return path.join(this.getResourcePath(bucket, undefined, 'uploads'), path.basename(uploadId))
  }

  override async putPart(bucket: string, uploadId: string, part: string, content: Content) {
    await this.require(bucket, uploadId)
    return super.putPart(bucket, uploadId, part, content)
  }

  override async putObjectMultipart(bucket: string, uploadId: string, parts: readonly Part[]) {
    await this.require(bucket, uploadId)
    for (const { number } of parts.slice(0, -1)) {
      const { size } = await stat(path.join(this.folderOf(bucket, uploadId), String(number)))
      if (size < this.minPart)
        throw new S3Error('EntityTooSmall', 'Your proposed upload is too small')
    }
    const key = await readFile(path.join(this.folderOf(bucket, uploadId), 'key'), 'utf8')
    const { size, md5 } = await super.putObjectMultipart(bucket, uploadId, parts)
    // The ETag of S3 is no MD5 of the whole.
    const etag = `${md5}-${parts.length}`
    await writeFile(this.getResourcePath(bucket, key, 'object.md5'), etag)
    return { size, md5: etag }
  }

  async require(bucket: string, uploadId: string): Promise<void> {
    const found = await stat(this.folderOf(bucket, uploadId)).catch(() => null)
    if (!found) throw new S3Error('NoSuchUpload', 'The specified upload does not exist')
  }

  async uploads(bucket: string): Promise<UploadOnDisk[]> {
    const ids = await readdir(this.getResourcePath(bucket, undefined, 'uploads')).catch(() => [])
    return Promise.all(
      ids.map(async (UploadId) => {
        const file = path.join(this.folderOf(bucket, UploadId), 'key')
        return {
          Key: await readFile(file, 'utf8'),
          UploadId,
          Initiated: (await stat(file)).mtime.toISOString(),
        }
      }),
    )
  }

  async parts(bucket: string, uploadId: string) {
    await this.require(bucket, uploadId)
    const names = (await readdir(this.folderOf(bucket, uploadId))).filter((name) =>
      /^\d+$/.test(name),
    )
    return Promise.all(
      names.map(async (PartNumber) => {
        const { size, mtime } = await stat(path.join(this.folderOf(bucket, uploadId), PartNumber))
        return { PartNumber, Size: size, LastModified: mtime.toISOString() }
      }),
    )
  }
}

const authenticated = authentication()

/**
 * Answers requests that s3rver does not support, or not with this Node: it encrypts continuation
 * tokens with a removed cipher.
 */
async function answerMore(
  ctx: Context,
  store: WholeStore,
  next: () => Promise<unknown>,
): Promise<unknown> {
  const { uploadId, uploads } = ctx.query
  const [, bucket = '', ...rest] = ctx.path.split('/')
  const key = rest.join('/')
  // Its signature check normalizes the address of a bucket to one without a trailing slash.
  if (key === '' && ctx.path.endsWith('/'))
    Object.assign(ctx, { mountPath: '/', state: { vhost: true } })
  ctx.params = key === '' ? { bucket } : { bucket, key }
  if (ctx.method === 'GET' && ctx.query['list-type'] === '2')
    return authenticated(ctx, () => answerList(ctx, store, bucket))
  const more =
    ctx.method === 'GET' ? (uploads ?? uploadId) : ctx.method === 'DELETE' ? uploadId : undefined
  return more === undefined
    ? next()
    : authenticated(ctx, () => answerAboutUploads(ctx, store, bucket, key))
}

async function answerList(ctx: Context, store: WholeStore, bucket: string): Promise<void> {
  if (!(await store.getBucket(bucket)))
    throw new S3Error('NoSuchBucket', 'The specified bucket does not exist')
  const { prefix, 'max-keys': most, 'continuation-token': token = '' } = ctx.query
  const startAfter = Buffer.from(token, 'base64').toString()
  const maxKeys = Math.min(Number(most ?? 1000), store.page)
  const { objects, isTruncated } = await store.listObjects(bucket, { prefix, startAfter, maxKeys })
  const next = isTruncated && {
    NextContinuationToken: Buffer.from(objects.at(-1)!.key).toString('base64'),
  }
  const Contents = objects.map(({ key, size, md5, lastModifiedDate }) => ({
    Key: key,
    Size: size,
    ETag: `"${md5}"`,
    LastModified: lastModifiedDate.toISOString(),
  }))
  ctx.body = { ListBucketResult: { Name: bucket, IsTruncated: isTruncated, ...next, Contents } }
}

async function answerAboutUploads(
  ctx: Context,
  store: WholeStore,
  bucket: string,
  key: string,
): Promise<void> {
  const { uploadId, prefix = '' } = ctx.query
  if (ctx.method === 'GET' && uploadId === undefined) {
    const Upload = (await store.uploads(bucket)).filter((upload) => upload.Key.startsWith(prefix))
    ctx.body = { ListMultipartUploadsResult: { Bucket: bucket, IsTruncated: false, Upload } }
  } else if (ctx.method === 'GET') {
    const Part = await store.parts(bucket, uploadId!)
    ctx.body = {
      ListPartsResult: { Bucket: bucket, Key: key, UploadId: uploadId, IsTruncated: false, Part },
    }
  } else {
    await store.require(bucket, uploadId!)
    await rm(store.folderOf(bucket, uploadId!), { recursive: true })
    ctx.status = 204
  }
}

/** `minPart`: bytes; S3 itself requires 5 MB of every part but the last one. */
export async function startS3({ minPart = MIN_PART } = {}): Promise<FakeS3> {
  const directory = await mkdtemp(path.join(tmpdir(), 'stevedore-s3-'))
  await writeFile(path.join(directory, '.keep'), '')
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    vhostBuckets: false,
  })
  const store = Object.assign(new WholeStore(directory), { minPart })
  server.store = server.context.store = store
  const fake: Pick<FakeS3, 'requests' | 'intercept'> = { requests: [], intercept: () => null }
  // Inserted right before its routes, so that s3rver still serializes the result as XML.
  server.middleware.splice(-1, 0, async (ctx, next) => {
    fake.requests.push(`${ctx.method} ${ctx.url}`)
    const answer = await fake.intercept(ctx)
    if (answer === 'lost') {
      await answerMore(ctx, store, next)
      ctx.req.socket.destroy()
    } else if (answer === 'discarded') {
      await finished(ctx.req.resume())
      ctx.status = 200
    } else if (answer) {
      ctx.req.resume()
      ctx.status = answer.status
      ctx.body = { Error: { Code: answer.code, Message: 'As the test says' } }
    } else await answerMore(ctx, store, next)
  })
  await store.putBucket(BUCKET)
  const { port } = (await server.run()) as AddressInfo
  return Object.assign(fake, {
    port,
    location: (change = {}) => ({
      kind: 's3' as const,
      bucket: BUCKET,
      prefix: '',
      region: 'us-east-1',
      pathStyle: true,
      endpoint: `http://127.0.0.1:${port}`,
      credentials: CREDENTIALS,
      ...change,
    }),
    contents: async () => {
      const { objects } = await store.listObjects(BUCKET, {})
      const unfinished = await store.uploads(BUCKET)
      return [
        ...objects.map(({ key }) => key),
        ...unfinished.map(({ Key }) => `${Key} (unfinished)`),
      ].sort()
    },
    cutLists: (page) => void (store.page = page),
    connections: () => promisify(server.httpServer.getConnections.bind(server.httpServer))(),
    age: async (key: string, to: Date, { parts } = { parts: true }) => {
      const upload = (await store.uploads(BUCKET)).find((one) => one.Key === key)
      if (!upload) return utimes(store.getResourcePath(BUCKET, key, 'object'), to, to)
      const folder = store.folderOf(BUCKET, upload.UploadId)
      for (const name of parts ? await readdir(folder) : ['key'])
        await utimes(path.join(folder, name), to, to)
    },
    close: async () => {
      server.httpServer.closeAllConnections()
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  } satisfies Omit<FakeS3, 'requests' | 'intercept'>)
}
