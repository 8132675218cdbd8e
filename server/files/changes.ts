// The only way to change existing files: what a draft changes in the file's present record is
// written, for many files per statement, and recorded as before and after. It runs inside the
// caller's transaction. A file whose row is not the one that the draft was made from is left
// unchanged.
import { isDeepStrictEqual } from 'node:util'
import {
  SETTING_NAMES,
  settingColumns,
  type SettingName,
  type Mapping,
} from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { sharedRows } from '../db/shared-rows.ts'
import type { ErrorCode } from '../errors.ts'
import type { Change } from './drafts.ts'
import { addMappings, removeMappings } from './mappings.ts'
import { resolveNames } from './names.ts'
import { resolvePacks } from './packs.ts'
import { ensurePublicAddresses } from './public-addresses.ts'
import type { KeptMapping } from './records.ts'
import {
  extensionOf,
  contentTypeOf,
  filenameProblem,
  MAX_TAGS,
  nameKey,
  tagProblem,
  type Problem,
} from './rules.ts'

/**
 * The fields that changed, before and after. `after` has tags and mappings as added and removed.
 */
export interface Ledger {
  before: Record<string, unknown>
  after: Record<string, unknown>
}

export type Changed =
  | { status: 'changed'; ledger: Ledger }
  | { status: 'same' }
  | { status: 'drifted' }
  /**
   * Another transaction wrote the file after it was read: nothing was changed, and the caller may
   * retry.
   */
  | { status: 'overtaken' }
  | { status: 'refused'; code: ErrorCode; message: string }

const isOneValue = (name: SettingName): name is Exclude<SettingName, 'allowed_referrers'> =>
  settingColumns()[name] !== 'text[]'

const PLAIN = ['filename', ...SETTING_NAMES.filter(isOneValue), 'version', 'mapping_state'] as const

