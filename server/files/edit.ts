// Changes one file for the page or the API in one transaction, or refuses the change with every
// problem.
import { type FileSettings, textOf } from '../../plugins/contract/index.ts'
import { retryTransaction, type ShopScope } from '../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../core/errors.ts'
import { firstOf } from '../core/lazy.ts'
import { raiseEdited } from './change-events.ts'
import { changeFiles } from './changes.ts'
import { draftOfRecord, type Draft, readRecords, type FileRecord } from './drafts.ts'
import { changeDraftPacks } from './packs.ts'
import { normalizeTags } from './rules.ts'

/** The fields to change; absent ones stay unchanged. */
export interface FileEdit extends Partial<FileSettings> {
  filename?: string | undefined
  tags?: readonly string[] | undefined
  /** The bare UUID of its only pack; null: it is in none. */
  pack_id?: string | null | undefined
  /** All its packs, bare UUIDs. */
  pack_ids?: readonly string[] | undefined
}

/** Changes the draft, and returns the problems of the change. */
export type Edit = (
  tx: ShopScope,
  draft: Draft,
  record: FileRecord,
) => Promise<readonly ErrorDetail[]>

/**
 * Changes a file by its bare UUID. Throws `not_found` (also for a file in the trash), `file_in_use`
 * while an operation has claimed it, `duplicate_filename` and `validation_failed`; then nothing is
 * changed.
 */
export function editFile(scope: ShopScope, id: string, edit: Edit): Promise<void> {
  return retryTransaction(scope, async (tx) => {
    // The row lock serialises concurrent changes: each one sees the result of the previous one.
    await tx.query('select from files where shop_id = :shop and id = :id for update', { id })
    const record = (await readRecords(tx, [id])).get(id)
    if (!record || record.deleted_at !== null) throw new AppError('not_found')
    if (record.claimed) throw new AppError('file_in_use')
    const draft = draftOfRecord(record)
    const problems = [...(await edit(tx, draft, record))]
    const write = problems.length === 0
    const changed = firstOf(await changeFiles(tx, [{ record, draft }], { write }))
    if (changed.status === 'refused')
      problems.push({
        param: PARAMS[changed.code] ?? 'filename',
        code: changed.code,
        message: textOf(changed.message),
      })
    if (problems.length > 0) throw refusal(problems)
    if (changed.status === 'changed') await raiseEdited(tx, id, changed.ledger.after)
  })
}

const PARAMS: Partial<Record<string, string>> = { invalid_tag: 'tags', pack_not_found: 'pack_ids' }

function refusal(problems: readonly ErrorDetail[]): AppError {
  const details = problems.map(({ param, code, message }) => ({ param, code, message }))
  const about = { param: firstOf(details).param, details }
  // oxfmt-ignore
  return new AppError(details.every(({ code }) => code === 'duplicate_filename') ? 'duplicate_filename' : 'validation_failed', about)
}

/** An edit of the given fields. A file's mappings follow it into a pack and out of one. */
export const fieldsEdit =
  ({ pack_id, pack_ids, tags, ...fields }: FileEdit): Edit =>
  async (tx, draft, record) => {
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined) Object.assign(draft, { [name]: value })
    if (draft.filename !== record.filename) draft.filename = draft.filename.normalize('NFC')
    if (tags) draft.tags = normalizeTags(tags)
    if (pack_id === undefined && pack_ids === undefined) return []
    return changePacks(tx, draft, record, { pack_id, pack_ids })
  }

/** Puts the draft into these packs alone. Returns a problem for each that does not exist. */
async function changePacks(
  tx: ShopScope,
  draft: Draft,
  record: FileRecord,
  { pack_id, pack_ids }: Pick<FileEdit, 'pack_id' | 'pack_ids'>,
): Promise<ErrorDetail[]> {
  const ids = [...new Set(pack_ids ?? (typeof pack_id === 'string' ? [pack_id] : []))]
  const shelf = await changeDraftPacks(
    tx,
    draft,
    record,
    (read) => ({
      enter: ids.flatMap((id) => read.get(id) ?? []),
      leave: 'all',
    }),
    [],
    ids,
  )
  return ids
    .filter((id) => !shelf.get(id))
    .map(() => ({
      param: pack_ids ? 'pack_ids' : 'pack_id',
      code: 'pack_not_found',
      message: new AppError('pack_not_found').text,
    }))
}
