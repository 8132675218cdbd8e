// Names with a number, `guide (2).pdf`, for files whose names are taken.
import type { ShopScope } from '../core/db/for-shop.ts'
import { findNameOwners } from './name-allocation.ts'
import { nameKey, numberedName } from './rules.ts'

export const FIRST_NUMBER = 2
export const MIN_NUMBERS = 20

/** `guide (2).pdf` and the names after it. */
export const numberedNames = (filename: string, from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => numberedName(filename, from + n))

/**
 * Returns for each filename the lowest numbered name that no file has and no earlier filename of
 * the list gets; null if the first numbers are all taken. One query serves all. Another transaction
 * may still take the name.
 */
export async function freeNames(
  tx: ShopScope,
  filenames: readonly string[],
): Promise<(string | null)[]> {
  const groups = [...Map.groupBy(filenames.keys(), (at) => nameKey(filenames[at]!)).values()]
  const keysOf = groups.map((group) =>
    numberedNames(filenames[group[0]!]!, FIRST_NUMBER, MIN_NUMBERS + group.length).map(nameKey),
  )
  const taken = await findNameOwners(tx, keysOf.flat())
  const names: (string | null)[] = filenames.map(() => null)
  groups.forEach((group, g) => {
    const free = keysOf[g]!.flatMap((key, n) => (taken.has(key) ? [] : [FIRST_NUMBER + n]))
    for (const at of group.slice(0, free.length))
      names[at] = numberedName(filenames[at]!, free.shift()!)
  })
  return names
}
