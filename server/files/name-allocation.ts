// Who gets which name, where several files get new ones at once. A name is free when nobody has it, or when whoever has it gets
// another one in the same breath: so two files can swap, and a whole row of them can move by one.
import type { ShopScope } from '../db/for-shop.ts'

/** A file that is to have another name. Names are compared by their keys. */
export interface Wish {
  /** The file's bare UUID. */
  id: string
  /** What it gives up; null: it comes out of the trash, where names count for nothing. */
  has: string | null
  wants: string
}

/**
 * Says of each wish whether it is granted, in their order. Of several for one name the first counts. A file whose wish is refused
 * keeps the name that it has, so whoever wants that is refused too.
 * @param holders who has a name that is wanted, by its key
 */
export function grantNames(wishes: readonly Wish[], holders: ReadonlyMap<string, string>): boolean[] {
  const firsts = new Map<string, number>()
  const byFile = new Map<string, number>()
  wishes.forEach(({ id, has, wants }, at) => {
    if (!firsts.has(wants)) firsts.set(wants, at)
    if (has !== null) byFile.set(id, at)
  })
  const granted: (boolean | undefined)[] = wishes.map(({ wants }, at) => (firsts.get(wants) === at ? undefined : false))
  for (let start = 0; start < wishes.length; start++) {
    const path: number[] = []
    const onPath = new Set<number>()
    let at = start
    let verdict = granted[at]
    while (verdict === undefined) {
      path.push(at)
      onPath.add(at)
      const holder = holders.get(wishes[at]!.wants)
      const next = holder === undefined ? undefined : byFile.get(holder)
      if (holder === undefined) verdict = true
      else if (next === undefined) verdict = false
      // All of the circle get what they want, each from the next.
      else if (onPath.has(next)) verdict = true
      else verdict = granted[(at = next)]
    }
    for (const one of path) granted[one] = verdict
  }
  return granted as boolean[]
}

/** Who has these names: live files, by the names' keys. `preview`: as that operation has foreseen it so far. */
export async function holdersOf(
  scope: ShopScope,
  keys: readonly string[],
  preview: string | null = null,
): Promise<Map<string, string>> {
  const rows = await scope.query<{ name_key: string; id: string }>(
    'select name_key, id from name_holders(:shop, :keys::text[])',
    { keys },
  )
  const holders = new Map(rows.map(({ name_key, id }) => [name_key, id]))
  if (preview === null) return holders
  const foreseen = await scope.query<{ name_key: string; file_id: string | null }>(
    `select name_key, file_id from foreseen_names
     where shop_id = :shop and operation_id = :preview and name_key = any(:keys::text[])`,
    { preview, keys },
  )
  for (const { name_key, file_id } of foreseen)
    if (file_id === null) holders.delete(name_key)
    else holders.set(name_key, file_id)
  return holders
}

/** Keeps what a preview has found out about names, for its next batches. null: nobody has the name then. */
export async function noteForeseen(
  tx: ShopScope,
  preview: string,
  names: ReadonlyMap<string, string | null>,
): Promise<void> {
  if (names.size === 0) return
  await tx.query(
    `insert into foreseen_names (shop_id, operation_id, name_key, file_id)
     select :shop, :preview, key, file from unnest(:keys::text[], :files::uuid[]) as t(key, file)
     on conflict (shop_id, operation_id, name_key) do update set file_id = excluded.file_id`,
    { preview, keys: [...names.keys()], files: [...names.values()] },
  )
}
