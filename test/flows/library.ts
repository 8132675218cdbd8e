// A shop with many different files, as rows only, for flows that change thousands and never read
// their bytes.
import { expect } from 'vitest'
import type { ShopScope } from '../../server/core/db/for-shop.ts'
import type { TestEngine } from '../engine.ts'

const BLOB = { hash: 'ab'.repeat(32), size: 1000 }

/**
 * Creates `count` files, "manual 1.pdf" and so on: tags in no order, various settings, a product
 * for every third, a link with a download for every fifth, all older than a day.
 */
export async function fillLibrary({ parts, scope }: TestEngine, count: number): Promise<void> {
  await scope.transaction(async (tx) => {
    await tx.query(
      `insert into blobs (shop_id, hash, size_bytes) values (:shop, decode(:hash, 'hex'), :size)
         on conflict do nothing`,
      BLOB,
    )
    await tx.query(
      `insert into blob_locations (shop_id, hash, location)
         values (:shop, decode(:hash, 'hex'), 'primary')
       on conflict do nothing`,
      BLOB,
    )
    await tx.query(
      `insert into files (shop_id, filename, name_key, extension, size_bytes, content_type, channel,
         tags, expiry_days,
         download_limit, visibility, cdn, allowed_referrers, mapping_state, created_at, updated_at)
       select :shop, 'Manual ' || n || '.pdf', 'manual ' || n || '.pdf', 'pdf', :size,
         'application/pdf', 'api',
         case n % 4 when 0 then '{}' when 1 then '{manual}' when 2
           then array['zebra', 'part-' || n % 10]
           else '{old,manual,draft}' end::text[],
         nullif(n % 90, 0), nullif(n % 7, 0), case n % 6 when 0 then 'public' else 'private' end,
         n % 2 = 0, case n % 8 when 0 then '{shop.example.com,example.com}' else '{}' end::text[],
         case when n % 3 = 0 then 'mapped' else 'never' end,
         now() - interval '1 day' + n * interval '1 millisecond',
         now() - interval '1 day' + n * interval '3 milliseconds'
       from generate_series(1, :count) n`,
      { ...BLOB, count },
    )
    await tx.query(
      `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
       select shop_id, id, 1, decode(:hash, 'hex'), 'primary', size_bytes, content_type from files
         where shop_id = :shop`,
      BLOB,
    )
    await tx.query(
      `insert into mappings (shop_id, file_id, product_id, variant_id, product_title, sku, method,
         score, reason, created_at)
       select shop_id, id, 'gid://shopify/Product/' || p,
         case p when 2 then 'gid://shopify/ProductVariant/9' else '' end,
         'Product ' || p, 'SKU-' || p, 'filename', 0.87, 'Its name is like the title',
         updated_at - p * interval '1 hour'
       from files, generate_series(1, 2) p
       where shop_id = :shop and mapping_state = 'mapped'
         and (p = 1 or size_bytes > 0 and expiry_days % 2 = 0)`,
    )
    await tx.query(
      `insert into links (shop_id, file_id, key_hash, email, expires_at, download_limit, downloads,
         served)
       select shop_id, id, sha256(id::text::bytea), 'buyer@example.com', now() + interval '30 days',
         5, 2, 2
       from files where shop_id = :shop and download_limit in (1, 5)`,
    )
  })
  // A new shop has no statistics: autovacuum would create them within minutes.
  await parts.database.pool.query('analyze files, versions, mappings, links')
}

const TABLES = {
  files: 'id',
  versions: 'file_id, number',
  mappings: 'file_id, product_id, variant_id',
  links: 'id',
  pack_files: 'pack_id, file_id',
}
export type Dump = Record<keyof typeof TABLES, string[]>

/** All rows of the shop's files, with every column and all related rows. */
export async function dumpOf(scope: ShopScope): Promise<Dump> {
  const tables = Object.entries(TABLES).map(async ([table, order]) => {
    const rows = await scope.query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${table} t where shop_id = :shop order by ${order}`,
    )
    return [table, rows.map(({ row }) => row)]
  })
  return Object.fromEntries(await Promise.all(tables)) as Dump
}

/** Compares dumps and shows only the first rows that differ. */
export function expectSame(now: Dump, then: Dump): void {
  for (const table of Object.keys(TABLES) as (keyof typeof TABLES)[]) {
    const [had, has] = [new Set(then[table]), new Set(now[table])]
    const gone = then[table].filter((row) => !has.has(row))
    const fresh = now[table].filter((row) => !had.has(row))
    expect({
      table,
      rows: now[table].length,
      gone: gone.length,
      first: [gone[0], fresh[0]],
    }).toEqual({
      table,
      rows: then[table].length,
      gone: 0,
      first: [undefined, undefined],
    })
  }
}

/** Ids of the shop's files in the order of their creation. */
export async function fileIds(scope: ShopScope): Promise<string[]> {
  const rows = await scope.query<{ id: string }>(
    'select id from files where shop_id = :shop order by created_at, id',
  )
  return rows.map(({ id }) => id)
}
