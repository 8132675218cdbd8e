// Mappings: which products a file belongs to.
import { type Mapping, packNameProblem, type Pack } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { columnsOfText } from '../core/texts.ts'
import { firstOf, present } from '../core/lazy.ts'
import type { Change } from './drafts.ts'
import { nameKey, type Problem } from './rules.ts'

/**
 * Adds mappings, each once; an existing mapping keeps its score and reason. Does not update the
 * file's mapping_state.
 */
export async function addMappings(
  tx: ShopScope,
  mappings: readonly { fileId: string; mapping: Mapping & { created_at?: string } }[],
): Promise<void> {
  if (mappings.length === 0) return
  const rows = mappings.map(({ fileId, mapping }) => ({
    ...mapping,
    file_id: fileId,
    variant_id: mapping.variant_id ?? '',
  }))
  await tx.query(
    `insert into mappings (shop_id, file_id, product_id, variant_id, product_title, sku, method,
       score, reason, reason_values, created_at, new_files)
     select :shop, file_id, product_id, variant_id, product_title, sku, method, score,
       ${columnsOfText('reason')}, coalesce(created_at, now()), new_files
     from jsonb_to_recordset(:rows::jsonb) as g(file_id uuid, product_id text, variant_id text,
       product_title text, sku text, method text, score real, reason jsonb, created_at timestamptz, new_files text)
     on conflict do nothing`,
    { rows: JSON.stringify(rows) },
  )
}

/** Removes mappings; missing ones are ignored. Does not update the file's mapping_state. */
export async function removeMappings(
  tx: ShopScope,
  mappings: readonly { fileId: string; mapping: Pick<Mapping, 'product_id' | 'variant_id'> }[],
): Promise<void> {
  if (mappings.length === 0) return
  const rows = mappings.map(({ fileId, mapping: { product_id, variant_id } }) => ({
    file_id: fileId,
    product_id,
    variant_id: variant_id ?? '',
  }))
  await tx.query(
    `delete from mappings m
     using jsonb_to_recordset(:rows::jsonb) as g(file_id uuid, product_id text, variant_id text)
     where m.shop_id = :shop and m.file_id = g.file_id and m.product_id = g.product_id
       and m.variant_id = g.variant_id`,
    { rows: JSON.stringify(rows) },
  )
}

// Packs: named, ordered groups of files. A file that moves into a pack comes after the files in it.

/** Finds a pack by its bare UUID, or by its name, ignoring case. */
export function findPack(
  scope: ShopScope,
  pack: { id: string } | { name: string },
): Promise<Pack | null> {
  const [condition, value] =
    'id' in pack ? ['id = :value::uuid', pack.id] : ['name_key = :value', nameKey(pack.name)]
  return scope.first<Pack>(
    `select id, name, coalesce((
         select json_agg(json_build_object('product_id', product_id, 'product_title', product_title,
           'variant_id', nullif(variant_id, ''), 'sku', sku, 'method', 'pack', 'score', 1,
           'reason', 'Its pack has this product') order by product_title, variant_id)
         from pack_products p where p.shop_id = packs.shop_id and p.pack_id = packs.id
       ), '[]') as products
     from packs where shop_id = :shop and ${condition}`,
    { value },
  )
}

/** The pack of that name, created if there is none. Exported for tests that need a pack without an operation. */
export async function ensurePack(tx: ShopScope, name: string): Promise<string> {
  const row = await tx.one<{ id: string }>(
    `insert into packs (shop_id, name, name_key) select :shop, :name, :key
     on conflict (shop_id, name_key) do update set name_key = excluded.name_key returning id`,
    { name: name.normalize('NFC'), key: nameKey(name) },
  )
  return row.id
}

/**
 * Returns for each change the problem of the pack that it names, or null. Drafts get the pack's id,
 * their places in it, and the names of the packs. Missing packs are created if `write`.
 */
export async function resolvePacks(
  tx: ShopScope,
  changes: readonly Change[],
  write: boolean,
): Promise<(Problem | null)[]> {
  await assignPackIds(tx, changes, write)
  const moving = new Set(changes.filter(({ record, draft }) => changesPack(record, draft)))
  const packs = await lockPacks(
    tx,
    [...moving].map(({ draft }) => draft.pack_id),
  )
  const left = await namesOf(
    tx,
    [...moving].map(({ record }) => record.pack_id),
  )
  return changes.map((change) => {
    const { record, draft } = change
    const problem = draft.new_pack === undefined ? null : packNameProblem(draft.new_pack)
    if (problem || !moving.has(change)) return problem
    const from = left.get(record.pack_id ?? '') ?? null
    draft.pack_names = { from, to: draft.new_pack ?? null }
    if (!draft.pack_id) return null
    const pack = packs.get(draft.pack_id)
    if (!pack) return { code: 'pack_not_found', message: 'This pack no longer exists' }
    draft.pack_names.to = pack.name
    draft.pack_position ??= pack.last + 1
    pack.last = Math.max(pack.last, draft.pack_position)
    return null
  })
}

