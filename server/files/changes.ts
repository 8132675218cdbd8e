// The only way to change existing files: writes the differences between drafts and the files'
// current records, many files per statement, and returns them as before and after. It runs inside
// the caller's transaction. A file whose row has changed since its draft was made is not written.
import { say } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Change } from './drafts.ts'
import { addMappings, removeMappings } from './mappings.ts'
import { resolveNames } from './names.ts'
import { resolvePacks } from './packs.ts'
import { ensurePublicAddresses } from './public-addresses.ts'
import { filenameProblem, MAX_TAGS, tagProblem, type Problem } from './rules.ts'
import { releaseNames, writeRows } from './write-changes.ts'
import { matchesPreview, deltaOf, sameList, type Ledger, type Delta } from './change-ledger.ts'
import { zip } from '../core/present.ts'

export type ChangeResult =
  | { status: 'changed'; ledger: Ledger }
  | { status: 'same' }
  | { status: 'drifted' }
  /**
   * Another transaction wrote the file after it was read: nothing was changed, and the caller may
   * retry.
   */
  | { status: 'overtaken' }
  | ({ status: 'refused' } & Problem)

interface ChangeOptions {
  /** Whether to write; false: only the results are found. */
  write?: boolean
  /**
   * The preview that this batch is part of, an operation's UUID: a batch sees the names that
   * earlier batches have planned.
   */
  preview?: string | null
  /** Files outside this batch that are assumed to give up their names. */
  leaving?: ReadonlySet<string>
}

/**
 * Returns the result of each change, in the order given. A refused change changes nothing and does
 * not affect the others.
 */
export async function changeFiles(
  tx: ShopScope,
  changes: readonly Change[],
  { write = true, preview = null, leaving = new Set() }: ChangeOptions = {},
): Promise<ChangeResult[]> {
  const packed = await resolvePacks(tx, changes, write)
  const verdicts = changes.map((change, at): Verdict | null => {
    const problem = packed[at] ?? problemOf(change)
    if (problem) return refused(problem)
    // A restored file may get another name: its changes are found after that.
    return isRestored(change) ? null : judge(change)
  })
  // A change without effect keeps its name, which other changes may want.
  const stays = (at: number) => verdicts[at]?.delta === null
  const named = await resolveNames(tx, changes, { stays, preview, leaving })
  const deltas: (Delta | null)[] = []
  const results = zip(changes, named).map(([change, { problem, from }], at): ChangeResult => {
    const { result, delta } = problem ? refused(problem) : (verdicts[at] ?? judge(change))
    if (delta) delta.from = from
    deltas.push(delta)
    return result
  })
  if (!write) return results
  const wanted = await releaseNames(
    tx,
    deltas.filter((delta) => delta !== null),
  )
  const written = await writeRows(tx, wanted)
  const won = wanted.filter(({ change }) => written.has(change.record.id))
  await removeMappings(tx, pairs(won, 'removed'))
  await addMappings(tx, pairs(won, 'added'))
  const shown = won.filter(({ columns }) => columns.visibility === 'public')
  await ensurePublicAddresses(
    tx,
    shown.map(({ change }) => change.record.id),
  )
  return results.map((result, at) =>
    deltas[at] && !written.has(deltas[at].change.record.id) ? OVERTAKEN : result,
  )
}

interface Verdict {
  result: ChangeResult
  /** What will be written, if anything. */
  delta: Delta | null
}

const refused = (problem: Problem): Verdict => ({
  result: { status: 'refused', ...problem },
  delta: null,
})

/** The result of a change if its name is free. */
function judge(change: Change): Verdict {
  const delta = deltaOf(change)
  if (change.promised && !matchesPreview(change.promised, delta?.ledger ?? null))
    return { result: { status: 'drifted' }, delta: null }
  return { result: delta ? { status: 'changed', ledger: delta.ledger } : { status: 'same' }, delta }
}

const isRestored = ({ record, draft }: Change): boolean =>
  record.deleted_at !== null && draft.deleted === false

const OVERTAKEN: ChangeResult = { status: 'overtaken' }

function problemOf({ record, draft }: Change): Problem | null {
  const wrong = draft.filename === record.filename ? null : filenameProblem(draft.filename)
  if (wrong || sameList(draft.tags, record.tags)) return wrong
  if (draft.tags.length > MAX_TAGS)
    return {
      code: 'invalid_tag',
      message: say('A file has at most {count} tags', { count: MAX_TAGS }),
    }
  return draft.tags.map(tagProblem).find((problem) => problem !== null) ?? null
}

const pairs = <Which extends 'added' | 'removed'>(deltas: readonly Delta[], which: Which) =>
  deltas.flatMap((delta) =>
    delta[which].map((mapping) => ({ fileId: delta.change.record.id, mapping })),
  )
