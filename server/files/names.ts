// Names that are taken: two files of a shop never have the same one. A renamed file whose new name
// is taken is refused; one that comes back from the trash gets a number instead.
import type { ShopScope } from '../db/for-shop.ts'
import type { Change } from './drafts.ts'
import { grantNames, holdersOf, recordPreviewNames, type Wish } from './name-allocation.ts'
import { nameKey, numberedName, type Problem } from './rules.ts'

const NUMBERS_AT_ONCE = 20
const LAST_NUMBER = 10_000

export interface ResolvedName {
  problem: Problem | null
  /** The file that has the name now, and gives it up for another one. */
  from: string | null
}

export interface NameOptions {
  /** Whether this change has no effect regardless of its name: the file then keeps its name. */
  stays(at: number): boolean
  /** The preview that this is part of, an operation's UUID. */
  preview: string | null
  /** Files elsewhere that are taken to give up their names. */
  leaving: ReadonlySet<string>
}

/**
 * Says for each change what is wrong with its name; drafts of restored files may get another one.
 */
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

/**
 * An import says it in the specification's words; who renames many files has to know which name it
 * was.
 */
const duplicateOf = ({ draft }: Change): Problem => ({
  code: 'duplicate_filename',
  message: `“${draft.filename}” is taken`,
})

/**
 * The name that the change takes and has not got now, or null: renamed, or back among those whose
 * names count.
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

/** In the trash, or nowhere, once the change is made: names there are nobody's. */
const isGone = ({ record, draft }: Change): boolean =>
  draft.purged || (draft.deleted ?? record.deleted_at !== null)

/** Gives the draft the next number that is free; false: there is none. */
async function number(
  tx: ShopScope,
  { draft }: Change,
  taken: Set<string>,
  preview: string | null,
): Promise<boolean> {
  for (let from = 2; from < LAST_NUMBER; from += NUMBERS_AT_ONCE) {
    const names = Array.from({ length: NUMBERS_AT_ONCE }, (_, n) =>
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

/** Who has which name then, of those that anyone takes or gives up. */
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
