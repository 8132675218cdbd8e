// Names that are taken: two files of a shop never have the same one. A renamed file whose new name is taken is refused;
// one that comes back from the trash gets a number instead.
import type { ShopScope } from '../db/for-shop.ts'
import { AppError } from '../errors.ts'
import type { Change } from './changes.ts'
import { nameKey, numberedName, type Problem } from './rules.ts'

const NUMBERS_AT_ONCE = 20
const LAST_NUMBER = 10_000

/** Says for each change what is wrong with its name, or null; drafts of restored files may get another name. */
export async function settleNames(tx: ShopScope, changes: readonly Change[]): Promise<(Problem | null)[]> {
  const wanted = changes.map((change) => (claimsName(change) ? nameKey(change.draft.filename) : null))
  const keys = wanted.filter((key) => key !== null)
  if (keys.length === 0) return changes.map(() => null)
  const taken = await takenNames(tx, keys)
  const problems: (Problem | null)[] = []
  for (const [at, change] of changes.entries()) {
    const key = wanted[at]!
    if (key === null || !taken.has(key)) {
      if (key !== null) taken.add(key)
      problems.push(null)
    } else problems.push(await settleTaken(tx, change, taken))
  }
  return problems
}

/** It takes a name that it has not got now: renamed, or back among those whose names count. */
function claimsName({ record, draft }: Change): boolean {
  if (draft.purged || (draft.deleted ?? record.deleted_at !== null)) return false
  return record.deleted_at !== null || nameKey(draft.filename) !== nameKey(record.filename)
}

async function takenNames(tx: ShopScope, keys: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ name_key: string }>(
    `select name_key from files where shop_id = :shop and deleted_at is null and name_key = any(:keys::text[])`,
    { keys },
  )
  return new Set(rows.map(({ name_key }) => name_key))
}

async function settleTaken(tx: ShopScope, { record, draft }: Change, taken: Set<string>): Promise<Problem | null> {
  if (record.deleted_at === null)
    return { code: 'duplicate_filename', message: new AppError('duplicate_filename').message }
  for (let from = 2; from < LAST_NUMBER; from += NUMBERS_AT_ONCE) {
    const names = Array.from({ length: NUMBERS_AT_ONCE }, (_, n) => numberedName(draft.filename, from + n))
    const there = await takenNames(tx, names.map(nameKey))
    const free = names.find((name) => !there.has(nameKey(name)) && !taken.has(nameKey(name)))
    if (free === undefined) continue
    draft.filename = free
    taken.add(nameKey(free))
    return null
  }
  return { code: 'duplicate_filename', message: new AppError('duplicate_filename').message }
}
