// Many files from few: rows like those that the product wrote for the shop's first files, with the
// same bytes. A shop of 100,000 files is full within seconds.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { elementAt } from '../../core/lazy.ts'
import { nameKey } from '../../files/rules.ts'

export interface ManyFiles {
  count: number
  /** The names of the files that are the models. */
  models: readonly string[]
  /** Is called with the number of files made so far. */
  onProgress?: (made: number) => void
}

interface Model {
  extension: string
  content_type: string
  size_bytes: string
  hash: Buffer
  location: string
}

interface Article {
  product_id: string
  variant_id: string
  title: string
  sku: string
}

const STEP = 10_000
/** The time between two files: 100,000 go back two and a half years, before the newest weeks. */
const MINUTES_BETWEEN = 13
const NEWEST_DAYS = 30
const TITLE_LENGTH = 180

/**
 * Adds files for the products of the catalog that have none: `<title> – <part> <number>.<extension>`. Nine
 * in ten have the product, and all have tags, settings and ages that differ. Throws if the shop has
 * no model or no such product.
 */
export async function addManyFiles(scope: ShopScope, many: ManyFiles): Promise<void> {
  await scope.transaction(async (tx) => {
    const models = await modelsOf(tx, many.models)
    const articles = await articlesOf(tx)
    if (models.length === 0 || articles.length === 0)
      throw new Error('Sample files need a model and a product')
    for (let from = 0; from < many.count; from += STEP) {
      const to = Math.min(from + STEP, many.count)
      const rows = Array.from({ length: to - from }, (_, at) => rowOf(from + at, models, articles))
      await tx.query(INSERT, {
        rows: JSON.stringify(rows),
        minutes: MINUTES_BETWEEN,
        days: NEWEST_DAYS,
      })
      many.onProgress?.(to)
    }
  })
}

const modelsOf = (scope: ShopScope, models: readonly string[]): Promise<Model[]> =>
  scope.query(
    `select f.extension, f.content_type, f.size_bytes, v.hash, v.location
     from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
       and v.number = f.version
     where f.shop_id = :shop and f.name_key = any(:names) and f.deleted_at is null
     order by f.id`,
    { names: models.map(nameKey) },
  )

const articlesOf = (scope: ShopScope): Promise<Article[]> =>
  scope.query(
    `select p.id as product_id, v.id as variant_id, p.title, v.sku
     from variants v join products p on p.shop_id = v.shop_id and p.id = v.product_id
     where v.shop_id = :shop and v.sku is not null and not exists (select from mappings m
       where m.shop_id = v.shop_id and m.product_id = v.product_id)
     order by v.id`,
  )

const PARTS = 'Chapter,Worksheet,Lesson,Pattern sheet,Part,Print,Template,Track,Bonus,Preset'.split(
  ',',
)
const TAGS = 'ebook,course,print-at-home,bonus,bestseller,archive,gift,seasonal'.split(',')

function rowOf(n: number, models: readonly Model[], articles: readonly Article[]) {
  const { hash, ...model } = elementAt(models, (n * 7) % models.length)
  const article = elementAt(articles, Math.floor(n / 3) % articles.length)
  const title = article.title.replaceAll(/[/\\:]/g, '-').slice(0, TITLE_LENGTH)
  const filename = `${title} – ${elementAt(PARTS, n % PARTS.length)} ${n}.${model.extension}`
  const mapped = n % 10 !== 3
  return {
    n,
    ...model,
    hash: hash.toString('hex'),
    filename,
    name_key: nameKey(filename),
    tags: [...new Set([elementAt(TAGS, n % 8), elementAt(TAGS, Math.floor(n / 11) % 8)])],
    channel: elementAt(['upload', 'csv', 'api', 'drop', 'cloud'], n % 5),
    mapping_state: mapped ? 'mapped' : 'never',
    expiry_days: elementAt([null, 30, 90, 365], n % 4),
    download_limit: elementAt([null, 3, 5], n % 3),
    ...(mapped ? article : {}),
  }
}

const INSERT = `
  with wanted as materialized (
    select r.*, decode(r.hash, 'hex') as bytes, now() - age as at,
      uuidv7(- age) as id
    from json_to_recordset((:rows::json)) as r (n int, extension text, content_type text,
      size_bytes bigint, hash text, location text, filename text, name_key text, tags text[],
      channel text, mapping_state text, expiry_days int, download_limit int, product_id text,
      variant_id text, title text, sku text),
      lateral (select (:days::int) * interval '1 day' + r.n * (:minutes::int) * interval '1 minute' as age) a),
  filed as (
    insert into files (shop_id, id, filename, name_key, extension, size_bytes, content_type, tags,
      channel, created_at, updated_at, version_since, mapping_state, expiry_days, download_limit)
    select :shop, id, filename, name_key, extension, size_bytes, content_type, tags, channel, at, at,
      at, mapping_state, expiry_days, download_limit
    from wanted returning id),
  versioned as (
    insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type,
      created_at)
    select :shop, id, 1, bytes, location, size_bytes, content_type, at from wanted returning file_id)
  insert into mappings (shop_id, file_id, product_id, variant_id, product_title, sku, method, score,
    reason, reason_values, created_at)
  select :shop, id, product_id, variant_id, title, sku, 'sku', 1, 'The import names the SKU {sku}',
    jsonb_build_object('sku', sku), at
  from wanted where product_id is not null`
