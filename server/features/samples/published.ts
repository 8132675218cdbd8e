// The samples of each product as metafields of the app's installation, which the block of a theme
// reads. Products share metafields: the platform limits the size of each, and a product's own one
// would need a scope to write products. The other ways: docs/decisions/0074.
import { createHash } from 'node:crypto'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { InstallationField } from '../../storefront/installation.ts'
import { CURRENT, sampleName, samplePath, WANTED_LENGTH } from './model.ts'

export const NAMESPACE = 'samples'
/** The number of metafields; web/extensions/product-sample computes the same one of a product. */
export const SAMPLE_FIELDS = 64
/** The platform refuses JSON of more than 128 KiB. */
const MAX_FIELD_BYTES = 120 * 1024
const MAX_SAMPLES_PER_PRODUCT = 20

/** SQL: the samples that a block shows, of the shop `shop`: a row for each product of a file. */
export const SHOWN_SAMPLES = (shop: string) => `
  select distinct a.product_id, f.filename, p.token, p.content_type, p.length
  from samples p join ${CURRENT} on f.shop_id = p.shop_id and f.id = p.file_id
  join mappings a on a.shop_id = f.shop_id and a.file_id = f.id
  where p.shop_id = ${shop} and p.hash is not null and ${WANTED_LENGTH} is not null`

interface ShownRow {
  product_id: string
  filename: string
  token: string
  content_type: string
  length: number
}

/** What the block reads of a sample. */
interface BlockSample {
  name: string
  url: string
  kind: 'document' | 'audio'
  /** Pages, or seconds. */
  length: number
}

export interface Publication {
  fields: readonly InstallationField[]
  /** Samples that did not fit into the metafield of their product. */
  left_out: number
}

/** All metafields of the shop that are not empty. */
export async function readPublication(scope: ShopScope, baseUrl: string): Promise<Publication> {
  const rows = await scope.query<ShownRow>(`${SHOWN_SAMPLES(':shop')} order by 1, 2, 3`)
  const products = Map.groupBy(rows, ({ product_id }) => numberOf(product_id))
  const fields = new Map<string, { value: Map<string, BlockSample[]>; bytes: number }>()
  let left_out = 0
  for (const [product, all] of products) {
    const key = fieldOf(product)
    const field = fields.get(key) ?? { value: new Map(), bytes: 2 }
    const samples = all.slice(0, MAX_SAMPLES_PER_PRODUCT).map((row) => blockSample(row, baseUrl))
    const bytes = Buffer.byteLength(JSON.stringify({ [product]: samples }))
    const fits = field.bytes + bytes <= MAX_FIELD_BYTES
    left_out += fits ? all.length - samples.length : all.length
    if (!fits) continue
    field.value.set(product, samples)
    field.bytes += bytes
    fields.set(key, field)
  }
  return {
    fields: [...fields].map(([key, { value }]) => ({
      namespace: NAMESPACE,
      key,
      value: Object.fromEntries(value),
    })),
    left_out,
  }
}

/** `gid://shopify/Product/7` → `7`, as Liquid knows it. */
const numberOf = (product: string): string => product.slice(product.lastIndexOf('/') + 1)

const fieldOf = (product: string): string => `products_${BigInt(product) % BigInt(SAMPLE_FIELDS)}`

const blockSample = (row: ShownRow, baseUrl: string): BlockSample => {
  const { filename, token, content_type, length } = row
  const name = sampleName(filename, content_type)
  const kind = content_type === 'application/pdf' ? 'document' : 'audio'
  return { name: filename, url: baseUrl + samplePath(token, name), kind, length }
}

export const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
