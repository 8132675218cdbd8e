// What a row does: it imports a file, or changes, replaces, deletes or restores one that its id names,
// or its filename if files are matched by name.
import { sayPlain } from '../../../plugins/contract/index.ts'
import { ERRORS } from '../../core/errors.ts'
import { nameKey } from '../../files/rules.ts'
import type { RowMatch } from './columns.ts'
import type { CellProblem, RowValues } from './row-values.ts'

export type RowSubject = Pick<RowValues, 'id' | 'filename' | 'command' | 'fetches'>

/** The files of the shop that rows may name. */
export interface RowTargets {
  match: RowMatch
  known: ReadonlyMap<string, { deleted: boolean }>
  /** Ids by the names' keys: of files, and of files in the trash. */
  owners: ReadonlyMap<string, string>
  trashed: ReadonlyMap<string, string>
}

export type RowAction =
  | { type: 'import' }
  /** `fetch`: the file gets the bytes of the row's address as its next version. */
  | { type: 'fetch' | 'change' | 'delete' | 'restore'; id: string }
  | { type: 'none' }

/** What a row of a table does, and why it does not, or should not. */
export function actionOfRow(
  subject: RowSubject,
  targets: RowTargets,
): { action: RowAction; problem?: CellProblem } {
  const { command, fetches } = subject
  if (command === 'ignore') return NOTHING
  const named = subject.id === null
  const id = subject.id ?? idByName(subject, targets)
  if (id === null) return withoutFile(subject, targets)
  const file = named ? { deleted: command === 'restore' } : targets.known.get(id)
  if (!file) return { ...NOTHING, problem: NOT_FOUND }
  if (command === 'restore')
    return file.deleted
      ? { action: { type: 'restore', id } }
      : { ...NOTHING, problem: NOT_IN_TRASH }
  if (command === 'delete')
    return file.deleted
      ? { ...NOTHING, problem: IN_TRASH_ALREADY }
      : { action: { type: 'delete', id } }
  if (file.deleted) return { ...NOTHING, problem: IN_TRASH }
  return { action: { type: fetches ? 'fetch' : 'change', id } }
}

const NOTHING = { action: { type: 'none' } } as const

function idByName(
  { command, filename }: RowSubject,
  { match, owners, trashed }: RowTargets,
): string | null {
  if (match === 'id' || command === 'new') return null
  const names = command === 'restore' ? trashed : owners
  return names.get(nameKey(filename)) ?? null
}

/** A row for which there is no file: only an import needs none. */
function withoutFile(
  { command, filename, fetches }: RowSubject,
  { match, owners, trashed }: RowTargets,
): { action: RowAction; problem?: CellProblem } {
  const key = nameKey(filename)
  if (command === 'update' || command === 'delete' || command === 'restore') {
    // That the row needs an id was said when it was read.
    if (match === 'id') return NOTHING
    if (command === 'restore' && owners.has(key)) return { ...NOTHING, problem: NOT_IN_TRASH }
    if (command === 'delete' && trashed.has(key)) return { ...NOTHING, problem: IN_TRASH_ALREADY }
    return { ...NOTHING, problem: { ...NOT_FOUND, field: 'filename', value: filename } }
  }
  if (match === 'filename' && command !== 'new' && !fetches)
    return { ...NOTHING, problem: NO_ADDRESS }
  return { action: { type: 'import' } }
}

const NOT_FOUND: CellProblem = {
  field: 'id',
  severity: 'error',
  code: 'file_not_found',
  message: ERRORS.file_not_found.message,
}
const IN_TRASH: CellProblem = {
  ...NOT_FOUND,
  message: sayPlain('This file is in the trash: restore it first'),
}
const NO_ADDRESS: CellProblem = {
  field: 'file_url',
  severity: 'error',
  code: 'required',
  message: sayPlain('There is no file of this name: a new one needs a file URL'),
}
const IN_TRASH_ALREADY: CellProblem = {
  field: 'command',
  severity: 'warning',
  code: 'no_change',
  message: sayPlain('This file is in the trash already'),
}
const NOT_IN_TRASH: CellProblem = {
  field: 'command',
  severity: 'warning',
  code: 'no_change',
  message: sayPlain('This file is not in the trash'),
}