const COLUMN_TYPES = {
  filename: 'text',
  name_key: 'text',
  extension: 'text',
  content_type: 'text',
  ...settingColumns(),
  tags: 'text[]',
  version: 'int',
  size_bytes: 'bigint',
  mapping_state: 'text',
  pack_id: 'uuid',
  pack_position: 'int',
  deleted_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const

type Column = keyof typeof COLUMN_TYPES
type Columns = Partial<Record<Column, unknown>>

interface Delta {
  change: Change
  columns: Columns
  ledger: Ledger
  /**
   * The version of the row on which the change was made; a row with another version is not written.
   */
  row_version: string
  /** The file that has its new name at present. */
  from: string | null
  added: (Mapping & { created_at?: string })[]
  removed: KeptMapping[]
}

interface Looking {
  /** false: only finds the result, and writes nothing. */
  write?: boolean
  /**
   * The preview that this batch is part of, an operation's UUID: its batches see what earlier ones
   * have found.
   */
  preview?: string | null
  /** Files outside this batch that are assumed to give up their names. */
  leaving?: ReadonlySet<string>
}

/**
 * Gives the result of each change, in the order given. A refused change changes nothing and does
 * not affect the others.
 */
export async function changeFiles(
  tx: ShopScope,
  changes: readonly Change[],
  { write = true, preview = null, leaving = new Set() }: Looking = {},
): Promise<Changed[]> {
  const packed = await resolvePacks(tx, changes, write)
  const verdicts = changes.map((change, at): Verdict | null => {
    const problem = packed[at] ?? problemOf(change)
    if (problem) return refused(problem)
    // A restored file may get another name: it is judged with that name.
    return isRestored(change) ? null : judge(change)
  })
  // A change without effect keeps its name, which other changes may want.
  const stays = (at: number) => verdicts[at]?.delta === null
  const named = await resolveNames(tx, changes, { stays, preview, leaving })
  const deltas: (Delta | null)[] = []
  const results = changes.map((change, at): Changed => {
    const { problem, from } = named[at]!
    const { result, delta } = problem ? refused(problem) : (verdicts[at] ?? judge(change))
    if (delta) delta.from = from
    deltas.push(delta)
    return result
  })
  if (!write) return results
  const wanted = await freeNames(
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
  result: Changed
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
  if (change.promised && !keepsPromise(change.promised, delta?.ledger ?? null))
    return { result: { status: 'drifted' }, delta: null }
  return { result: delta ? { status: 'changed', ledger: delta.ledger } : { status: 'same' }, delta }
}

const isRestored = ({ record, draft }: Change): boolean =>
  record.deleted_at !== null && draft.deleted === false

const OVERTAKEN: Changed = { status: 'overtaken' }

/** What would change, without changing it; null: nothing. */
export const ledgerOf = (change: Change): Ledger | null => deltaOf(change)?.ledger ?? null

/**
 * Is this what the preview found? Ignores the times of change and deletion and the position in a
 * pack.
 */
export function keepsPromise(
  [before, after]: readonly [unknown, unknown],
  ledger: Ledger | null,
): boolean {
  const [promised, is] = [comparable(after), comparable(asStored(ledger?.after))]
  // A pack that was created since the preview has an id now.
  if (!('pack_id' in promised) && 'pack' in ((after ?? {}) as object)) delete is.pack_id
  return (
    isDeepStrictEqual(promised, is) &&
    isDeepStrictEqual(comparable(before), comparable(asStored(ledger?.before)))
  )
}

const PASSING = ['updated_at', 'deleted_at', 'link', 'created_files', 'pack', 'pack_position']

function comparable(fields: unknown): Record<string, unknown> {
  const rest = { ...(fields as Record<string, unknown> | null) }
  for (const name of PASSING) delete rest[name]
  return rest
}

/** The value as the database would return it. */
const asStored = (value: unknown): unknown =>
  value === undefined ? null : JSON.parse(JSON.stringify(value))

function problemOf({ record, draft }: Change): { code: ErrorCode; message: string } | null {
  const wrong = draft.filename === record.filename ? null : filenameProblem(draft.filename)
  if (wrong || sameList(draft.tags, record.tags)) return wrong
  if (draft.tags.length > MAX_TAGS)
    return { code: 'invalid_tag', message: `A file has at most ${MAX_TAGS} tags` }
  return draft.tags.map(tagProblem).find((problem) => problem !== null) ?? null
}

function deltaOf(change: Change): Delta | null {
  const { record, draft } = change
  const delta: Delta = {
    ...{ change, columns: {}, ledger: { before: {}, after: {} }, added: [], removed: [] },
    ...{ row_version: record.row_version, from: null },
  }
  if (draft.purged) {
    delta.ledger = { before: { filename: record.filename }, after: { purged: true } }
    return delta
  }
  recordMappings(delta)
  for (const field of PLAIN) {
    const value = draft[field]
    if (value !== undefined && value !== record[field])
      recordField(delta, field, record[field], value)
  }
  recordSize(delta)
  if (!sameList(draft.allowed_referrers, record.allowed_referrers))
    recordField(delta, 'allowed_referrers', record.allowed_referrers, draft.allowed_referrers)
  recordTags(delta)
  recordPack(delta)
  recordTrash(delta)
  recordName(delta)
  const touched = Object.keys(delta.ledger.after).length > 0
  if (!touched) return null
  delta.ledger.before.updated_at = record.updated_at
  delta.columns.updated_at = draft.updated_at ?? NOW
  return delta
}

/** Columns that follow from the name; the type follows from the extension alone. */
function recordName({ change: { record, draft }, columns }: Delta): void {
  if (draft.filename === record.filename) return
  columns.name_key = nameKey(draft.filename)
  const extension = extensionOf(draft.filename)
  if (extension === extensionOf(record.filename)) return
  columns.extension = extension
  columns.content_type = contentTypeOf(draft.filename)
}

/** Placeholder for the transaction's time. */
const NOW = 'now'

function recordField(delta: Delta, field: Column, before: unknown, after: unknown): void {
  delta.ledger.before[field] = before
  delta.ledger.after[field] = after
  delta.columns[field] = after
}

/** The size is the version's. */
function recordSize({ change: { record, draft }, columns, ledger }: Delta): void {
  if (columns.version === undefined || draft.size_bytes === undefined) return
  ledger.before.size_bytes = record.size_bytes
  ledger.after.size_bytes = draft.size_bytes
}

function recordTags(delta: Delta): void {
  const { record, draft } = delta.change
  const added = draft.tags.filter((tag) => !record.tags.includes(tag))
  const removed = record.tags.filter((tag) => !draft.tags.includes(tag))
  if (added.length === 0 && removed.length === 0) return
  delta.columns.tags = draft.tags
  // Also as a list, so that an undo restores their order if nobody else changed them.
  delta.ledger.before.tags = record.tags
  delta.ledger.after.tags = { added, removed }
}

const targetOf = ({ product_id, variant_id }: Pick<Mapping, 'product_id' | 'variant_id'>) =>
  `${product_id} ${variant_id ?? ''}`

function recordMappings(delta: Delta): void {
  const { record, draft } = delta.change
  if (record.mappings.length === 0 && draft.mappings.length === 0) return
  const [had, has] = [new Set(record.mappings.map(targetOf)), new Set(draft.mappings.map(targetOf))]
  delta.added = draft.mappings.filter((mapping) => !had.has(targetOf(mapping)))
  delta.removed = record.mappings.filter((mapping) => !has.has(targetOf(mapping)))
  if (delta.added.length === 0 && delta.removed.length === 0) return
  delta.ledger.after.mappings = { added: delta.added, removed: delta.removed }
  draft.mapping_state ??= has.size > 0 ? 'mapped' : 'unmapped'
}

/**
 * An undo restores the place in the pack, and drift ignores it; the packs' names are for people.
 */
function recordPack(delta: Delta): void {
  const { record, draft } = delta.change
  // Only in a preview: the pack does not exist yet.
  const unmade = draft.new_pack !== undefined && draft.pack_id === undefined
  if (!unmade && (draft.pack_id === undefined || draft.pack_id === record.pack_id)) return
  if (unmade) delta.ledger.before.pack_id = record.pack_id
  else {
    recordField(delta, 'pack_id', record.pack_id, draft.pack_id)
    delta.ledger.before.pack_position = record.pack_position
    delta.columns.pack_position = draft.pack_position ?? null
  }
  delta.ledger.after.pack = draft.pack_names ?? { from: null, to: draft.new_pack ?? null }
}

function recordTrash(delta: Delta): void {
  const { record, draft } = delta.change
  const was = record.deleted_at !== null
  if (draft.deleted === undefined || draft.deleted === was) return
  delta.ledger.before.deleted = was
  if (was) delta.ledger.before.deleted_at = record.deleted_at
  delta.ledger.after.deleted = draft.deleted
  delta.columns.deleted_at = draft.deleted ? (draft.deleted_at ?? NOW) : null
}

const sameList = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, at) => one === b[at])

