// Fills shops of any size by SQL, with rows as the product writes them: files with blobs, tags,
// products, links, orders, downloads, operations and messages. Foreign keys and triggers are off
// while it inserts, and indexes are built afterwards: a million files take minutes, not hours.
import type pg from 'pg'
import {
  firstIdAt,
  makeMonths,
  readParts,
  type DividedTable,
} from '../../../server/core/db/month-parts.ts'

export interface SeededShop {
  shop: number
  files: number
  /** Rows in `downloads`. */
  downloads: number
}

/** Tables whose secondary indexes are dropped while they are filled. */
const FILLED = [
  'blobs',
  'blob_locations',
  'files',
  'versions',
  'mappings',
  'products',
  'variants',
  'links',
  'orders',
  'order_lines',
  'deliveries',
  'delivery_files',
  'downloads',
  'file_downloads',
  'file_days',
  'operations',
  'items',
  'outbox',
  'notices',
  'reviews',
  'packs',
]

const FILES_OF_A_PRODUCT = 10
const FILES_OF_A_PACK = 1000
const ITEMS_OF_AN_OPERATION = 1000

/** SQL: the hash of the bytes of the shop's file `n`. */
const HASH = `sha256(convert_to(concat(:shop, '/', n), 'utf8'))`
/** SQL: the shop's files with their numbers `n`. */
const NUMBERED = `files join pg_temp.seeded on seeded.id = files.id and files.shop_id = :shop`
const numbers = (count: string) => `generate_series(0, (${count})::int - 1) as n`
/** SQL: two minutes lie between two files, so that a million go back almost four years. */
const ago = (n: string) => `(${n}) * interval '2 minutes'`
const at = (n: string) => `now() - ${ago(n)}`

