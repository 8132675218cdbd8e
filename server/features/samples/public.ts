// GET /samples/{token}/{name}: the sample of a file, for everyone and from any site. It counts
// nothing.
import { pipeline } from 'node:stream/promises'
import type { Context, Next } from 'koa'
import type { Database } from '../../core/db/database.ts'
import { openRateLimit } from '../../core/db/rate-limits.ts'
import { AppError } from '../../core/errors.ts'
import { StoreError, type BlobStore } from '../../core/store/store.ts'
import { networkOfRequest } from '../../http/clients.ts'
import { evaluateConditions } from '../../http/conditions.ts'
import { digestHeaders } from '../../http/headers.ts'
import { sha256Of } from '../../files/digests.ts'
import { CURRENT, sampleName, WANTED_LENGTH } from './model.ts'

const ADDRESS = /^\/samples\/([0-9a-f]{32})\/[^/]+$/
/** A page may play several samples, in many parts. */
const REQUESTS_PER_NETWORK = 600
const MINUTE_SECONDS = 60
/** How long a withdrawn sample may be shown from a cache. */
const CACHED_SECONDS = 300

interface PublicSample {
  shop: number
  filename: string
  hash: string
  sha256: string | null
  location: string
  size_bytes: number
  content_type: string
  created_at: Date
}

const FOUND = `
  select m.shop_id as shop, f.filename, encode(m.hash, 'hex') as hash, m.location, m.size_bytes,
    m.content_type, m.created_at, ${sha256Of('m.shop_id', 'm.hash')} as sha256
  from samples m join ${CURRENT} on f.shop_id = m.shop_id and f.id = m.file_id
  join shops s on s.id = m.shop_id and s.uninstalled_at is null
  where m.token = $1 and m.hash is not null and ${WANTED_LENGTH} is not null`

interface PublicParts {
  database: Database
  stores: ReadonlyMap<string, BlobStore>
  trustProxy: boolean
}

export function publicSamples({ database, stores, trustProxy }: PublicParts) {
  const limit = openRateLimit(database.pool, {
    ...{ name: 'samples', points: REQUESTS_PER_NETWORK, seconds: MINUTE_SECONDS },
  })
  return async (ctx: Context, next: Next): Promise<void> => {
    const token = ADDRESS.exec(ctx.path)?.[1]
    if (token === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    ctx.set('Access-Control-Allow-Origin', '*')
    const used = await limit.consume(networkOfRequest(ctx.req, trustProxy))
    if (used.exceeded) throw new AppError('rate_limited', { retryAfter: used.retryAfter })
    const { rows } = await database.pool.query<PublicSample>(FOUND, [token])
    const [sample] = rows
    const store = sample && stores.get(sample.location)
    if (!sample || !store) throw new AppError('not_found')
    await sendSample(ctx, store, sample)
  }
}

async function sendSample(ctx: Context, store: BlobStore, sample: PublicSample): Promise<void> {
  const { hash, size_bytes: size, shop } = sample
  const answer = evaluateConditions(ctx.method, ctx.req.headers, {
    ...{ etag: `"${hash}"`, modifiedMs: sample.created_at.getTime(), size },
  })
  if (answer.status === 412) throw new AppError('precondition_failed')
  if (answer.status === 416) {
    ctx.set('Content-Range', `bytes */${size}`)
    throw new AppError('range_not_satisfiable')
  }
  const range = 'range' in answer ? answer.range : undefined
  const isEmpty = answer.status === 304 || ctx.method === 'HEAD'
  const bytes = isEmpty ? null : await openSample(store, shop, hash, range)
  const length = range ? range.end - range.start + 1 : size
  ctx.respond = false
  ctx.res.writeHead(answer.status, [
    ...describe(sample),
    ...(answer.status === 304 ? [] : ['Content-Length', String(length)]),
    ...(range ? ['Content-Range', `bytes ${range.start}-${range.end}/${size}`] : []),
  ])
  if (!bytes) ctx.res.end()
  else await pipeline(bytes, ctx.res).catch(() => ctx.res.destroy())
}

async function openSample(
  store: BlobStore,
  shop: number,
  hash: string,
  range: { start: number; end: number } | undefined,
) {
  try {
    return await store.read(shop, hash, range)
  } catch (error) {
    if (error instanceof StoreError)
      throw new AppError('unavailable', { retryAfter: 60, cause: error })
    throw error
  }
}

/** Shown in the browser: this server made the bytes, and both types run no scripts of a page. */
function describe({ filename, content_type, hash, sha256, created_at }: PublicSample): string[] {
  const name = encodeURIComponent(sampleName(filename, content_type).toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return [
    ...['Content-Type', content_type, 'Content-Disposition', `inline; filename*=UTF-8''${name}`],
    ...['Accept-Ranges', 'bytes', 'ETag', `"${hash}"`],
    ...['Last-Modified', created_at.toUTCString(), ...digestHeaders(sha256)],
    ...['Cache-Control', `public, max-age=${CACHED_SECONDS}`],
    ...['Access-Control-Allow-Origin', '*', 'Cross-Origin-Resource-Policy', 'cross-origin'],
    ...['Access-Control-Expose-Headers', 'Accept-Ranges, Content-Range, Repr-Digest'],
    ...['X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'],
  ]
}
