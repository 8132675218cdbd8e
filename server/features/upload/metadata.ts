// The metadata that a client declares before it sends a byte. It is validated immediately, by the
// rules for all files, so that a wrong name is not reported only after five gigabytes.
import { say, type Text, textOf } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { filenameProblem, MAX_TAGS, normalizeTags, tagProblem } from '../../files/rules.ts'
import { parsePublicId } from '../../core/ids.ts'
import { firstOf } from '../../core/present.ts'
import { changeConflict, isNameTaken, type UploadChoices, type UploadRow } from './rows.ts'

export type Metadata = Readonly<Record<string, string | null | undefined>>

type Conflict = UploadChoices['on_conflict']
const CONFLICTS = ['error', 'rename', 'overwrite', 'new_version'] as const
/** The fields that are used; others are ignored. Some clients send the filename as `name`. */
const KNOWN = ['filename', 'name', 'size', 'batch', 'on_conflict', 'tags'] as const

/**
 * Reads and checks the metadata. Tags are separated by `,` or `;`. Throws `validation_failed` with
 * every problem, and `file_too_large`.
 */
export function readMetadata(metadata: Metadata, size: number, limit: number): UploadChoices {
  if (size > limit) throw new AppError('file_too_large')
  const details: ErrorDetail[] = []
  const add = (param: string, code: ErrorDetail['code'], message: Text) =>
    details.push({ param, code, message })

  const filename = (metadata.filename ?? metadata.name ?? '').normalize('NFC')
  const wrongName = filenameProblem(filename)
  if (wrongName) add('filename', wrongName.code, textOf(wrongName.message))
  for (const [param, text] of [['filename', filename] as const, ['tags', metadata.tags] as const])
    // The tus library decodes bytes that are no UTF-8 to this character.
    if (text?.includes('\ufffd'))
      add(param, 'invalid_value', say('Send it in UTF-8, encoded as base64'))
  if (size === 0) add('size', 'empty_file', say('The file is empty'))
  if (metadata.size && Number(metadata.size) !== size)
    add('size', 'invalid_value', say('This is not the upload’s length'))

  const on_conflict = CONFLICTS.find((one) => one === (metadata.on_conflict || 'error'))
  if (!on_conflict)
    add('on_conflict', 'invalid_value', say('Send one of {names}', { names: CONFLICTS.join(', ') }))

  const tags = normalizeTags((metadata.tags ?? '').split(/[,;]/).filter((tag) => tag.trim() !== ''))
  if (tags.length > MAX_TAGS)
    add('tags', 'too_many', say('At most {most} tags', { most: MAX_TAGS }))
  const wrongTag = tags.map(tagProblem).find((problem) => problem !== null)
  if (wrongTag) add('tags', wrongTag.code, textOf(wrongTag.message))

  const batch = metadata.batch ? parsePublicId('batch', metadata.batch) : null
  if (metadata.batch && !batch) add('batch', 'invalid_value', say('There is no such batch'))

  if (!on_conflict || details.length > 0) throw invalid(details)
  return { filename, on_conflict, tags, batch }
}

/**
 * Reads `Upload-On-Conflict`, which changes the choice of an unfinished upload; null: it stays.
 * Throws `validation_failed`.
 */
export function readConflict(header: string): Conflict | null {
  if (header === '') return null
  const found = CONFLICTS.find((one) => one === header)
  if (found) return found
  const message = say('Send one of {names}', { names: CONFLICTS.join(', ') })
  throw invalid([{ param: 'on_conflict', code: 'invalid_value', message }])
}

/**
 * The error for these problems. A single one becomes the error's message, which the page shows next
 * to the file.
 */
export const invalid = (details: readonly ErrorDetail[]): AppError =>
  new AppError('validation_failed', {
    details,
    param: firstOf(details).param,
    ...(details.length === 1 ? { message: firstOf(details).message } : {}),
  })

export const nameTaken = (): AppError => {
  const code = 'duplicate_filename'
  return invalid([{ param: 'filename', code, message: new AppError(code).text }])
}

/**
 * Refuses a name that was taken since the upload began, before more bytes are sent.
 * @param onConflict what the client changes the upload's choice to; null: it stays
 */
export async function refuseTakenName(
  scope: ShopScope,
  row: UploadRow,
  onConflict: Conflict | null,
): Promise<void> {
  if (onConflict && onConflict !== row.on_conflict) {
    await changeConflict(scope, row.id, onConflict)
    row.on_conflict = onConflict
  }
  if (row.on_conflict === 'error' && (await isNameTaken(scope, row))) throw nameTaken()
}

/** The metadata that a HEAD request repeats. */
export function keptMetadata(metadata: Metadata): Record<string, string> {
  const kept = KNOWN.flatMap((name) =>
    typeof metadata[name] === 'string' ? [[name, metadata[name]] as const] : [],
  )
  return Object.fromEntries(kept)
}
