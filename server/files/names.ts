// Taken names: no two files of a shop have the same name. A renamed file whose new name is taken is
// refused; a file that is restored from the trash gets a number instead.
import type { ShopScope } from '../db/for-shop.ts'
import type { Change } from './drafts.ts'
import { grantNames, holdersOf, recordPreviewNames, type Wish } from './name-allocation.ts'
import { nameKey, numberedName, type Problem } from './rules.ts'

const NUMBER_BATCH = 20
const LAST_NUMBER = 10_000

export interface ResolvedName {
  problem: Problem | null
  /** The file that has the name now, and gives it up for another one. */
  from: string | null
}

export interface NameOptions {
  /** Whether this change has no effect regardless of its name: the file then keeps its name. */
  stays(at: number): boolean
  /** The preview that this batch is part of, an operation's UUID. */
  preview: string | null
  /** Files outside this batch that are assumed to give up their names. */
  leaving: ReadonlySet<string>
}

/** Gives for each change the problem of its name; drafts of restored files may get another name. */
export async function resolveNames(
  tx: ShopScope,
  changes: readonly Change[],
  { stays, preview, leaving }: NameOptions,
): Promise<ResolvedName[]> {
  const settled: ResolvedName[] = changes.map(() => ({ problem: null, from: null }))
  const wishes = new Map<number, Wish>()
  for (const [at, change] of changes.entries()) {
    const wish = stays(at) ? null : wishOf(change)
    if (wish) wishes.set(at, wish)
  }
  const all = [...wishes.values()]
  // prettier-ignore
  const holders = all.length > 0 ? await holdersOf(tx, all.map(({ wants }) => wants), preview) : new Map<string, string>()
  for (const [key, holder] of holders) if (leaving.has(holder)) holders.delete(key)
  const granted = grantNames(all, holders)
  const taken = new Set(all.filter((_, n) => granted[n]).map(({ wants }) => wants))
  for (const [n, [at, { has, wants }]] of [...wishes].entries()) {
    if (granted[n]) settled[at]!.from = holders.get(wants) ?? null
    else if (has !== null || !(await number(tx, changes[at]!, taken, preview)))
      settled[at]!.problem = duplicateOf(changes[at]!)
  }
  if (preview !== null) await recordPreviewNames(tx, preview, outcomeOf(changes, settled, stays))
  return settled
}

/** Imports use the specification's words; a rename of many files names the filename. */
const duplicateOf = ({ draft }: Change): Problem => ({
  code: 'duplicate_filename',
  message: `“${draft.filename}” is taken`,
})

/**
 * The name that the change takes and that its file does not have now, or null: the file is renamed
 * or restored.
 */
export function wishOf(change: Change): Wish | null {
  if (isGone(change)) return null
  const { record, draft } = change
  const restored = record.deleted_at !== null
  if (!restored && draft.filename === record.filename) return null
  const has = restored ? null : nameKey(record.filename)
  const wants = nameKey(draft.filename)
  return has === wants ? null : { id: record.id, has, wants }
}

/** In the trash or purged after the change: its name is free. */
const isGone = ({ record, draft }: Change): boolean =>
  draft.purged || (draft.deleted ?? record.deleted_at !== null)

/** Gives the draft the next free number; false: there is none. */
async function number(
  tx: ShopScope,
  { draft }: Change,
  taken: Set<string>,
  preview: string | null,
): Promise<boolean> {
  for (let from = 2; from < LAST_NUMBER; from += NUMBER_BATCH) {
    const names = Array.from({ length: NUMBER_BATCH }, (_, n) =>
      numberedName(draft.filename, from + n),
    )
    const there = await holdersOf(tx, names.map(nameKey), preview)
    const free = names.find((name) => !there.has(nameKey(name)) && !taken.has(nameKey(name)))
    if (free === undefined) continue
    draft.filename = free
    taken.add(nameKey(free))
    return true
  }
  return false
}

/** The holders of all names that a change takes or gives up, after the granted changes. */
function outcomeOf(
  changes: readonly Change[],
  settled: readonly ResolvedName[],
  stays: NameOptions['stays'],
): Map<string, string | null> {
  const names = new Map<string, string | null>()
  const moving = changes.filter(
    (change, at) =>
      !stays(at) && settled[at]!.problem === null && (isGone(change) || wishOf(change) !== null),
  )
  for (const { record } of moving)
    if (record.deleted_at === null) names.set(nameKey(record.filename), null)
  for (const change of moving)
    if (!isGone(change)) names.set(nameKey(change.draft.filename), change.record.id)
  return names
}
