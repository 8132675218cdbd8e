// Names with a number, `guide (2).pdf`, for files whose names are taken.
import type { ShopScope } from '../core/db/for-shop.ts'
import { findNameOwners } from './name-allocation.ts'
import { nameKey, numberedName } from './rules.ts'
import { firstOf, zip } from '../core/lazy.ts'

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
  const sameNames = Map.groupBy(filenames.entries(), ([, filename]) => nameKey(filename))
  const groups = [...sameNames.values()].map((group) => {
    const [, filename] = firstOf(group)
    const count = MIN_NUMBERS + group.length
    return { group, keys: numberedNames(filename, FIRST_NUMBER, count).map(nameKey) }
  })
  const taken = await findNameOwners(
    tx,
    groups.flatMap(({ keys }) => keys),
  )
  const names: (string | null)[] = filenames.map(() => null)
  for (const { group, keys } of groups) {
    const free = keys.flatMap((key, n) => (taken.has(key) ? [] : [FIRST_NUMBER + n]))
    const named = group.slice(0, free.length)
    for (const [[at, filename], number] of zip(named, free.slice(0, named.length)))
      names[at] = numberedName(filename, number)
  }
  return names
}
