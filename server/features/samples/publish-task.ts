// Writes what changed of a shop's samples to the platform, for the block of its theme. It compares
// what is published with the settings, so an undo, a restored file and a new mapping need no call.
import { createHash } from 'node:crypto'
import { say, ownValue } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { raiseNoticeOnce } from '../../core/outbox/notices.ts'
import { present } from '../../core/lazy.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import {
  FIELDS_PER_REQUEST,
  type Installation,
  type InstallationField,
} from '../../storefront/installation.ts'
import { CURRENT, sampleName, samplePath, WANTED_LENGTH } from './model.ts'

export interface PublishParts {
  database: Database
  storefront: { installation(shop: number): Installation }
  baseUrl: string
}

/** An app that was installed again has another installation, without metafields. */
const CHECKED = '1 day'
const MAX_SHOPS = 100

/** SQL: of everything that is published of the shop `s`. */
const digestOfShop = (baseUrl: string) => `md5('${digestOf(baseUrl)}' || coalesce((
  select string_agg(concat_ws(' ', x.product_id, x.token, x.length, x.content_type, x.filename), '|'
    order by x.product_id, x.token) from (${SHOWN_SAMPLES('s.id')}) x), ''))`

export function publishTask({ database, storefront, baseUrl }: PublishParts): BackgroundTask {
  const digest = digestOfShop(baseUrl)
  return {
    name: 'publish-samples',
    concurrency: 1,
    waits: true,
    wanted: `select s.id as shop_id, s.id::text as key, now() as due_at from shops s
      left join published_samples p on p.shop_id = s.id
      where s.uninstalled_at is null
        and (p.shop_id is not null or exists (select from samples m where m.shop_id = s.id))
        and (p.digest is distinct from ${digest} or p.checked_at < now() - interval '${CHECKED}')
      limit ${MAX_SHOPS}`,
    run: async ({ shop, signal }) => {
      const scope = forShop(database, present(shop, 'the task’s shop'))
      // Read before the samples: a change in between is published by the next run.
      const { digest: read } = await scope.one<{ digest: string }>(
        `select ${digest} as digest from shops s where s.id = :shop`,
      )
      const { fields, left_out } = await readPublication(scope, baseUrl)
      await publish(scope, storefront.installation(scope.shop), { fields, digest: read }, signal)
      if (left_out > 0) await warnOfRest(scope, left_out)
      return null
    },
  }
}

interface WantedFields {
  fields: readonly InstallationField[]
  digest: string
}

async function publish(
  scope: ShopScope,
  installation: Installation,
  { fields, digest }: WantedFields,
  signal: AbortSignal,
): Promise<void> {
  const id = await installation.id(signal)
  const [known] = await scope.query<{ installation: string; fields: Record<string, string> }>(
    'select installation, fields from published_samples where shop_id = :shop',
  )
  const before = known?.installation === id ? known.fields : {}
  const wanted = new Map(fields.map((field) => [field.key, field]))
  // A field without samples is emptied, not deleted: the block then finds nothing.
  const emptied = Object.keys(before).filter((key) => !wanted.has(key))
  const changed = [
    ...fields.filter(({ key, value }) => ownValue(before, key) !== digestOf(value)),
    ...emptied.map((key) => ({ namespace: NAMESPACE, key, value: {} })),
  ]
  for (let at = 0; at < changed.length; at += FIELDS_PER_REQUEST)
    await installation.write(id, changed.slice(at, at + FIELDS_PER_REQUEST), signal)
  await scope.query(
    `insert into published_samples (shop_id, installation, digest, fields)
     values (:shop, :id, :digest, :fields::jsonb)
     on conflict (shop_id) do update set installation = excluded.installation,
       digest = excluded.digest, fields = excluded.fields, checked_at = now()`,
    {
      id,
      digest,
      fields: JSON.stringify(
        Object.fromEntries(fields.map(({ key, value }) => [key, digestOf(value)])),
      ),
    },
  )
}

const warnOfRest = (scope: ShopScope, left_out: number): Promise<void> =>
  raiseNoticeOnce(scope, {
    level: 'warning',
    operation_id: null,
    title: say('Some samples are not on the shop front'),
    body: say(
      '{count, plural, one {# sample was} other {# samples were}} left out: a product shows 20 samples at most, and the platform limits their total. Remove samples that are not needed.',
      { count: left_out },
    ),
  })

// The samples of each product as metafields of the app's installation, which the block of a theme
// reads. Products share metafields: the platform limits the size of each, and a product's own one
// would need a scope to write products. The other ways: docs/decisions/0074.

const NAMESPACE = 'samples'
/** The number of metafields; web/extensions/product-sample computes the same one of a product. */
export const SAMPLE_FIELDS = 64
/** The platform refuses JSON of more than 128 KiB. */
const MAX_FIELD_BYTES = 120 * 1024
const MAX_SAMPLES_PER_PRODUCT = 20

/** SQL: the samples that a block shows, of the shop `shop`: a row for each product of a file. */
const SHOWN_SAMPLES = (shop: string) => `
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
async function readPublication(scope: ShopScope, baseUrl: string): Promise<Publication> {
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

const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
