// Finds what a draft changes in the file's record, as columns to write and as before and after;
// writes nothing.
import { isDeepStrictEqual } from 'node:util'
import {
  isLinkFile,
  SETTING_NAMES,
  settingColumns,
  type SettingName,
  type Mapping,
} from '../../plugins/contract/index.ts'
import type { Change, KeptMapping } from './drafts.ts'
import type { ChangedPacks } from './pack-places.ts'
import { extensionOf, contentTypeOf, nameKey } from './rules.ts'
import { TRANSACTION_TIME, type Column, type FileColumns } from './file-columns.ts'

/**
 * The fields that changed, before and after. `after` has tags and mappings as added and removed.
 */
export interface Ledger {
  before: Record<string, unknown>
  after: Record<string, unknown>
}

const isOneValue = (name: SettingName): name is Exclude<SettingName, 'allowed_referrers'> =>
  settingColumns()[name] !== 'text[]'

const PLAIN = ['filename', ...SETTING_NAMES.filter(isOneValue), 'version', 'mapping_state'] as const

export interface Delta {
  change: Change
  columns: FileColumns
  ledger: Ledger
  /**
   * The version of the row on which the change was made; a row with another version is not written.
   */
  row_version: string
  /** The file that currently has its new name. */
  from: string | null
  added: (Mapping & { created_at?: string })[]
  removed: KeptMapping[]
}

/** The changes that a draft would make; null: none. */
export const ledgerOf = (change: Change): Ledger | null => deltaOf(change)?.ledger ?? null

/**
 * Are these the changes that the preview showed? Ignores the times of change and deletion and the
 * position in a pack.
 */
export function matchesPreview(
  [before, after]: readonly [unknown, unknown],
  ledger: Ledger | null,
): boolean {
  const [promised, is] = [comparable(after), comparable(asStored(ledger?.after))]
  return (
    isDeepStrictEqual({ ...promised, packs: null }, { ...is, packs: null }) &&
    samePacks(promised.packs as ChangedPacks | undefined, is.packs as ChangedPacks | undefined) &&
    isDeepStrictEqual(comparable(before), comparable(asStored(ledger?.before)))
  )
}

/** Whether these are the same packs. One that was created since the preview has an id now. */
const samePacks = (promised?: ChangedPacks, is?: ChangedPacks): boolean =>
  (['added', 'removed'] as const).every((of) => {
    const [wanted, found] = [promised?.[of] ?? [], is?.[of] ?? []]
    return (
      wanted.length === found.length &&
      wanted.every(({ id, name }) =>
        found.some((pack) =>
          id === undefined ? nameKey(pack.name) === nameKey(name) : pack.id === id,
        ),
      )
    )
  })

/**
 * Only fields of files: the ledger of an item also has what its effects are (links, messages to
 * buyers, created files), which a file's change never has.
 */
const COMPARED_FIELDS: ReadonlySet<string> = new Set([
  ...PLAIN,
  'size_bytes',
  'allowed_referrers',
  'tags',
  'mappings',
  'packs',
  'deleted',
  'purged',
])

const comparable = (fields: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries((fields ?? {}) as Record<string, unknown>).filter(([name]) =>
      COMPARED_FIELDS.has(name),
    ),
  )

/** The value as the database would return it. */
const asStored = (value: unknown): unknown =>
  value === undefined ? null : JSON.parse(JSON.stringify(value))

export function deltaOf(change: Change): Delta | null {
  const { record, draft } = change
  const delta: Delta = {
    change,
    columns: {},
    ledger: { before: {}, after: {} },
    added: [],
    removed: [],
    row_version: record.row_version,
    from: null,
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
  recordPacks(delta)
  recordTrash(delta)
  recordName(delta)
  const touched = Object.keys(delta.ledger.after).length > 0
  if (!touched) return null
  delta.ledger.before.updated_at = record.updated_at
  delta.columns.updated_at = draft.updated_at ?? TRANSACTION_TIME
  return delta
}

/** Records the columns that are derived from the name; the type is derived from the extension. */
function recordName({ change: { record, draft }, columns }: Delta): void {
  if (draft.filename === record.filename) return
  columns.name_key = nameKey(draft.filename)
  const extension = extensionOf(draft.filename)
  if (extension === extensionOf(record.filename)) return
  columns.extension = extension
  // The bytes of a link are what they were under its other name.
  if (!isLinkFile(record.content_type)) columns.content_type = contentTypeOf(draft.filename)
}

function recordField(delta: Delta, field: Column, before: unknown, after: unknown): void {
  delta.ledger.before[field] = before
  delta.ledger.after[field] = after
  delta.columns[field] = after
}

/** The size belongs to the version. */
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
  // The tags are also kept as a list, so that an undo restores their order if nothing changed
  // since.
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

/** Packs are kept as added and removed, with places, so that an undo leaves all others as they are. */
function recordPacks({ change: { draft }, ledger }: Delta): void {
  if (draft.pack_change) ledger.after.packs = draft.pack_change
}

function recordTrash(delta: Delta): void {
  const { record, draft } = delta.change
  const was = record.deleted_at !== null
  if (draft.deleted === undefined || draft.deleted === was) return
  delta.ledger.before.deleted = was
  if (was) delta.ledger.before.deleted_at = record.deleted_at
  delta.ledger.after.deleted = draft.deleted
  delta.columns.deleted_at = draft.deleted ? (draft.deleted_at ?? TRANSACTION_TIME) : null
}

export const sameList = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, at) => one === b[at])
