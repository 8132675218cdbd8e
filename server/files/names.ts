// Resolves names of changed files: no two files of a shop have the same name. A rename to a taken
// name is refused; a file that is restored from the trash gets a number instead.
import { say } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Change } from './drafts.ts'
import {
  grantNames,
  findNameOwners,
  recordPreviewNames,
  type NameRequest,
} from './name-allocation.ts'
import { nameKey, numberedName, type Problem } from './rules.ts'
import { zip } from '../core/lazy.ts'

const NUMBER_BATCH = 20
const LAST_NUMBER = 10_000

export interface ResolvedName {
  problem: Problem | null
  /** The file that has the name now, and gives it up for another one. */
  from: string | null
}

/** A change while its name is resolved. */
interface NameChange {
  change: Change
  stays: boolean
  resolved: ResolvedName
}

export interface NameOptions {
  /** Whether this change has no effect regardless of its name: the file then keeps its name. */
  stays(at: number): boolean
  /** The preview that this batch is part of, an operation's UUID. */
  preview: string | null
  /** Files outside this batch that are assumed to give up their names. */
  leaving: ReadonlySet<string>
}

/**
 * Returns for each change the problem of its name; drafts of restored files may get another name.
 */
export async function resolveNames(
  tx: ShopScope,
  changes: readonly Change[],
  { stays, preview, leaving }: NameOptions,
): Promise<ResolvedName[]> {
  const namings = changes.map((change, at): NameChange => ({
    change,
    stays: stays(at),
    resolved: { problem: null, from: null },
  }))
  const renames = namings.flatMap(({ change, stays, resolved }) => {
    const request = stays ? null : nameRequestOf(change)
    return request ? [{ change, request, resolved }] : []
  })
  const all = renames.map(({ request }) => request)
  // oxfmt-ignore
  const owners = all.length > 0 ? await findNameOwners(tx, all.map(({ wantedKey }) => wantedKey), preview) : new Map<string, string>()
  for (const [key, owner] of owners) if (leaving.has(owner)) owners.delete(key)
  const granted = grantNames(all, owners)
  const taken = new Set(all.filter((_, n) => granted[n]).map(({ wantedKey }) => wantedKey))
  for (const [{ change, request, resolved }, isGranted] of zip(renames, granted)) {
    if (isGranted) resolved.from = owners.get(request.wantedKey) ?? null
    else if (request.currentKey !== null || !(await assignNumber(tx, change, taken, preview)))
      resolved.problem = duplicateOf(change)
  }
  if (preview !== null) await recordPreviewNames(tx, preview, outcomeOf(namings))
  return namings.map(({ resolved }) => resolved)
}

/** Names the filename, because a rename changes many files. */
const duplicateOf = ({ draft }: Change): Problem => ({
  code: 'duplicate_filename',
  message: say('“{name}” is taken', { name: draft.filename }),
})

/**
 * The name that the change takes and that its file does not have now, or null: the file is renamed
 * or restored.
 */
export function nameRequestOf(change: Change): NameRequest | null {
  if (isGone(change)) return null
  const { record, draft } = change
  const restored = record.deleted_at !== null
  if (!restored && draft.filename === record.filename) return null
  const currentKey = restored ? null : nameKey(record.filename)
  const wantedKey = nameKey(draft.filename)
  return currentKey === wantedKey ? null : { id: record.id, currentKey, wantedKey }
}

/** Whether the file is in the trash or purged after the change, so that its name is free. */
const isGone = ({ record, draft }: Change): boolean =>
  draft.purged || (draft.deleted ?? record.deleted_at !== null)

/** Gives the draft the next free number; false: there is none. */
async function assignNumber(
  tx: ShopScope,
  { draft }: Change,
  taken: Set<string>,
  preview: string | null,
): Promise<boolean> {
  for (let from = 2; from < LAST_NUMBER; from += NUMBER_BATCH) {
    const names = Array.from({ length: NUMBER_BATCH }, (_, n) =>
      numberedName(draft.filename, from + n),
    )
    const there = await findNameOwners(tx, names.map(nameKey), preview)
    const free = names.find((name) => !there.has(nameKey(name)) && !taken.has(nameKey(name)))
    if (free === undefined) continue
    draft.filename = free
    taken.add(nameKey(free))
    return true
  }
  return false
}

/** The owners of all names that a change takes or gives up, after the granted changes. */
function outcomeOf(namings: readonly NameChange[]): Map<string, string | null> {
  const names = new Map<string, string | null>()
  const moving = namings.filter(
    ({ change, stays, resolved }) =>
      !stays && resolved.problem === null && (isGone(change) || nameRequestOf(change) !== null),
  )
  for (const { record } of moving.map(({ change }) => change))
    if (record.deleted_at === null) names.set(nameKey(record.filename), null)
  for (const { change } of moving)
    if (!isGone(change)) names.set(nameKey(change.draft.filename), change.record.id)
  return names
}