/** In each statement the numbers of the shop and of its files replace `:shop` and `:files`. */
const ROWS: Readonly<Record<string, string>> = {
  blobs: `insert into blobs (shop_id, hash, size_bytes, created_at, sha256)
    select :shop, ${HASH}, 1000 + (n::bigint * 7919) % 20000000, ${at('n')}, sha256('seed') from ${numbers(':files')}`,
  blob_locations: `insert into blob_locations (shop_id, hash, location, created_at, checked_at)
    select shop_id, hash, 'primary', created_at, now() from blobs where shop_id = :shop`,
  packs: `insert into packs (shop_id, name, name_key)
    select :shop, 'Pack ' || n, 'pack ' || n from ${numbers(`:files / ${FILES_OF_A_PACK}`)}`,
  files: `insert into files (shop_id, id, filename, name_key, extension, size_bytes, content_type,
      tags, channel, created_at, updated_at, version_since, mapping_state, expiry_days,
      download_limit, deleted_at)
    select :shop, f.id, m.name, lower(m.name), type,
      1000 + (n::bigint * 7919) % 20000000, 'application/octet-stream',
      array['kind-' || n % 10, 'batch-' || n / 1000] || case when n % 100 = 0
        then array['hundredth'] else '{}'::text[] end,
      (array['upload','csv','api','drop','cloud'])[1 + n % 5], ${at('n')}, ${at('n')}, ${at('n')},
      case when n % 10 = 3 then 'never' else 'mapped' end, (array[null, 30, 90, 365])[1 + n % 4],
      (array[null, 3, 5])[1 + n % 3], case when n % 200 = 7 then now() - interval '1 day' end
    from pg_temp.seeded f
    cross join lateral (select (array['pdf','png','zip','jpg','mp3','epub','txt','mp4'])[1 + n % 8]
      as type) t
    cross join lateral (select (array['Course','Workbook','Pattern','Template','Recipe','Score',
      'Guide','Poster','Lesson','Chart'])[1 + (n / 7) % 10] || ' ' || initcap(substr(md5(n::text),
      1, 6)) || ' – part ' || n || '.' || type as name) m`,
  pack_files: `insert into pack_files (shop_id, pack_id, file_id, position)
    select :shop, p.id, files.id, n % ${FILES_OF_A_PACK} + 1
    from ${NUMBERED} join packs p on p.shop_id = :shop and n % 50 = 0
      and p.name_key = 'pack ' || n / ${FILES_OF_A_PACK}`,
  versions: `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type,
      created_at)
    select shop_id, files.id, 1, ${HASH}, 'primary', size_bytes, content_type, created_at
    from ${NUMBERED}`,
  products: `insert into products (shop_id, id, title, title_key, handle, status)
    select :shop, 'gid://shopify/Product/' || n, title, lower(title), 'product-' || n, 'ACTIVE'
    from ${numbers(`:files / ${FILES_OF_A_PRODUCT}`)}, lateral (select (array['Course','Workbook',
      'Pattern','Template','Recipe'])[1 + n % 5] || ' ' || initcap(substr(md5('p' || n), 1, 6)) ||
      ' ' || n as title) t`,
  variants: `insert into variants (shop_id, id, product_id, position, title, sku, sku_key)
    select :shop, 'gid://shopify/ProductVariant/' || n, 'gid://shopify/Product/' || n, 1,
      'Default Title', 'SK-' || n, 'sk-' || n from ${numbers(`:files / ${FILES_OF_A_PRODUCT}`)}`,
  mappings: `insert into mappings (shop_id, file_id, product_id, variant_id, product_title, sku, method,
      score, reason, created_at)
    select shop_id, files.id, 'gid://shopify/Product/' || n / ${FILES_OF_A_PRODUCT}, '', 'Product', null,
      'sku', 1, 'The import names the SKU', created_at
    from ${NUMBERED} where mapping_state = 'mapped'`,
  reviews: `insert into reviews (shop_id, file_id, candidates, score, question)
    select shop_id, files.id, '[{"product_id": "gid://shopify/Product/1", "variant_id": "", "title":
      "Course", "sku": null, "method": "title", "score": 0.8, "reason": "The title is similar"}]',
      0.8, ${HASH} from ${NUMBERED} where mapping_state = 'never' and deleted_at is null
      and n % 100 = 3`,
  // One in fifty has reached its limit, a fifth has expired, one in a hundred is revoked.
  links: `insert into links (shop_id, id, file_id, key_hash, email, expires_at, download_limit, downloads,
      served, last_download_at, revoked_at, created_at)
    select shop_id, uuidv7(-${ago('n')}), files.id,
      sha256(convert_to(concat('l', :shop, '/', n), 'utf8')),
      'buyer' || n / 3 || '@example.com',
      case when n % 5 = 1 then now() - interval '1 day' when n % 5 = 2 then now() + interval '1 year'
        end, 5, case when n % 50 = 4 then 5 else n % 5 end, n % 12,
      case when n % 5 > 0 then now() - (n % 90) * interval '1 day' end,
      case when n % 100 = 9 then now() end, created_at
    from ${NUMBERED} where n % 2 = 0`,
  orders: `insert into orders (shop_id, id, name, email, financial_status, ordered_at, changed_at)
    select :shop, 'gid://shopify/Order/' || n, '#' || n, 'buyer' || n || '@example.com', 'PAID',
      ${at('n * 10')}, ${at('n * 10')} from ${numbers(':files / 10')}`,
  order_lines: `insert into order_lines (shop_id, order_id, id, position, title, sku, product_id,
      variant_id, quantity, entitled)
    select shop_id, id, id || '/1', 1, 'Course', null, 'gid://shopify/Product/1',
      'gid://shopify/ProductVariant/1', 1, true from orders where shop_id = :shop`,
  deliveries: `insert into deliveries (shop_id, id, order_id, mailed_at, opened_at, created_at,
      held_by, held_at)
    select shop_id, uuidv7(ordered_at - now()), id, ordered_at,
      case when hashtext(id) % 2 = 0 then ordered_at end, ordered_at,
      case when hashtext(id) % 500 = 0 then 'merchant' end,
      case when hashtext(id) % 500 = 0 then ordered_at end
    from orders where shop_id = :shop`,
  delivery_pages: `insert into links (shop_id, id, delivery_id, key_hash, email, created_at)
    select d.shop_id, uuidv7(d.created_at - now()), d.id,
      sha256(convert_to('d' || d.shop_id || '/' || d.order_id, 'utf8')), o.email, d.created_at
    from deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
    where d.shop_id = :shop`,
  delivery_files: `insert into delivery_files (shop_id, delivery_id, line_id, file_id)
    select d.shop_id, d.id, d.order_id || '/1', f.id
    from deliveries d join pg_temp.seeded f on f.n = substr(d.order_id, 21)::int * 10
    where d.shop_id = :shop`,
  delivery_links: `insert into links (shop_id, id, file_id, parent_id, key_hash, email, paid,
      download_limit, downloads, served, created_at)
    select p.shop_id, uuidv7(p.created_at - now()), df.file_id, p.id,
      sha256(convert_to('c' || p.shop_id || '/' || df.line_id, 'utf8')), p.email, true, 5,
      case when hashtext(df.line_id) % 50 = 0 then 5 else 1 end, 1, p.created_at
    from delivery_files df join links p on p.shop_id = df.shop_id and p.delivery_id = df.delivery_id
    where df.shop_id = :shop`,
  file_downloads: `insert into file_downloads (shop_id, file_id, downloads)
    select shop_id, id, (hashtext(id::text)::bigint & 1023) from files
    where shop_id = :shop`,
  file_days: `insert into file_days (shop_id, day, file_id, downloads)
    select shop_id, current_date - (n % 30)::int, files.id, 1 + n % 3 from ${NUMBERED}
    where n % 4 = 0`,
  operations: `insert into operations (shop_id, id, kind, action, channel, workflow, status,
      requested_by, total, done, created_at, started_at, finished_at)
    select :shop, uuidv7(-${ago(`n * ${ITEMS_OF_AN_OPERATION}`)}), 'import', 'import-api', 'api',
      '{"id": "import-api", "title": "API import", "kind": "import", "parallel": 4, "steps": []}',
      case when n % 20 = 0 then 'partial' else 'success' end, 'api', ${ITEMS_OF_AN_OPERATION},
      ${ITEMS_OF_AN_OPERATION}, ${at('n * 1000')}, ${at('n * 1000')}, ${at('n * 1000')}
    from ${numbers(`:files / ${ITEMS_OF_AN_OPERATION}`)}`,
  items: `insert into items (shop_id, operation_id, position, file_id, status, attempt, step, entry,
      after, finished_at)
    select o.shop_id, o.id, f.n % ${ITEMS_OF_AN_OPERATION}, f.id, 'done', 1, 2,
      jsonb_build_object('filename', f.filename, 'source',
        jsonb_build_object('type', 'url', 'url', 'https://files.example.com/' || f.n)),
      jsonb_build_object('filename', f.filename, 'size_bytes', f.size_bytes, 'tags', f.tags),
      o.finished_at
    from (select o.*, row_number() over (order by id desc) - 1 as place from operations o
      where shop_id = :shop) o
    join (select files.*, n from ${NUMBERED}) f on f.n / ${ITEMS_OF_AN_OPERATION} = o.place
   `,
  outbox: `insert into outbox (shop_id, id, key, kind, payload, status, attempts, created_at, sent_at)
    select d.shop_id, uuidv7(d.created_at - now()), 'delivery/' || d.id, 'email',
      jsonb_build_object('template', 'delivery', 'delivery', d.id, 'to', 'buyer@example.com',
        'data', '{}'::jsonb), 'sent', 1, d.created_at, d.created_at
    from deliveries d where d.shop_id = :shop`,
  notices: `insert into notices (shop_id, id, level, title, body, title_text, body_text, created_at, read_at)
    select :shop, uuidv7(-${ago('n * 1000')}), 'info', 'Import ended', 'It has imported 1,000 files.',
      '{"message":"Import ended","values":{}}', '{"message":"It has imported 1,000 files.","values":{}}', ${at('n * 1000')}, now() from ${numbers(':files / 1000')}`,
}