const pairs = <Which extends 'added' | 'removed'>(deltas: readonly Delta[], which: Which) =>
  deltas.flatMap((delta) =>
    delta[which].map((mapping) => ({ fileId: delta.change.record.id, mapping })),
  )

/**
 * Releases names that other files of the batch get, so that no two rows ever have the same name.
 * Returns the deltas that can be written, without files that another transaction changed first and
 * without files that wanted those files' names.
 */
async function freeNames(tx: ShopScope, deltas: readonly Delta[]): Promise<readonly Delta[]> {
  const takers = new Map(
    deltas.flatMap((delta) => (delta.from === null ? [] : [[delta.from, delta]])),
  )
  if (takers.size === 0) return deltas
  const rows = await tx.query<{ id: string; row_version: string }>(
    `select id, xmin::text as row_version from files where shop_id = :shop and id = any(:ids::uuid[])
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

/** Writes the rows that are unchanged since they were read, and gives their ids. */
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

const SAME_ROW = 'files.shop_id = :shop and files.id = o.id and files.xmin = o.row_version'
const identity = ({ change: { record }, row_version }: Delta) => ({ id: record.id, row_version })

async function purge(tx: ShopScope, deltas: readonly Delta[]): Promise<{ id: string }[]> {
  if (deltas.length === 0) return []
  const { from, bindings } = sharedRows(deltas.map(identity), IDENTITY, ['id', 'row_version'])
  return tx.query(`delete from files using ${from} where ${SAME_ROW} returning files.id`, bindings)
}

const IDENTITY = { id: 'uuid', row_version: 'xid' }

async function writeGroup(tx: ShopScope, group: readonly Delta[]): Promise<{ id: string }[]> {
  const names = Object.keys(group[0]!.columns) as Column[]
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
      where v.shop_id = files.shop_id and v.file_id = files.id and v.number = ${value('version' as never)})`)
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
     where f.shop_id = :shop and f.id = any(:ids::uuid[]) and v.shop_id = f.shop_id and v.file_id = f.id
       and v.number = f.version and v.expires_at is not null`,
    { ids: files.map(({ id }) => id) },
  )
}

const TIMES: ReadonlySet<Column> = new Set(['deleted_at', 'updated_at'])
const timeOf = (value: string) =>
  `case when ${value} = '${NOW}' then now() else (${value})::timestamptz end`
