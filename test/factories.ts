// Inserts many rows by SQL: shops of realistic size in seconds.
import type pg from 'pg'

export interface ManyFiles {
  shop: number
  count: number
  /** Prefix of the names: `<prefix>-000001.pdf`. */
  prefix?: string
  /** The share of files that have a product. */
  mapped?: number
}

const WORDS = [
  'ebook',
  'course',
  'pattern',
  'preset',
  'manual',
  'album',
  'template',
  'workbook',
  'poster',
  'score',
]
const TYPES = ['pdf', 'zip', 'jpg', 'mp3', 'mp4', 'docx', 'png', 'epub']

/**
 * Inserts files with versions, tags (every tenth is `tenth`), sizes, ages and all kinds of
 * mappings.
 */
export async function insertManyFiles(
  pool: pg.Pool,
  { shop, count, prefix = 'file', mapped = 0 }: ManyFiles,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(
      `insert into blobs (shop_id, hash, size_bytes, sha256)
         values ($1, sha256(convert_to($2::text, 'utf8')), 1000, sha256('made')) on conflict do nothing`,
      [shop, prefix],
    )
    await client.query(
      `insert into blob_locations (shop_id, hash, location)
         values ($1, sha256(convert_to($2::text, 'utf8')), 'primary') on conflict do nothing`,
      [shop, prefix],
    )
    await client.query(
      `insert into files (shop_id, filename, name_key, extension, size_bytes, content_type, tags,
         channel, created_at, mapping_state, expiry_days, download_limit)
       select $1, name, lower(name), type, 1000 + (n * 7919) % 200000000,
         'application/octet-stream',
         array[($4::text[])[1 + n % 10], 'batch-' || n / 1000] || case when n % 10 = 0
           then array['tenth'] else '{}'::text[] end,
         'upload', now() - (n % 700) * interval '1 day' - n * interval '1 millisecond',
         case when n < $6 then 'mapped' else 'never' end, 60, 5
       from generate_series(0, $2::int - 1) n,
         lateral (select ($5::text[])[1 + n % 8] as type) t,
         lateral (select $3 || '-' || ($4::text[])[1 + (n / 7) % 10] || '-' || lpad(n::text, 7, '0')
           || '.' || type as name) m`,
      [shop, count, prefix, WORDS, TYPES, Math.floor(count * mapped)],
    )
    await client.query(
      `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
       select shop_id, id, 1, sha256(convert_to($2::text, 'utf8')), 'primary', size_bytes,
         content_type from files
       where shop_id = $1 and name_key like $2 || '-%'`,
      [shop, prefix],
    )
    await client.query(
      `insert into mappings (shop_id, file_id, product_id, product_title, method, score, reason)
       select shop_id, id, 'gid://shopify/Product/' || (hashtext(name_key) & 65535), 'Product',
         'sku', 1, 'SKU'
       from files where shop_id = $1 and mapping_state = 'mapped' and name_key like $2 || '-%'`,
      [shop, prefix],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
