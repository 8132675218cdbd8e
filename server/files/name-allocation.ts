// Decides which files get which names when several are renamed together. A name is free if no file
// has it, or if the file that has it gets another one in the same batch: two files can swap names,
// and a series can shift by one.
import type { ShopScope } from '../core/db/for-shop.ts'
import { elementAt } from '../core/lazy.ts'

/** A file to rename. Names are compared by their keys. */
export interface NameRequest {
  /** The file's bare UUID. */
  id: string
  /** Its current name; null: it is restored from the trash, where names are not unique. */
  currentKey: string | null
  wantedKey: string
}

/**
 * Returns for each request, in order, whether it is granted. Of several requests for one name the
 * first wins. A file whose request is refused keeps its name, so the requests for that name are
 * refused too.
 * @param owners the file that has each wanted name, by the name's key
 */
export function grantNames(
  requests: readonly NameRequest[],
  owners: ReadonlyMap<string, string>,
): boolean[] {
  const firsts = new Map<string, number>()
  const byFile = new Map<string, number>()
  requests.forEach(({ id, currentKey, wantedKey }, at) => {
    if (!firsts.has(wantedKey)) firsts.set(wantedKey, at)
    if (currentKey !== null) byFile.set(id, at)
  })
  const granted: (boolean | undefined)[] = requests.map(({ wantedKey }, at) =>
    firsts.get(wantedKey) === at ? undefined : false,
  )
  for (let start = 0; start < requests.length; start++) {
    const path: number[] = []
    const onPath = new Set<number>()
    let at = start
    let verdict = granted[at]
    while (verdict === undefined) {
      path.push(at)
      onPath.add(at)
      const owner = owners.get(elementAt(requests, at).wantedKey)
      const next = owner === undefined ? undefined : byFile.get(owner)
      if (owner === undefined) verdict = true
      else if (next === undefined) verdict = false
      // A cycle: each file gets the name of the next one, so all are granted.
      else if (onPath.has(next)) verdict = true
      else verdict = granted[(at = next)]
    }
    for (const one of path) granted[one] = verdict
  }
  return granted as boolean[]
}

/**
 * The files that have these names, by the names' keys; trash excluded. `preview`: the operation
 * whose planned renames apply first.
 */
export async function findNameOwners(
  scope: ShopScope,
  keys: readonly string[],
  preview: string | null = null,
): Promise<Map<string, string>> {
  const rows = await scope.query<{ name_key: string; id: string }>(
    'select name_key, id from name_holders(:shop, :keys::text[])',
    { keys },
  )
  const owners = new Map(rows.map(({ name_key, id }) => [name_key, id]))
  if (preview === null) return owners
  const previewed = await scope.query<{ name_key: string; file_id: string | null }>(
    `select name_key, file_id from preview_names
     where shop_id = :shop and operation_id = :preview and name_key = any(:keys::text[])`,
    { preview, keys },
  )
  for (const { name_key, file_id } of previewed)
    if (file_id === null) owners.delete(name_key)
    else owners.set(name_key, file_id)
  return owners
}

/** Records names that a preview has planned, for its next batches. null: the name would be free. */
export async function recordPreviewNames(
  tx: ShopScope,
  preview: string,
  names: ReadonlyMap<string, string | null>,
): Promise<void> {
  if (names.size === 0) return
  await tx.query(
    `insert into preview_names (shop_id, operation_id, name_key, file_id)
     select :shop, :preview, key, file from unnest(:keys::text[], :files::uuid[]) as t(key, file)
     on conflict (shop_id, operation_id, name_key) do update set file_id = excluded.file_id`,
    { preview, keys: [...names.keys()], files: [...names.values()] },
  )
}
