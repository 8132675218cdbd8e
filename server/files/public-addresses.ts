// The addresses of public files. A row is created when a file becomes public and kept while it is
// private, so that the same address works again later. Whether it works is decided by the file's
// visibility at each request.
import type { ShopScope } from '../core/db/for-shop.ts'

/**
 * Creates addresses for the files (bare UUIDs) that have none. Must be called in the transaction
 * that makes them public.
 */
export async function ensurePublicAddresses(
  tx: ShopScope,
  fileIds: readonly string[],
): Promise<void> {
  if (fileIds.length === 0) return
  // In a fixed order: two transactions that share some files then wait for each other instead of
  // deadlocking.
  await tx.query(
    `insert into public_addresses (shop_id, file_id)
     select :shop, id from unnest(:fileIds::uuid[]) id order by id on conflict do nothing`,
    { fileIds },
  )
}

/**
 * Gives a public file a new address; the old one stops working immediately. Null: the file does not
 * exist or is not public.
 */
export async function rotateAddress(tx: ShopScope, fileId: string): Promise<string | null> {
  const [row] = await tx.query<{ token: string }>(
    `update public_addresses a set token = gen_random_uuid() from files f
     where a.shop_id = :shop and a.file_id = :fileId and f.shop_id = a.shop_id and f.id = a.file_id
       and f.visibility = 'public' and f.deleted_at is null
     returning a.token`,
    { fileId },
  )
  return row?.token ?? null
}

/**
 * The name is for people and for the saved file: only the token identifies the file, so a renamed
 * file keeps its address.
 */
export const publicPath = (token: string, filename: string): string =>
  `files/${token}/${encodeURIComponent(filename)}`

export const publicUrl = (baseUrl: string, token: string, filename: string): string =>
  `${baseUrl}/${publicPath(token, filename)}`
