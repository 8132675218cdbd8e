import { sitesIn } from './request.ts'
// GET /download/picture?key=…: the small picture of a link's file on buyers' pages. It counts
// nothing, and is shown while the link's page shows the file.
import type { IncomingMessage } from 'node:http'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { Database } from '../../core/db/database.ts'
import { offeredView } from '../../files/view-kinds.ts'
import type { Client } from '../../http/clients.ts'
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

interface PictureParts {
  database: Database
  counter: Pick<LinkCounter, 'lookUp'>
  clientOf: (request: IncomingMessage) => Client
  readPicture: ReadPicture
  gates: Pick<Gates, 'isOpen'>
}

/**
 * A page without scripts does not ask again: its first reader would see no picture. A browser has six
 * connections to a host, so what is chosen meanwhile may wait as long.
 */
const WAIT_MS = 1000

const HEADERS = [
  'Content-Type',
  'image/webp',
  'X-Content-Type-Options',
  'nosniff',
  'Cache-Control',
  'private, max-age=3600',
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

export const createPictureAnswer =
  ({ database, counter, clientOf, readPicture, gates }: PictureParts) =>
  async (visit: Visit, key: string | null): Promise<void> => {
    const { request, response, now } = visit
    const sites = sitesIn(request)
    const asker = key === null ? null : { key, client: clientOf(request), sites, now }
    const link = asker && (await counter.lookUp(asker))
    const target =
      link && isPictured(link, sites, now) && gates.isOpen(visit, link) ? link.target : null
    const picture =
      target && (await readPicture(forShop(database, target.shop), target.file, WAIT_MS))
    if (picture === 'pending') {
      const headers = ['Content-Length', '0', 'Cache-Control', 'no-store', 'Retry-After', '2']
      response.writeHead(404, headers).end()
      return
    }
    if (!picture) {
      const headers = ['Content-Length', '0', 'Cache-Control', 'private, max-age=600']
      response.writeHead(404, headers).end()
      return
    }
    const { image } = picture
    response.writeHead(200, [...HEADERS, 'Content-Length', String(image.length)])
    response.end(request.method === 'HEAD' ? undefined : image)
  }
