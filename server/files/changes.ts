// The only way to change existing files: writes the differences between drafts and the files'
// current records, many files per statement, and returns them as before and after. It runs inside
// the caller's transaction. A file whose row has changed since its draft was made is not written.
import { say } from '../../plugins/contract/index.ts'
import { type ShopScope, sharedRows } from '../core/db/for-shop.ts'
import { zip, firstOf } from '../core/lazy.ts'
import type { Change } from './drafts.ts'
import { addMappings, removeMappings } from './mappings.ts'
import { resolveNames } from './names.ts'
import { resolvePacks, writePacks } from './packs.ts'
import { ensurePublicAddresses } from './public-addresses.ts'
import { filenameProblem, MAX_TAGS, tagProblem, type Problem } from './rules.ts'
import { matchesPreview, deltaOf, sameList, type Ledger, type Delta } from './change-ledger.ts'
import { COLUMN_TYPES, TRANSACTION_TIME, type Column } from './file-columns.ts'
import { KEEP_NAMES } from './trash.ts'

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
  await writePacks(
    tx,
    won.flatMap(({ change: { record, draft } }) =>
      draft.pack_change ? [{ fileId: record.id, change: draft.pack_change }] : [],
    ),
  )
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

// Writes changes of files, many files per statement, but only to rows that are unchanged since they
// were read.

/**
 * Releases names that other files of the batch get, so that no two rows ever have the same name.
 * Returns the deltas that can be written, without files that another transaction changed first and
 * without files that wanted those files' names.
 */
async function releaseNames(tx: ShopScope, deltas: readonly Delta[]): Promise<readonly Delta[]> {
  const takers = new Map(
    deltas.flatMap((delta) => (delta.from === null ? [] : [[delta.from, delta]])),
  )
  if (takers.size === 0) return deltas
  const rows = await tx.query<{ id: string; row_version: string }>(
    `select id, xmin::text as row_version from files where shop_id = :shop
       and id = any(:ids::uuid[])
     order by id for update`,
    { ids: [...takers.keys()] },
  )
  const versions = new Map(rows.map(({ id, row_version }) => [id, row_version]))
  const lost = new Set<Delta>()
  for (const delta of deltas) {
    const { id } = delta.change.record
    if (!takers.has(id) || versions.get(id) === delta.row_version) continue
    for (
      let one: Delta | undefined = delta;
      one && !lost.has(one);
      one = takers.get(one.change.record.id)
    )
      lost.add(one)
  }
  const ready = deltas.filter((delta) => !lost.has(delta))
  const freed = await tx.query<{ id: string; row_version: string }>(
    // No filename contains this character.
    `update files set name_key = chr(1) || id where shop_id = :shop and id = any(:ids::uuid[])
     returning id, xmin::text as row_version`,
    { ids: ready.flatMap(({ from }) => from ?? []) },
  )
  const now = new Map(freed.map(({ id, row_version }) => [id, row_version]))
  for (const delta of ready)
    delta.row_version = now.get(delta.change.record.id) ?? delta.row_version
  return ready
}

/** Writes the rows that are unchanged since they were read, and returns their ids. */
async function writeRows(tx: ShopScope, deltas: readonly Delta[]): Promise<Set<string>> {
  const written = await purge(
    tx,
    deltas.filter(({ change }) => change.draft.purged),
  )
  const kept = deltas.filter(({ change }) => !change.draft.purged)
  // One statement for all deltas that change the same columns.
  for (const group of Map.groupBy(kept, ({ columns }) =>
    Object.keys(columns).sort().join(),
  ).values())
    written.push(...(await writeGroup(tx, group)))
  return new Set(written.map(({ id }) => id))
}

// A change of a row that was written meanwhile is refused: docs/decisions/0012.
const SAME_ROW = 'files.shop_id = :shop and files.id = o.id and files.xmin = o.row_version'
const identity = ({ change: { record }, row_version }: Delta) => ({ id: record.id, row_version })

async function purge(tx: ShopScope, deltas: readonly Delta[]): Promise<{ id: string }[]> {
  if (deltas.length === 0) return []
  const { from, bindings } = sharedRows(deltas.map(identity), IDENTITY, ['id', 'row_version'])
  return tx.query(
    `with gone as (
       delete from files using ${from} where ${SAME_ROW}
       returning files.shop_id, files.id, files.filename
     ), kept as (${KEEP_NAMES})
     select id from gone`,
    bindings,
  )
}

const IDENTITY = { id: 'uuid', row_version: 'xid' }

async function writeGroup(tx: ShopScope, group: readonly Delta[]): Promise<{ id: string }[]> {
  const names = Object.keys(firstOf(group).columns) as Column[]
  const types = Object.fromEntries(
    names.map((name) => [name, TIMES.has(name) ? 'text' : COLUMN_TYPES[name]]),
  )
  const rows = group.map((delta) => ({ ...identity(delta), ...delta.columns }))
  const { from, value, bindings } = sharedRows(rows, { ...IDENTITY, ...types }, [
    'id',
    'row_version',
  ])
  const sets = names.map(
    (name) => `${name} = ${TIMES.has(name) ? timeOf(value(name as never)) : value(name as never)}`,
  )
  if (names.includes('version'))
    sets.push(`version_since = now(), size_bytes = (select v.size_bytes from versions v
      where v.shop_id = files.shop_id and v.file_id = files.id
        and v.number = ${value('version' as never)})`)
  const written = await tx.query<{ id: string }>(
    `update files set ${sets.join(', ')} from ${from} where ${SAME_ROW} returning files.id`,
    bindings,
  )
  if (names.includes('version')) await keepVersions(tx, written)
  return written
}

/** A version that was to expire is kept when it is the file's current one again. */
async function keepVersions(tx: ShopScope, files: readonly { id: string }[]): Promise<void> {
  await tx.query(
    `update versions v set expires_at = null from files f
     where f.shop_id = :shop and f.id = any(:ids::uuid[]) and v.shop_id = f.shop_id
       and v.file_id = f.id
       and v.number = f.version and v.expires_at is not null`,
    { ids: files.map(({ id }) => id) },
  )
}

const TIMES: ReadonlySet<Column> = new Set(['deleted_at', 'updated_at'])
const timeOf = (value: string) =>
  `case when ${value} = '${TRANSACTION_TIME}' then now() else (${value})::timestamptz end`
