// A file's bytes for the merchant's own tools: conditional requests, ranges and headers as for a
// buyer's download, without counting.
import { pipeline } from 'node:stream/promises'
import type { Context } from 'koa'
import { evaluateConditions } from './conditions.ts'
import { fileHeaders } from './headers.ts'
import { AppError } from '../core/errors.ts'
import type { LocatedFile } from '../files/list.ts'
import { StoreError, type BlobStore, type ByteRange } from '../core/store/store.ts'
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
  store: BlobStore,
  shop: number,
  file: LocatedFile,
): Promise<void> {
  const etag = `"${file.hash}"`
  const modifiedMs = file.modified_at.getTime()
  const answer = evaluateConditions(ctx.method, ctx.req.headers, {
    etag,
    modifiedMs,
    size: file.size_bytes,
  })
  if (answer.status === 412) throw new AppError('precondition_failed')
  if (answer.status === 416) {
    ctx.set('Content-Range', `bytes */${file.size_bytes}`)
    throw new AppError('range_not_satisfiable')
  }
  const range: ByteRange | undefined = 'range' in answer ? answer.range : undefined
  const bytes =
    answer.status === 304 || ctx.method === 'HEAD'
      ? null
      : await open(store, shop, file.hash, range)
  const length = range ? range.end - range.start + 1 : file.size_bytes
  ctx.respond = false
  ctx.res.writeHead(answer.status, [
    ...fileHeaders({
      ...{ filename: file.filename, contentType: file.content_type, etag, modifiedMs },
      sha256: file.sha256,
    }),
    ...(answer.status === 304 ? [] : ['Content-Length', String(length)]),
    ...(range ? ['Content-Range', `bytes ${range.start}-${range.end}/${file.size_bytes}`] : []),
  ])
  if (!bytes) ctx.res.end()
  // A client that disconnects is not a server error; if the store fails, the connection is closed
  // before the announced length.
  else await pipeline(bytes, ctx.res).catch(() => ctx.res.destroy())
}

async function open(store: BlobStore, shop: number, hash: string, range: ByteRange | undefined) {
  try {
    return await store.read(shop, hash, range)
  } catch (error) {
    if (error instanceof StoreError)
      throw new AppError('unavailable', { retryAfter: 60, cause: error })
    throw error
  }
}