const DOWNLOADS = `insert into downloads (shop_id, id, file_id, link_id, address, agent, at)
  select $1::int, uuidv7(-g * $5::interval), f.id, null, '203.0.113.' || g % 250,
    'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0 Safari/537.36',
    now() - g * $5::interval
  from generate_series($2::int, $3::int - 1) g
  join pg_temp.seeded f on f.n = (g::bigint * 7919) % $4::int`
const DOWNLOADS_STEP = 1_000_000
/** The downloads of a shop spread over this many days. */
const DOWNLOAD_DAYS = 390
/** How many months before this one have a part. */
const MONTHS = { downloads: 13, items: 4 } satisfies Record<DividedTable, number>

/** Fills the shops, which must be empty. `say` is called with what is done next. */
export async function seedShops(
  pool: pg.Pool,
  shops: readonly SeededShop[],
  say: (text: string) => void,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('set session_replication_role = replica; set synchronous_commit = off')
    await client.query(`set maintenance_work_mem = '512MB'; set work_mem = '128MB'`)
    for (const [table, months] of Object.entries(MONTHS))
      await divide(pool, table as DividedTable, months)
    const indexes = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, 
         replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
       from pg_index where indrelid = any($1::regclass[]) and not indisprimary
         and not exists (select from pg_constraint where conindid = indexrelid)`,
      [FILLED],
    )
    await client.query('begin')
    for (const { name } of indexes.rows) await client.query(`drop index ${name}`)
    for (const shop of shops) await fill(client, shop, say)
    say('building the indexes')
    for (const { definition } of indexes.rows) await client.query(definition)
    await client.query('commit')
    say('vacuum and analyze')
    await client.query('vacuum analyze')
  } finally {
    client.release(true)
  }
}

/** As in an installation that has run for years: a part for each month of which rows are kept. */
async function divide(pool: pg.Pool, table: DividedTable, months: number): Promise<void> {
  const now = new Date()
  for (const { name } of await readParts(pool, table)) await pool.query(`drop table ${name}`)
  const first = firstIdAt(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)))
  const bounds = { before: `(minvalue) to ('${first}')`, later: `('${first}') to (maxvalue)` }
  for (const [name, bound] of Object.entries(bounds))
    await pool.query(`create table ${table}_${name} partition of ${table} for values from ${bound}`)
  // A run makes at most a year.
  for (let run = 0; run < 2; run++) await makeMonths(pool, table, now)
}

async function fill(
  client: pg.PoolClient,
  { shop, files, downloads }: SeededShop,
  say: (text: string) => void,
): Promise<void> {
  await client.query('drop table if exists pg_temp.seeded')
  await client.query(
    `create temp table seeded as select n, uuidv7(-${ago('n')}) as id from ${numbers(String(files))}`,
  )
  await client.query('create index on pg_temp.seeded (id); analyze pg_temp.seeded')
  const large = files >= 100_000
  for (const [what, sql] of Object.entries(ROWS)) {
    if (large) say(`${files.toLocaleString('en')} files: ${what}`)
    await client.query(sql.replaceAll(':shop', String(shop)).replaceAll(':files', String(files)))
    // The small ones come last: an analysis reads as many rows as of a large table.
    if (large) await client.query(`analyze ${/^insert into (\w+)/.exec(sql)![1]}`)
  }
  for (let from = 0; from < downloads; from += DOWNLOADS_STEP) {
    say(`downloads from ${from.toLocaleString('en')}`)
    const apart = `${(DOWNLOAD_DAYS * 86_400_000) / downloads} milliseconds`
    const to = Math.min(from + DOWNLOADS_STEP, downloads)
    await client.query(DOWNLOADS, [shop, from, to, files, apart])
  }
}
