// The part of a check that is about files: names within the CSV file and in the shop, and the ids
// of files that rows change. Rows may give files each other's names: those are judged together,
// after all rows were read.
import type { OnConflict } from '../../files/admission.ts'
import { grantNames } from '../../files/name-allocation.ts'
import { nameKey } from '../../files/rules.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { Book, CheckParts, KnownFile, NamedRow, Renaming } from './check-book.ts'

export async function checkFiles(
  parts: CheckParts,
  book: Book,
  rows: readonly NamedRow[],
): Promise<void> {
  await checkNames(parts, book, rows, await checkIds(parts, book, rows))
}

/** Returns the files that rows may change. */
async function checkIds(
  { knownFiles }: CheckParts,
  book: Book,
  rows: readonly NamedRow[],
): Promise<ReadonlyMap<string, KnownFile>> {
  const updates = rows.flatMap(({ row, id }) => (id === null ? [] : [{ row, id }]))
  if (updates.length === 0) return new Map()
  const known = await knownFiles(updates.map(({ id }) => id))
  for (const { row, id } of updates) {
    const before = book.ids.get(id)
    if (before === undefined) book.ids.set(id, row)
    const wrong = (code: ErrorCode, message: string) =>
      book.add(row, { field: 'id', severity: 'error', code, message })
    if (before !== undefined) await wrong('invalid_value', `Row ${before} changes the same file`)
    else if (!known.has(id)) await wrong('file_not_found', ERRORS.file_not_found.message)
    else if (known.get(id)!.deleted)
      await wrong('file_not_found', 'This file is in the trash: restore it first')
  }
  return known
}

const CONSEQUENCES: Readonly<Record<OnConflict, string>> = {
  error: 'rename it, or choose to overwrite',
  rename: 'it gets a number',
  overwrite: 'it replaces that file',
  new_version: 'it becomes that file’s newest version',
}

const IN_SHOP = 'A file of this name is in the shop'
const KEEPS_NAME: Conflict = { severity: 'error', detail: `${IN_SHOP}: choose another one` }

interface Conflict {
  severity: 'error' | 'warning'
  detail: string
}

const inShop = (onConflict: OnConflict): Conflict => ({
  severity: onConflict === 'error' ? 'error' : 'warning',
  detail: `${IN_SHOP}: ${CONSEQUENCES[onConflict]}`,
})

/** Rows are imported concurrently, so which of two would replace the other is undefined. */
function amongRows(before: number, onConflict: OnConflict): Conflict {
  const where = `Row ${before} has this name too`
  if (onConflict === 'rename')
    return { severity: 'warning', detail: `${where}: one of them gets a number` }
  return { severity: 'error', detail: `${where}: rename one of them` }
}

async function checkNames(
  { onConflict, takenNames }: CheckParts,
  book: Book,
  rows: readonly NamedRow[],
  known: ReadonlyMap<string, KnownFile>,
): Promise<void> {
  const named = rows.filter(({ filename }) => filename !== '')
  const keys = named.map(({ filename }) => nameKey(filename))
  const taken = await takenNames(keys)
  for (const [at, { row, id, filename }] of named.entries()) {
    const key = keys[at]!
    const before = book.names.get(key)
    if (before === undefined) book.names.set(key, row)
    const owner = taken.get(key)
    if (before !== undefined) {
      // A renamed file needs a free name: conflicts cannot be resolved otherwise.
      const conflict = amongRows(before, id === null ? onConflict : 'error')
      await conflictAt(book, { row, filename }, conflict)
    } else if (id === null) {
      if (owner !== undefined) await conflictAt(book, { row, filename }, inShop(onConflict))
    } else if (known.has(id) && known.get(id)!.name_key !== key) {
      book.renamings.push({
        row,
        filename,
        id,
        currentKey: known.get(id)!.name_key,
        wantedKey: key,
      })
      if (owner !== undefined) book.owners.set(key, owner)
    }
  }
}

function conflictAt(
  book: Book,
  { row, filename }: Pick<Renaming, 'row' | 'filename'>,
  conflict: Conflict,
): Promise<void> {
  const { message } = ERRORS.duplicate_filename
  return book.add(row, {
    field: 'filename',
    code: 'duplicate_filename',
    message,
    value: filename,
    ...conflict,
  })
}

/**
 * Names that files of the shop have: they are free if rows without errors give those files other
 * names.
 */
export async function checkContested(book: Book): Promise<void> {
  const requests = book.renamings.filter(({ row }) => !book.hasError(row))
  const granted = grantNames(requests, book.owners)
  for (const [at, renaming] of requests.entries())
    if (!granted[at]) await conflictAt(book, renaming, KEEPS_NAME)
}
