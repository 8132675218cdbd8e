// Checks names within the CSV file and in the shop, and the ids of the files that rows change. Rows
// may exchange names between files, so these rows are checked together after all rows were read.
import { say, sayPlain, type AnyText, type OnConflict } from '../../../plugins/contract/index.ts'
import { grantNames } from '../../files/name-allocation.ts'
import { nameKey } from '../../files/rules.ts'
import { ERRORS } from '../../core/errors.ts'
import type { CheckState, CheckParts, NamedRow, RowKind, RowRename } from './check-state.ts'
import { actionOfRow, type RowAction } from './row-actions.ts'
import { findTargets, type FoundTargets } from './row-targets.ts'

export async function checkFiles(
  parts: CheckParts,
  state: CheckState,
  rows: readonly NamedRow[],
): Promise<void> {
  const targets = await findTargets(parts, parts.match, rows)
  const named: TargetRow[] = []
  for (const row of rows) {
    const { action, problem } = actionOfRow(row, targets)
    if (problem) await state.add(row.row, problem)
    const kind = KINDS[action.type]
    if (kind && problem?.severity !== 'error') state.setKind(row.row, kind)
    else if (row.id !== null) state.setKind(row.row, 'update')
    const id = 'id' in action ? action.id : null
    if (id !== null) await checkRepeated(state, row, id)
    if (action.type === 'import' || action.type === 'fetch' || action.type === 'change')
      named.push({ ...row, id })
  }
  await checkNames(parts, state, named, targets)
}

/** A row with the file that it changes; null: a new one. */
type TargetRow = NamedRow & { id: string | null }

const KINDS: Readonly<Record<RowAction['type'], RowKind | null>> = {
  import: null,
  fetch: 'update',
  change: 'update',
  delete: 'delete',
  restore: 'restore',
  none: 'ignored',
}

async function checkRepeated(state: CheckState, { row, id: named }: NamedRow, id: string) {
  const before = state.ids.get(id)
  if (before === undefined) state.ids.set(id, row)
  else
    await state.add(row, {
      field: named === null ? 'filename' : 'id',
      severity: 'error',
      code: 'invalid_value',
      message: say('Row {row} changes the same file', { row: String(before) }),
    })
}

const CONSEQUENCES: Readonly<Record<OnConflict, string>> = {
  error: sayPlain('A file of this name is in the shop: rename it, or choose to overwrite'),
  skip: sayPlain('A file of this name is in the shop: the row is left out'),
  rename: sayPlain('A file of this name is in the shop: it gets a number'),
  overwrite: sayPlain('A file of this name is in the shop: it replaces that file'),
  new_version: sayPlain(
    'A file of this name is in the shop: it becomes that file’s newest version',
  ),
}

const KEEPS_NAME: Conflict = {
  severity: 'error',
  detail: sayPlain('A file of this name is in the shop: choose another one'),
}

interface Conflict {
  severity: 'error' | 'warning'
  detail: AnyText
}

const inShop = (onConflict: OnConflict): Conflict => ({
  severity: onConflict === 'error' ? 'error' : 'warning',
  detail: CONSEQUENCES[onConflict],
})

/**
 * The conflict of two rows with one name. Rows are imported concurrently, so it is undefined which
 * would replace the other.
 */
function amongRows(before: number, onConflict: OnConflict): Conflict {
  const row = String(before)
  if (onConflict === 'rename')
    return {
      severity: 'warning',
      detail: say('Row {row} has this name too: one of them gets a number', { row }),
    }
  if (onConflict === 'skip')
    return {
      severity: 'warning',
      detail: say('Row {row} has this name too: one of them is left out', { row }),
    }
  return {
    severity: 'error',
    detail: say('Row {row} has this name too: rename one of them', { row }),
  }
}

async function checkNames(
  { onConflict: chosen }: CheckParts,
  state: CheckState,
  rows: readonly TargetRow[],
  { known, owners }: FoundTargets,
): Promise<void> {
  const named = rows
    .filter(({ filename }) => filename !== '')
    .map((row) => ({ ...row, key: nameKey(row.filename) }))
  for (const { row, id, filename, key, command } of named) {
    const onConflict = command === 'new' ? 'error' : chosen
    const file = id === null ? undefined : known.get(id)
    const before = state.names.get(key)
    if (before === undefined) state.names.set(key, row)
    const owner = owners.get(key)
    if (before !== undefined) {
      // A renamed file needs a free name: conflicts cannot be resolved otherwise.
      const conflict = amongRows(before, id === null ? onConflict : 'error')
      await conflictAt(state, { row, filename }, conflict)
    } else if (id === null) {
      if (owner !== undefined) await conflictAt(state, { row, filename }, inShop(onConflict))
    } else if (file && file.name_key !== key) {
      state.renamings.push({
        row,
        filename,
        id,
        currentKey: file.name_key,
        wantedKey: key,
      })
      if (owner !== undefined) state.owners.set(key, owner)
    }
  }
}

function conflictAt(
  state: CheckState,
  { row, filename }: Pick<RowRename, 'row' | 'filename'>,
  conflict: Conflict,
): Promise<void> {
  const { message } = ERRORS.duplicate_filename
  return state.add(row, {
    field: 'filename',
    code: 'duplicate_filename',
    message,
    value: filename,
    ...conflict,
  })
}

/**
 * Checks names that files of the shop have: they are free if rows without errors give those files
 * other names.
 */
export async function checkContested(state: CheckState): Promise<void> {
  const requests = state.renamings.filter(({ row }) => !state.hasError(row))
  const granted = grantNames(requests, state.owners)
  for (const [at, renaming] of requests.entries())
    if (!granted[at]) await conflictAt(state, renaming, KEEPS_NAME)
}
