// The pictures of products on buyers' pages: fetched from the platform's address once, made small, and
// sent by this server, so that a buyer's page loads nothing from other hosts.
import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PortError, type Sandbox } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Logger } from '../../core/log.ts'
import type { GuardedClient } from '../../ports/guarded-fetch.ts'
import { tooLarge } from '../../ports/failures.ts'
import { withWorkFolder } from '../../ports/children/work-folder.ts'
import { PictureMaker, smallPicture } from './picture-maker.ts'

export interface ProductPictureParts {
  client: Pick<GuardedClient, 'open'>
  sandboxOf: (shop: number) => Sandbox
  log: Logger
}

/**
 * The picture of the product that a link (a bare UUID) belongs to: that of the order's line, or of the
 * file's first product that is offered, as the library names it. `pending`: it is being made; null: it has none.
 */
type ProductPictureReader = (
  scope: ShopScope,
  link: string,
  waitMs: number,
) => Promise<Buffer | 'pending' | null>

const MAX_BYTES = 20 * 1024 ** 2
const WALL_MS = 20_000
/** The platform's host makes images of this width itself: a photograph may have 20 MB. */
const PLATFORM = 'cdn.shopify.com'
const WIDTH = 320

interface PictureRow {
  product: string
  url: string
  /** Null: it could not be made of this address. */
  image: Buffer | null
  kept: boolean
}

const READ = `
  select t.id as product, t.image_url as url, k.image, k.shop_id is not null as kept
  from links l
  left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  join products t on t.shop_id = l.shop_id and t.image_url is not null and t.id = coalesce(
    (select b.product_id from delivery_files df
     join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
     join order_lines b on b.shop_id = df.shop_id and b.order_id = d.order_id and b.id = df.line_id
     where df.shop_id = l.shop_id and df.delivery_id = p.delivery_id and df.file_id = l.file_id
     order by b.position limit 1),
    (select min(o.id) from mappings a
     join products o on o.shop_id = a.shop_id and o.id = a.product_id and o.status = 'ACTIVE'
     where a.shop_id = l.shop_id and a.file_id = l.file_id))
  left join product_pictures k on k.shop_id = t.shop_id and k.product_id = t.id
    and k.image_url = t.image_url and (k.image is not null or k.tried_at > now() - interval '1 day')
  where l.shop_id = :shop and l.id = :link`

export function createProductPictures(parts: ProductPictureParts): ProductPictureReader {
  const maker = new PictureMaker(parts.log)
  return async (scope, link, waitMs) => {
    const [row] = await scope.query<PictureRow>(READ, { link })
    if (!row) return null
    if (row.kept) return row.image
    const about = { shop: scope.shop, product: row.product }
    return maker.make(`${scope.shop}/${row.product}/${row.url}`, waitMs, about, () =>
      makeKept(parts, scope, row),
    )
  }
}

/** Also keeps that none can be made, so that the address is not fetched with each page. */
async function makeKept(
  parts: ProductPictureParts,
  scope: ShopScope,
  { product, url }: PictureRow,
): Promise<Buffer | null> {
  const image = await fetchSmall(parts, scope.shop, url).catch((error: unknown) => {
    if (error instanceof PortError && !error.retryable) return null
    throw error
  })
  await scope.query(
    `insert into product_pictures (shop_id, product_id, image_url, image)
     values (:shop, :product, :url, :image)
     on conflict (shop_id, product_id) do update
       set (image_url, image, tried_at) = (excluded.image_url, excluded.image, now())`,
    { product, url, image },
  )
  return image
}

const fetchSmall = (
  { client, sandboxOf }: ProductPictureParts,
  shop: number,
  url: string,
): Promise<Buffer> =>
  withWorkFolder(async (folder) => {
    const signal = AbortSignal.timeout(WALL_MS)
    const from = path.join(folder, 'file')
    const { body } = await client.open(sizedAddress(url), signal, { shop })
    await pipeline(body, bounded, createWriteStream(from), { signal })
    return smallPicture(sandboxOf(shop), { kind: 'image', from }, folder, signal)
  })

function sizedAddress(url: string): string {
  const parsed = URL.parse(url)
  if (parsed?.hostname !== PLATFORM) return url
  parsed.searchParams.set('width', String(WIDTH))
  return parsed.href
}

async function* bounded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > MAX_BYTES) throw tooLarge()
    yield piece
  }
}

/** Deletes the pictures of products that the catalog has no more; returns their number. */
export async function sweepProductPictures({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from product_pictures k where not exists (select from products t
       where t.shop_id = k.shop_id and t.id = k.product_id)`,
  )
  return rowCount ?? 0
}
