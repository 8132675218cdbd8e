// Creates, renames, maps, orders and deletes packs. Every change locks the pack's row first, and so
// does moving files into it.
import { toPublicId } from '../../../core/ids.ts'
import { say, type Text } from '../../../../plugins/contract/index.ts'
import { isTaken } from '../../../core/db/error-classes.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../../core/errors.ts'
import { revokeLinks } from '../../links/model/changes.ts'
import type { PackProduct } from './list.ts'
import { fileChanged, raiseFileEvent } from '../../../files/change-events.ts'
import { isGivenByNone } from '../../../files/pack-places.ts'
import { nameKey } from '../../../files/rules.ts'

/** Returns the pack's UUID. Throws `conflict` if the name is taken. */
export async function createPack(
  tx: ShopScope,
  name: string,
  products: readonly PackProduct[],
): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    `insert into packs (shop_id, name, name_key) select :shop, :name, :key
     on conflict (shop_id, name_key) do nothing returning id`,
    { name: name.normalize('NFC'), key: nameKey(name) },
  )
  if (!row) throw nameTaken()
  await replaceProducts(tx, row.id, products)
  return row.id
}

const nameTaken = () =>
  new AppError('conflict', { param: 'name', message: say('Another pack has this name') })

/**
 * Locks the pack until the transaction ends, so that no other transaction changes it or moves a
 * file into it. Throws `not_found`.
 */
export async function lockPack(tx: ShopScope, id: string): Promise<void> {
  const held = await tx.query('select from packs where shop_id = :shop and id = :id for update', {
    id,
  })
  if (held.length === 0) throw new AppError('not_found')
}

/** Throws `conflict` if the name is taken. */
export async function renamePack(tx: ShopScope, id: string, name: string): Promise<void> {
  try {
    await tx.query(
      `update packs set name = :name, name_key = :key, updated_at = now() where shop_id = :shop
        and id = :id`,
      { id, name: name.normalize('NFC'), key: nameKey(name) },
    )
  } catch (error) {
    throw isTaken(error, 'packs_shop_id_name_key_key') ? nameTaken() : error
  }
}

/**
 * Replaces the pack's products; returns whether that was a change. Does not update its files'
 * mappings.
 */
export async function replaceProducts(
  tx: ShopScope,
  id: string,
  products: readonly PackProduct[],
): Promise<boolean> {
  const rows = products.map((product) => ({ ...product, variant_id: product.variant_id ?? '' }))
  const counted = await tx.one<{ changed: number }>(
    `with wanted as (
       select * from jsonb_to_recordset(:rows::jsonb)
         as w(product_id text, variant_id text, product_title text, sku text)
     ), gone as (
       delete from pack_products p where shop_id = :shop and pack_id = :id and not exists (
         select from wanted w where w.product_id = p.product_id and w.variant_id = p.variant_id)
           returning 1
     ), added as (
       insert into pack_products (shop_id, pack_id, product_id, variant_id, product_title, sku)
       select :shop, :id, product_id, variant_id, product_title, sku from wanted
         on conflict do nothing returning 1
     )
     select (select count(*) from gone) + (select count(*) from added) as changed`,
    { id, rows: JSON.stringify(rows) },
  )
  if (counted.changed > 0) await touch(tx, id)
  return counted.changed > 0
}

const touch = (tx: ShopScope, id: string) =>
  tx.query('update packs set updated_at = now() where shop_id = :shop and id = :id', { id })

/**
 * Puts the pack's files (bare UUIDs) into this order, followed by the unlisted files in their
 * present order. The pack must be locked. Throws `validation_failed`, which names every file that
 * is not in the pack or is listed twice.
 */
export async function orderPack(
  tx: ShopScope,
  id: string,
  files: readonly string[],
): Promise<void> {
  await requireInPack(tx, id, files)
  await tx.query(
    `with placed as (
       select k.file_id, row_number() over (
           order by named.n nulls last, k.position, k.file_id) as place
         from pack_files k
       left join unnest(:files::uuid[]) with ordinality as named(id, n) on named.id = k.file_id
       where k.shop_id = :shop and k.pack_id = :id
     )
     update pack_files k set position = place from placed
     where k.shop_id = :shop and k.pack_id = :id and k.file_id = placed.file_id
       and k.position <> place`,
    { id, files },
  )
  await touch(tx, id)
}

async function requireInPack(tx: ShopScope, id: string, files: readonly string[]): Promise<void> {
  const known = await tx.query<{ id: string }>(
    `select f.id from pack_files k join files f on f.shop_id = k.shop_id and f.id = k.file_id
     where k.shop_id = :shop and k.pack_id = :id and k.file_id = any(:files::uuid[])
       and f.deleted_at is null`,
    { id, files },
  )
  const [inPack, seen] = [new Set(known.map((file) => file.id)), new Set<string>()]
  const details: ErrorDetail[] = []
  for (const [index, file] of files.entries()) {
    const wrong = (code: ErrorDetail['code'], message: Text) =>
      details.push({ index, param: 'file_ids', code, message })
    if (!inPack.has(file)) wrong('not_found', say('This file is not in the pack'))
    else if (seen.has(file)) wrong('invalid_value', say('This file is named twice'))
    seen.add(file)
  }
  if (details.length > 0) throw new AppError('validation_failed', { param: 'file_ids', details })
}

/**
 * Deletes the pack. Its files stay, without the products that no other pack of them has. Its links are
 * revoked and keep its name, so that their holders get the reason.
 */
export async function deletePack(tx: ShopScope, id: string): Promise<void> {
  await lockPack(tx, id)
  const emptied = await tx.query<{ id: string | null }>(
    `with held as materialized (
       select file_id from pack_files where shop_id = :shop and pack_id = :id
     ), gone as (
       delete from mappings m using held
       where m.shop_id = :shop and m.file_id = held.file_id and m.method = 'pack'
         and ${isGivenByNone(':id::uuid')}
       returning m.file_id, m.product_id, m.variant_id
     )
     update files set updated_at = now(),
       mapping_state = case when mapping_state = 'mapped' and not exists (
           select from mappings m where m.shop_id = files.shop_id and m.file_id = files.id
             and (m.file_id, m.product_id, m.variant_id) not in (select * from gone)
         ) then 'unmapped' else mapping_state end
     where shop_id = :shop and id in (select file_id from held)
     returning case when deleted_at is null then id end as id`,
    { id },
  )
  const left = emptied.flatMap((file) => file.id ?? [])
  if (left.length > 0) await raiseFileEvent(tx, fileChanged, left)
  const links = await tx.query<{ id: string }>(
    'select id from links where shop_id = :shop and pack_id = :id',
    { id },
  )
  await revokeLinks(
    tx,
    links.map((link) => link.id),
  )
  await tx.query(
    `update links l set pack_id = null, pack_name = p.name from packs p
     where l.shop_id = :shop and l.pack_id = :id and p.shop_id = :shop and p.id = :id`,
    { id },
  )
  await tx.query('delete from packs where shop_id = :shop and id = :id', { id })
  await tx.query(
    `update shops set settings = settings #- array['pack_watermarks', :pack] where id = :shop
       and settings -> 'pack_watermarks' -> :pack is not null`,
    { pack: toPublicId('pack', id) },
  )
}
