// Finds the names that are taken before anything is sent, so that the page can ask how to resolve
// the conflicts.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { cleanName, filenameProblem, nameKey, type Problem } from '../../files/rules.ts'

export interface CheckedName {
  filename: string
  /** The file that has this name. */
  taken: { id: string; filename: string; size_bytes: number } | null
  problem: Problem | null
}

/** Checks names and returns one answer for each, in their order. */
export async function checkNames(
  scope: ShopScope,
  filenames: readonly string[],
): Promise<CheckedName[]> {
  const rows = await scope.query<{
    name_key: string
    id: string
    filename: string
    size_bytes: number
  }>(
    `select name_key, id, filename, size_bytes from files
     where shop_id = :shop and deleted_at is null and name_key = any(:keys::text[])`,
    { keys: [...new Set(filenames.map((name) => nameKey(cleanName(name))))] },
  )
  const byKey = new Map(rows.map(({ name_key, ...file }) => [name_key, file]))
  return filenames.map((filename) => ({
    filename,
    taken: byKey.get(nameKey(cleanName(filename))) ?? null,
    problem: filenameProblem(filename),
  }))
}
