// Packs: named, ordered groups of files. A file that moves into one stands behind those that are there.
import { packNameProblem, type Pack } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import type { Change } from './changes.ts'
import { nameKey, type Problem } from './rules.ts'

/** By its bare UUID or by its name, in any case. */
export async function findPack(scope: ShopScope, pack: { id: string } | { name: string }): Promise<Pack | null> {
  const [condition, value] = 'id' in pack ? ['id = :value::uuid', pack.id] : ['name_key = :value', nameKey(pack.name)]
  const [row] = await scope.query<Pack>(
    `select id, name, coalesce((
         select json_agg(json_build_object('product_id', product_id, 'product_title', product_title,
           'variant_id', nullif(variant_id, ''), 'sku', sku, 'method', 'pack', 'score', 1,
           'reason', 'Its pack has this product') order by product_title, variant_id)
         from pack_products p where p.shop_id = packs.shop_id and p.pack_id = packs.id
       ), '[]') as products
     from packs where shop_id = :shop and ${condition}`,
    { value },
  )
  return row ?? null
}

/** The pack of that name, made where there is none. */
export async function ensurePack(tx: ShopScope, name: string): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    `insert into packs (shop_id, name, name_key) select :shop, :name, :key
     on conflict (shop_id, name_key) do update set name_key = excluded.name_key returning id`,
    { name: name.normalize('NFC'), key: nameKey(name) },
  )
  return row!.id
}

/**
 * Says for each change what is wrong with the pack that it names, or null. Drafts get the pack's id, and their places in it. A pack that
 * is to be made is made when `write`.
 */
export async function settlePacks(
  tx: ShopScope,
  changes: readonly Change[],
  write: boolean,
): Promise<(Problem | null)[]> {
  await nameThem(tx, changes, write)
  const moving = changes.filter(({ record, draft }) => draft.pack_id && draft.pack_id !== record.pack_id)
  const ends = await lastPlaces(tx, [...new Set(moving.map(({ draft }) => draft.pack_id!))])
  const moves = new Set(moving)
  return changes.map((change) => {
    const { draft } = change
    if (draft.new_pack !== undefined) {
      const problem = packNameProblem(draft.new_pack)
      if (problem) return problem
    }
    if (!moves.has(change)) return null
    const last = ends.get(draft.pack_id!)
    if (last === undefined) return { code: 'pack_not_found', message: 'There is no such pack any more' }
    draft.pack_position ??= last + 1
    ends.set(draft.pack_id!, Math.max(last, draft.pack_position))
    return null
  })
}

async function nameThem(tx: ShopScope, changes: readonly Change[], write: boolean): Promise<void> {
  const named = changes.filter(({ draft }) => draft.new_pack !== undefined && packNameProblem(draft.new_pack) === null)
  for (const name of new Set(named.map(({ draft }) => draft.new_pack!))) {
    const id = write ? await ensurePack(tx, name) : (await findPack(tx, { name }))?.id
    if (id) for (const { draft } of named) if (draft.new_pack === name) draft.pack_id = id
  }
}

/** The place of each pack's last file, 0 where it has none. Locked, so that two who move files into it do not share a place. */
async function lastPlaces(tx: ShopScope, packs: readonly string[]): Promise<Map<string, number>> {
  if (packs.length === 0) return new Map()
  await tx.query('select from packs where shop_id = :shop and id = any(:packs::uuid[]) order by id for update', {
    packs,
  })
  const rows = await tx.query<{ id: string; last: number }>(
    `select id, coalesce((select max(pack_position) from files f
       where f.shop_id = packs.shop_id and f.pack_id = packs.id), 0) as last
     from packs where shop_id = :shop and id = any(:packs::uuid[])`,
    { packs },
  )
  return new Map(rows.map(({ id, last }) => [id, last]))
}
