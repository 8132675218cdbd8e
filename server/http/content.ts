// A file's bytes for the merchant's own tools: conditional requests, ranges and headers as for a
// buyer's download, without counting.
import { pipeline } from 'node:stream/promises'
import type { Context } from 'koa'
import { evaluateConditions } from './conditions.ts'
import { asksForDigest, fileHeaders } from './headers.ts'
import { AppError } from '../core/errors.ts'
import type { LocatedFile } from '../files/list.ts'
import type { SizedBlob } from '../files/blob-checks.ts'
import type { WholeBlobs } from '../files/whole-blobs.ts'
import { StoreError, type ByteRange } from '../core/store/store.ts'
import { errorSchema } from './schemas.ts'

const refused = (description: string) => ({ description, schema: errorSchema })

/** The replies of such an endpoint, for the OpenAPI document. */
export const contentReplies = {
  200: { description: 'The bytes', schema: null },
  206: { description: 'The requested range', schema: null },
  304: {
    description: 'The client’s copy is current: `If-None-Match`, `If-Modified-Since`',
    schema: null,
  },
  412: refused('It has changed: `If-Match`, `If-Unmodified-Since`'),
  416: refused('It has no such range'),
}

/** Answers the request directly: the bytes are streamed to the socket. */
export async function sendContent(
  ctx: Context,
  blobs: WholeBlobs,
  shop: number,
  file: LocatedFile,
): Promise<void> {
  const { filename, content_type, hash, location, size_bytes, modified_at } = file
  const content = { shop, hash, location, size_bytes, modifiedMs: modified_at.getTime() }
  const sha256 = await contentDigest(ctx, blobs, content, file)
  await streamContent(ctx, blobs, content, (identity) =>
    fileHeaders({ ...identity, filename, contentType: content_type, sha256 }),
  )
}

/** The digest that the answer names; `known`: the stored one. Null: it is not named. */
export function contentDigest(
  ctx: Context,
  blobs: WholeBlobs,
  blob: SizedBlob,
  { sha256 }: { sha256: string | null },
): Promise<string | null> {
  if (sha256 !== null) return Promise.resolve(sha256)
  return blobs.sums.ofContent(blob, asksForDigest(ctx.req))
}

export interface StreamedBytes extends SizedBlob {
  modifiedMs: number
}

/** Sends these bytes with ranges and conditional requests. */
export async function streamContent(
  ctx: Context,
  blobs: WholeBlobs,
  content: StreamedBytes,
  headersOf: (identity: { etag: string; modifiedMs: number }) => readonly string[],
): Promise<void> {
  const { hash, size_bytes, modifiedMs } = content
  const etag = `"${hash}"`
  const answer = evaluateConditions(ctx.method, ctx.req.headers, {
    etag,
    modifiedMs,
    size: size_bytes,
  })
  if (answer.status === 412) throw new AppError('precondition_failed')
  if (answer.status === 416) {
    ctx.set('Content-Range', `bytes */${size_bytes}`)
    throw new AppError('range_not_satisfiable')
  }
  const range: ByteRange | undefined = 'range' in answer ? answer.range : undefined
  const bytes =
    answer.status === 304 || ctx.method === 'HEAD'
      ? null
      : await orRefusal(blobs.read(content, range))
  const length = range ? range.end - range.start + 1 : size_bytes
  ctx.respond = false
  ctx.res.writeHead(answer.status, [
    ...headersOf({ etag, modifiedMs }),
    ...(answer.status === 304 ? [] : ['Content-Length', String(length)]),
    ...(range ? ['Content-Range', `bytes ${range.start}-${range.end}/${size_bytes}`] : []),
  ])
  if (!bytes) ctx.res.end()
  // A client that disconnects is not a server error; if the store fails, the connection is closed
  // before the announced length.
  else await pipeline(bytes, ctx.res).catch(() => ctx.res.destroy())
}

/**
 * What a store's failure is for a request: `file_damaged` if the bytes are damaged and there is no
 * good copy, else `unavailable`.
 */
export async function orRefusal<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const code = error.code === 'damaged' ? 'file_damaged' : 'unavailable'
    throw new AppError(code, { retryAfter: 60, cause: error })
  }
}