const changesPack = (record: Change['record'], { pack_id, new_pack }: Change['draft']) =>
  pack_id === undefined ? new_pack !== undefined : pack_id !== record.pack_id

/** Sets `pack_id` of the drafts that name a pack. */
async function assignPackIds(
  tx: ShopScope,
  changes: readonly Change[],
  write: boolean,
): Promise<void> {
  const named = changes.flatMap(({ draft }) => {
    const name = draft.new_pack
    return name !== undefined && packNameProblem(name) === null ? [{ name, draft }] : []
  })
  for (const [name, same] of Map.groupBy(named, ({ name }) => name)) {
    const id = write ? await ensurePack(tx, name) : (await findPack(tx, { name }))?.id
    if (id) for (const { draft } of same) draft.pack_id = id
  }
}

/** Removes files from their packs, with the products that they have from them; those of pack `to` stay. */
export async function leavePacks(
  tx: ShopScope,
  files: readonly { fileId: string; to: string | null }[],
): Promise<void> {
  if (files.length === 0) return
  const rows = files.map(({ fileId, to }) => ({
    id: fileId,
    key: to === null ? null : nameKey(to),
  }))
  await tx.query(
    `with gone as (
       update files f set pack_id = null, pack_position = null
       from jsonb_to_recordset(:rows::jsonb) as g(id uuid, key text)
       where f.shop_id = :shop and f.id = g.id and f.pack_id is not null
         and not exists (select from packs p where p.shop_id = f.shop_id and p.id = f.pack_id
           and p.name_key = g.key)
       returning f.id
     )
     delete from mappings m using gone
     where m.shop_id = :shop and m.file_id = gone.id and m.method = 'pack'`,
    { rows: JSON.stringify(rows) },
  )
  await tx.query(
    `update files set mapping_state = 'unmapped' where shop_id = :shop and id = any(:ids::uuid[])
       and mapping_state = 'mapped' and not exists (
         select from mappings m where m.shop_id = files.shop_id and m.file_id = files.id)`,
    { ids: files.map(({ fileId }) => fileId) },
  )
}

/**
 * Puts new files into packs by name, after the files in them; missing packs are created. The files
 * get the packs' products.
 */
export async function placeInPacks(
  tx: ShopScope,
  files: readonly { fileId: string; pack: string }[],
): Promise<void> {
  const named = Map.groupBy(files, ({ pack }) => nameKey(pack))
  // In a fixed order: two transactions that share packs wait for each other instead of deadlocking.
  for (const [, members] of [...named].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const pack = await ensurePack(tx, firstOf(members).pack)
    const { last } = present((await lockPacks(tx, [pack])).get(pack), 'The pack')
    const ids = members.map(({ fileId }) => fileId)
    await tx.query(
      `with placed as (
         update files set pack_id = :pack, pack_position = :last + n
         from unnest(:ids::uuid[]) with ordinality as m (id, n)
         where files.shop_id = :shop and files.id = m.id returning files.id
       )
       insert into mappings (shop_id, file_id, product_id, variant_id, product_title, sku, method,
         score, reason)
       select :shop, placed.id, p.product_id, p.variant_id, p.product_title, p.sku, 'pack', 1,
         'Its pack has this product'
       from placed join pack_products p on p.shop_id = :shop and p.pack_id = :pack
       on conflict do nothing`,
      { pack, last, ids },
    )
    await tx.query(
      `update files set mapping_state = 'mapped' where shop_id = :shop and id = any(:ids::uuid[])
         and exists (select from pack_products where shop_id = :shop and pack_id = :pack)`,
      { pack, ids },
    )
  }
}

/**
 * Locks packs, and returns the positions of their last files, 0 for empty packs. The lock prevents
 * two transactions from using the same position.
 */
async function lockPacks(
  tx: ShopScope,
  ids: readonly (string | null | undefined)[],
): Promise<Map<string, { name: string; last: number }>> {
  const packs = [...new Set(ids.filter((id) => typeof id === 'string'))]
  if (packs.length === 0) return new Map()
  await tx.query(
    'select from packs where shop_id = :shop and id = any(:packs::uuid[]) order by id for update',
    {
      packs,
    },
  )
  const rows = await tx.query<{ id: string; name: string; last: number }>(
    `select id, name, coalesce((select max(pack_position) from files f
       where f.shop_id = packs.shop_id and f.pack_id = packs.id), 0) as last
     from packs where shop_id = :shop and id = any(:packs::uuid[])`,
    { packs },
  )
  return new Map(rows.map(({ id, name, last }) => [id, { name, last }]))
}

async function namesOf(
  tx: ShopScope,
  ids: readonly (string | null)[],
): Promise<Map<string, string>> {
  const packs = [...new Set(ids.filter((id) => id !== null))]
  if (packs.length === 0) return new Map()
  const rows = await tx.query<{ id: string; name: string }>(
    'select id, name from packs where shop_id = :shop and id = any(:packs::uuid[])',
    { packs },
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
