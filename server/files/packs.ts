// Packs of files: named, ordered groups. A file may be in any number of them, in each with its own
// place (docs/decisions/0124-files-in-several-packs.md); a file that enters a pack comes after the files in it.
import {
  type Pack,
  type PackCell,
  packNameProblem,
  packsChange,
  type PackShelf,
  packShelf,
  packsToRead,
  type WantedPacks,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { applyToDraft } from './draft-changes.ts'
import type { Change, Draft, FileRecord } from './drafts.ts'
import { isGivenByNone, type ChangedPacks, type PackPlace } from './pack-places.ts'
import { nameKey, type Problem } from './rules.ts'

const PRODUCTS = `coalesce((
    select json_agg(json_build_object('product_id', product_id, 'product_title', product_title,
      'variant_id', nullif(variant_id, ''), 'sku', sku, 'method', 'pack', 'score', 1,
      'reason', 'Its pack has this product') order by product_title, variant_id)
    from pack_products p where p.shop_id = packs.shop_id and p.pack_id = packs.id
  ), '[]') as products`

/** Finds a pack by its bare UUID, or by its name, ignoring case. */
export function findPack(
  scope: ShopScope,
  pack: { id: string } | { name: string },
): Promise<Pack | null> {
  const [condition, value] =
    'id' in pack ? ['id = :value::uuid', pack.id] : ['name_key = :value', nameKey(pack.name)]
  return scope.first<Pack>(
    `select id, name, ${PRODUCTS} from packs where shop_id = :shop and ${condition}`,
    { value },
  )
}

/** Finds those that exist of these packs, with one query. */
export async function readPacks(
  scope: ShopScope,
  { ids = [], names = [] }: { ids?: readonly string[]; names?: readonly string[] },
): Promise<PackShelf> {
  if (ids.length + names.length === 0) return packShelf([])
  const rows = await scope.query<Pack>(
    `select id, name, ${PRODUCTS} from packs
     where shop_id = :shop and (id = any(:ids::uuid[]) or name_key = any(:keys::text[]))`,
    { ids, keys: names.map(nameKey) },
  )
  return packShelf(rows)
}

/** The pack of that name, created if there is none. Exported for tests that need a pack without an operation. */
export async function ensurePack(tx: ShopScope, name: string): Promise<string> {
  const ids = await packIds(tx, [name], true)
  return ids.get(nameKey(name)) as string
}

/** The ids of the packs of these names, by the form in which names are compared. */
async function packIds(
  tx: ShopScope,
  names: readonly string[],
  create: boolean,
): Promise<Map<string, string>> {
  const wanted = new Map(names.map((name) => [nameKey(name), name.normalize('NFC')]))
  const find = async (keys: readonly string[]) => {
    const rows = await tx.query<{ id: string; name_key: string }>(
      'select id, name_key from packs where shop_id = :shop and name_key = any(:keys::text[])',
      { keys },
    )
    return rows.map(({ id, name_key }) => [name_key, id] as const)
  }
  const found = new Map(wanted.size === 0 ? [] : await find([...wanted.keys()]))
  // In a fixed order: two transactions that create the same packs wait for each other.
  const missing = [...wanted]
    .filter(([key]) => !found.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  if (!create || missing.length === 0) return found
  const made = await tx.query<{ id: string; name_key: string }>(
    `insert into packs (shop_id, name, name_key)
     select :shop, name, key from unnest(:names::text[], :keys::text[]) as w (name, key)
     on conflict (shop_id, name_key) do nothing returning id, name_key`,
    { names: missing.map(([, name]) => name), keys: missing.map(([key]) => key) },
  )
  for (const { id, name_key } of made) found.set(name_key, id)
  const others = missing.flatMap(([key]) => (found.has(key) ? [] : [key]))
  for (const [key, id] of others.length === 0 ? [] : await find(others)) found.set(key, id)
  return found
}

/**
 * The packs that cells name. The whole text of a cell counts as the name of one pack if the shop has
 * a pack of this name.
 */
export async function packsOfCells(
  scope: ShopScope,
  cells: readonly (PackCell | undefined)[],
): Promise<(cell: PackCell) => Omit<PackCell, 'whole'>> {
  const wholes = cells.flatMap((cell) => cell?.whole ?? [])
  const known = wholes.length === 0 ? new Map() : await packIds(scope, wholes, false)
  return ({ whole, ...cell }) =>
    whole !== undefined && known.has(nameKey(whole)) ? { packs: [whole] } : cell
}

/**
 * Returns for each change the problem of the packs that it names, or null. Drafts get the ids of the
 * packs that they name, and the packs that they enter and leave, with their places. Missing packs are created if
 * `write`.
 */
export async function resolvePacks(
  tx: ShopScope,
  changes: readonly Change[],
  write: boolean,
): Promise<(Problem | null)[]> {
  const unmade = await findNamed(tx, changes, write)
  const moves = changes.map(({ record, draft }) => moveOf(record, draft))
  const packs = await lockPacks(
    tx,
    moves.flatMap((move) => (move ? [...move.entered, ...move.left] : [])),
  )
  return changes.map(({ record, draft }, at) => {
    const problem = packNamesProblem(draft)
    if (problem) return problem
    const [move, names] = [moves[at], unmade.get(draft) ?? []]
    if (!move && names.length === 0) return null
    const change: ChangedPacks = { added: [], removed: [] }
    for (const id of move?.entered ?? []) {
      const pack = packs.get(id)
      if (!pack) return { code: 'pack_not_found', message: 'This pack no longer exists' }
      const kept = draft.pack_places?.find((place) => place.id === id)
      const position = kept?.position ?? pack.last + 1
      pack.last = Math.max(pack.last, position)
      change.added.push({ ...kept, id, name: pack.name, position })
    }
    for (const id of move?.left ?? [])
      change.removed.push({
        ...placeIn(record, id),
        name: packs.get(id)?.name ?? '',
      })
    change.added.push(...names.map((name) => ({ name })))
    draft.pack_change = change
    return null
  })
}

const placeIn = ({ pack_places }: FileRecord, id: string): PackPlace | { id: string } =>
  pack_places.find((place) => place.id === id) ?? { id }

/** The packs that a draft enters and leaves; null: none. */
function moveOf({ packs: had }: FileRecord, { packs: has = had }: Draft) {
  const entered = has.filter((id) => !had.includes(id))
  const left = had.filter((id) => !has.includes(id))
  return entered.length + left.length > 0 ? { entered, left } : null
}

export const packNamesProblem = ({ new_packs = [] }: Pick<Draft, 'new_packs'>): Problem | null =>
  new_packs.map(packNameProblem).find((problem) => problem !== null) ?? null

/**
 * Changes the packs of a draft, and its mappings with them.
 * @param wanted what changes, by the packs that were read: those of `names` and `ids`, and the file's own
 * @returns these packs
 */
export async function changeDraftPacks(
  tx: ShopScope,
  draft: Draft,
  record: FileRecord,
  wanted: (shelf: PackShelf) => WantedPacks,
  names: readonly string[],
  ids: readonly string[] = [],
): Promise<PackShelf> {
  const shelf = await readPacks(tx, { names, ids: [...ids, ...packsToRead([record])] })
  const change = packsChange(record, wanted(shelf), shelf)
  if (change) applyToDraft(draft, change)
  return shelf
}

/** Adds to `packs` of the drafts those that they name; returns the names of packs that do not exist. */
async function findNamed(
  tx: ShopScope,
  changes: readonly Change[],
  write: boolean,
): Promise<Map<Draft, string[]>> {
  const naming = changes.filter(
    ({ draft }) => (draft.new_packs ?? []).length > 0 && packNamesProblem(draft) === null,
  )
  const unmade = new Map<Draft, string[]>()
  if (naming.length === 0) return unmade
  const ids = await packIds(
    tx,
    naming.flatMap(({ draft }) => draft.new_packs ?? []),
    write,
  )
  for (const { record, draft } of naming) {
    const has = new Set(draft.packs ?? record.packs)
    const missing = new Map<string, string>()
    for (const name of draft.new_packs ?? []) {
      const id = ids.get(nameKey(name))
      if (id === undefined) missing.set(nameKey(name), name)
      else has.add(id)
    }
    draft.packs = [...has]
    unmade.set(draft, [...missing.values()])
  }
  return unmade
}

/** Writes the packs that files entered and left. */
export async function writePacks(
  tx: ShopScope,
  changes: readonly { fileId: string; change: ChangedPacks }[],
): Promise<void> {
  const rowsOf = (of: keyof ChangedPacks) =>
    changes.flatMap(({ fileId, change }) =>
      change[of].flatMap(({ id, position, added_at }, at) =>
        id === undefined ? [] : [{ file_id: fileId, pack_id: id, position, added_at, at }],
      ),
    )
  const [removed, added] = [rowsOf('removed'), rowsOf('added')]
  if (removed.length > 0)
    await tx.query(
      `delete from pack_files m
       using jsonb_to_recordset(:rows::jsonb) as g(file_id uuid, pack_id uuid)
       where m.shop_id = :shop and m.pack_id = g.pack_id and m.file_id = g.file_id`,
      { rows: JSON.stringify(removed) },
    )
  if (added.length > 0)
    await tx.query(
      `insert into pack_files (shop_id, pack_id, file_id, position, added_at)
       select :shop, pack_id, file_id, position,
         coalesce(added_at, now() + at * interval '1 microsecond')
       from jsonb_to_recordset(:rows::jsonb)
         as g(file_id uuid, pack_id uuid, position int, added_at timestamptz, at int)
       on conflict do nothing`,
      { rows: JSON.stringify(added) },
    )
}

/** Which packs a file leaves: those of these names, or all others. */
export interface LeavingFile {
  fileId: string
  stays: readonly string[]
  /** Absent: all in which it does not stay. */
  leaves?: readonly string[] | undefined
}

/**
 * Removes files from packs, with the products that no other pack of them gives. The files' rows must
 * be locked.
 */
export async function leavePacks(tx: ShopScope, files: readonly LeavingFile[]): Promise<void> {
  if (files.length === 0) return
  const rows = files.map(({ fileId, stays, leaves }) => ({
    id: fileId,
    stays: stays.map(nameKey),
    leaves: leaves?.map(nameKey) ?? null,
  }))
  const left = await tx.query<{ id: string }>(
    `delete from pack_files m
     using jsonb_to_recordset(:rows::jsonb) as g(id uuid, stays text[], leaves text[]), packs p
     where m.shop_id = :shop and m.file_id = g.id and p.shop_id = m.shop_id and p.id = m.pack_id
       and p.name_key <> all(g.stays) and (g.leaves is null or p.name_key = any(g.leaves))
     returning m.file_id as id`,
    { rows: JSON.stringify(rows) },
  )
  const ids = [...new Set(left.map(({ id }) => id))]
  if (ids.length === 0) return
  await tx.query(
    `delete from mappings m
     where m.shop_id = :shop and m.file_id = any(:ids::uuid[]) and m.method = 'pack'
       and ${isGivenByNone()}`,
    { ids },
  )
  await tx.query(
    `update files set mapping_state = 'unmapped' where shop_id = :shop and id = any(:ids::uuid[])
       and mapping_state = 'mapped' and not exists (
         select from mappings m where m.shop_id = files.shop_id and m.file_id = files.id)`,
    { ids },
  )
}

/**
 * Puts new files into packs by name, after the files in them; missing packs are created. The files
 * get the packs' products.
 */
export async function placeInPacks(
  tx: ShopScope,
  files: readonly { fileId: string; packs: readonly string[] }[],
): Promise<void> {
  const names = files.flatMap(({ packs }) => packs)
  if (names.length === 0) return
  const ids = await packIds(tx, names, true)
  const places = await lockPacks(tx, [...ids.values()])
  const rows = files.flatMap(({ fileId, packs }) =>
    [...new Set(packs.map(nameKey))].flatMap((key, at) => {
      const id = ids.get(key)
      const pack = id === undefined ? undefined : places.get(id)
      return pack ? [{ file_id: fileId, pack_id: id, position: ++pack.last, at }] : []
    }),
  )
  await tx.query(
    `with placed as (
       insert into pack_files (shop_id, pack_id, file_id, position, added_at)
       select :shop, pack_id, file_id, position, now() + at * interval '1 microsecond'
       from jsonb_to_recordset(:rows::jsonb) as g(file_id uuid, pack_id uuid, position int, at int)
       on conflict do nothing returning pack_id, file_id
     ), given as (
       insert into mappings (shop_id, file_id, product_id, variant_id, product_title, sku, method,
         score, reason)
       select distinct on (placed.file_id, p.product_id, p.variant_id) :shop, placed.file_id,
         p.product_id, p.variant_id, p.product_title, p.sku, 'pack', 1, 'Its pack has this product'
       from placed join pack_products p on p.shop_id = :shop and p.pack_id = placed.pack_id
       on conflict do nothing returning file_id
     )
     update files set mapping_state = 'mapped'
     where shop_id = :shop and id in (select file_id from given) and mapping_state <> 'mapped'`,
    { rows: JSON.stringify(rows) },
  )
}

/**
 * Locks packs, and returns the positions of their last files, 0 for empty packs. The lock prevents
 * two transactions from using the same position, and the pack from being deleted.
 */
async function lockPacks(
  tx: ShopScope,
  ids: readonly string[],
): Promise<Map<string, { name: string; last: number }>> {
  const packs = [...new Set(ids)]
  if (packs.length === 0) return new Map()
  await tx.query(
    'select from packs where shop_id = :shop and id = any(:packs::uuid[]) order by id for update',
    { packs },
  )
  const rows = await tx.query<{ id: string; name: string; last: number }>(
    `select id, name, coalesce((select max(m.position) from pack_files m
       where m.shop_id = packs.shop_id and m.pack_id = packs.id), 0) as last
     from packs where shop_id = :shop and id = any(:packs::uuid[])`,
    { packs },
  )
  return new Map(rows.map(({ id, name, last }) => [id, { name, last }]))
}

/** The products that these packs give, as `<product> <variant>`. */
export async function productsOfPacks(
  scope: ShopScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (ids.length === 0) return new Map()
  const rows = await scope.query<{ pack_id: string; product_id: string; variant_id: string }>(
    `select pack_id, product_id, variant_id from pack_products
     where shop_id = :shop and pack_id = any(:ids::uuid[])`,
    { ids },
  )
  const products = new Map<string, Set<string>>()
  for (const { pack_id, product_id, variant_id } of rows) {
    const given = products.get(pack_id) ?? new Set<string>()
    products.set(pack_id, given.add(`${product_id} ${variant_id}`))
  }
  return products
}
