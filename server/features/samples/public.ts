// GET /samples/{token}/{name}: the sample of a file, for everyone and from any site. It counts
// nothing.
import type { Context, Next } from 'koa'
import type { Database } from '../../core/db/database.ts'
import { openRateLimit } from '../../core/db/callers.ts'
import { AppError } from '../../core/errors.ts'
import { networkOfRequest } from '../../core/client-address.ts'
import { contentDigest, streamContent } from '../../http/content.ts'
import type { Mount } from '../../http/listen.ts'
import { contentDisposition, digestHeaders } from '../../http/headers.ts'
import { sha256Of } from '../../files/digests.ts'
import type { WholeBlobs } from '../../files/whole-blobs.ts'
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
  where m.token = $1 and m.hash is not null and ${WANTED_LENGTH} is not null
    and not v.quarantined`

export interface PublicSampleParts {
  database: Database
  blobs: WholeBlobs
  trustProxy: boolean
}

export function publicSamples({ database, blobs, trustProxy }: PublicSampleParts): Mount {
  const limit = openRateLimit(database.pool, {
    name: 'samples',
    points: REQUESTS_PER_NETWORK,
    seconds: MINUTE_SECONDS,
  })
  const handle = async (ctx: Context, next: Next): Promise<void> => {
    const token = ADDRESS.exec(ctx.path)?.[1]
    if (token === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    ctx.set('Access-Control-Allow-Origin', '*')
    const used = await limit.consume(networkOfRequest(ctx.req, trustProxy))
    if (used.exceeded) throw new AppError('rate_limited', { retryAfter: used.retryAfter })
    const { rows } = await database.pool.query<PublicSample>(FOUND, [token])
    const [sample] = rows
    if (!sample) throw new AppError('not_found')
    const content = { ...sample, modifiedMs: sample.created_at.getTime() }
    const sha256 = await contentDigest(ctx, blobs, content, sample)
    await streamContent(ctx, blobs, content, () => describe({ ...sample, sha256 }))
  }
  return { path: '/samples/', handle }
}

/** Shown in the browser: this server made the bytes, and both types run no scripts of a page. */
function describe({ filename, content_type, hash, sha256, created_at }: PublicSample): string[] {
  const disposition = contentDisposition(sampleName(filename, content_type), 'inline')
  return [
    'Content-Type',
    content_type,
    'Content-Disposition',
    disposition,
    'Accept-Ranges',
    'bytes',
    'ETag',
    `"${hash}"`,
    'Last-Modified',
    created_at.toUTCString(),
    ...digestHeaders(sha256),
    'Cache-Control',
    `public, max-age=${CACHED_SECONDS}`,
    'Access-Control-Allow-Origin',
    '*',
    'Cross-Origin-Resource-Policy',
    'cross-origin',
    'Access-Control-Expose-Headers',
    'Accept-Ranges, Content-Range, Repr-Digest',
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
  ]
}
