// Rows of files without bytes, for tests that need many or old files and never read them.
import type { ShopScope } from '../server/core/db/for-shop.ts'
import { extensionOf, nameKey } from '../server/files/rules.ts'

export interface MadeFile {
  filename: string
  size_bytes?: number
  tags?: readonly string[]
  /** Days since it was uploaded. */
  age?: number
  mapped?: boolean
}

/** Returns their UUIDs, in order. */
export function makeFiles(scope: ShopScope, files: readonly MadeFile[]): Promise<string[]> {
  const rows = files.map(
    ({ filename, size_bytes = 100, tags = [], age = 0, mapped = false }, n) => ({
      n,
      filename,
      size_bytes,
      tags,
      age,
      name_key: nameKey(filename),
      extension: extensionOf(filename),
      mapping_state: mapped ? 'mapped' : 'never',
    }),
  )
  return scope.transaction(async (tx) => {
    const made = await tx.query<{ id: string }>(
      `insert into files (shop_id, filename, name_key, extension, size_bytes, content_type, tags,
         mapping_state, channel, created_at)
       select :shop, filename, name_key, extension, size_bytes, 'application/octet-stream', tags,
         mapping_state, 'api', now() - age * interval '1 day'
       from jsonb_to_recordset(:rows::jsonb)
         as r(n int, filename text, name_key text, extension text, size_bytes bigint,
         tags text[], mapping_state text, age float)
       order by n returning id`,
      { rows: JSON.stringify(rows) },
    )
    const ids = made.map(({ id }) => id)
    await tx.query(
      `with blob as (
         insert into blobs (shop_id, hash, size_bytes, sha256)
         select :shop, sha256(id::text::bytea), 100, sha256(id::text::bytea) from unnest(:ids::uuid[]) id returning hash
       ), location as (
         insert into blob_locations (shop_id, hash, location) select :shop, hash, 'primary'
           from blob
       )
       insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
       select :shop, id, 1, sha256(id::text::bytea), 'primary', 100, 'application/octet-stream'
         from unnest(:ids::uuid[]) id`,
      { ids },
    )
    await tx.query(
      `insert into mappings (shop_id, file_id, product_id, product_title, method, score, reason)
       select :shop, id, 'gid://shopify/Product/1', 'A product', 'manual', 1, 'test'
       from files where shop_id = :shop and id = any(:ids::uuid[]) and mapping_state = 'mapped'`,
      { ids },
    )
    return ids
  })
}
