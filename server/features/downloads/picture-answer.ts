import { sitesIn } from './request.ts'
// GET /download/picture?key=… and /download/product?key=…: the small pictures of a link's file and of its
// product on buyers' pages. They count nothing. That of a file is shown while the link's page shows the file.
import type { IncomingMessage } from 'node:http'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { Database } from '../../core/db/database.ts'
import { offeredView } from '../../files/view-kinds.ts'
import type { Client } from '../../core/client-address.ts'
import type { KnownLink } from './counting/known-link.ts'
import type { LinkCounter } from './counting/link-counter.ts'
import type { Gates } from './gates/gates.ts'
import { refusalReason, viewRefusal } from './refusal.ts'
import type { Visit } from './response.ts'

/** The small picture of a file; `pending`: it is being made; null: it has none. */
export type ReadPicture = (
  scope: ShopScope,
  file: string,
  waitMs?: number,
) => Promise<{ image: Buffer; hash: string } | 'pending' | null>

/** The small picture of the product of a link (a bare UUID). */
export type ReadProductPicture = (
  scope: ShopScope,
  link: string,
  waitMs: number,
) => Promise<Buffer | 'pending' | null>

interface PictureParts {
  database: Database
  counter: Pick<LinkCounter, 'lookUp'>
  clientOf: (request: IncomingMessage) => Client
  readPicture: ReadPicture
  readProductPicture: ReadProductPicture
  gates: Pick<Gates, 'isOpen'>
}

/**
 * A page without scripts does not ask again: its first reader would see no picture. A browser has six
 * connections to a host, so what is chosen meanwhile may wait as long.
 */
const WAIT_MS = 1000

/** One transparent pixel: with it, browsers show no broken picture, and the tile says the type of the file. */
const NOTHING = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

const HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'X-Robots-Tag',
  'noindex, nofollow',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Referrer-Policy',
  'no-referrer',
]

/** The file can be downloaded, or still be viewed. A used-up limit hides no picture. */
const isPictured = (link: KnownLink, sites: readonly string[] | null, now: Date): boolean =>
  refusalReason({ ...link, download_limit: null }, sites, now) === null ||
  (link.target !== null &&
    offeredView(link.target) !== null &&
    viewRefusal(link, sites, now) === null)

export const createPictureAnswers = (parts: PictureParts) => ({
  file: (visit: Visit, key: string | null) => answerFile(parts, visit, key),
  product: (visit: Visit, key: string | null) => answerProduct(parts, visit, key),
})

const lookUp = async (
  { counter, clientOf }: PictureParts,
  { request, now }: Visit,
  key: string | null,
): Promise<KnownLink | null> =>
  key === null
    ? null
    : counter.lookUp({ key, client: clientOf(request), sites: sitesIn(request), now })

async function answerFile(parts: PictureParts, visit: Visit, key: string | null): Promise<void> {
  const { request, now } = visit
  const link = await lookUp(parts, visit, key)
  const target =
    link && isPictured(link, sitesIn(request), now) && parts.gates.isOpen(visit, link)
      ? link.target
      : null
  const picture =
    target && (await parts.readPicture(forShop(parts.database, target.shop), target.file, WAIT_MS))
  send(visit, picture && picture !== 'pending' ? picture.image : picture)
}

/** The picture of a product is public in the shop: a question or an end hides it no more than its title. */
async function answerProduct(parts: PictureParts, visit: Visit, key: string | null): Promise<void> {
  const link = await lookUp(parts, visit, key)
  const scope = link && !link.uninstalled ? forShop(parts.database, link.shop) : null
  send(visit, scope && link && (await parts.readProductPicture(scope, link.link, WAIT_MS)))
}

function send({ request, response }: Visit, image: Buffer | 'pending' | null): void {
  const isNone = image === 'pending' || image === null
  const body = isNone ? NOTHING : image
  response.writeHead(isNone ? 404 : 200, [
    ...HEADERS,
    'Content-Type',
    isNone ? 'image/gif' : 'image/webp',
    'Content-Length',
    String(body.length),
    'Cache-Control',
    image === 'pending' ? 'no-store' : `private, max-age=${isNone ? 600 : 3600}`,
    ...(image === 'pending' ? ['Retry-After', '2'] : []),
  ])
  response.end(request.method === 'HEAD' ? undefined : body)
}
