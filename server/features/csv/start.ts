// Starts the operations for the rows of a checked file: an import of new files, and a change of the
// files that rows name by their ids.
import { givenSettings } from '../../files/drafts.ts'
import { type Entry, type FileChange, say, type Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { scopesOfConflict } from '../../engine/moves.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../core/errors.ts'
import { present } from '../../core/lazy.ts'
import { startImport, type ImportFile } from '../imports/start.ts'
import { csvChannel } from './channel.ts'
import { correctedRows } from './body-rows.ts'
import { placesOf } from './columns.ts'
import { errorRows } from './problems.ts'
import { readValues, type RowValues } from './row-values.ts'
import { requireOpen, type CheckOptions, type CsvUpload } from './uploads.ts'

export interface CsvStart {
  /** Whether rows with errors are skipped, so that they do not block the others. */
  only_valid: boolean
  auto_map?: boolean | undefined
  notify?: boolean | undefined
  /** What happens if a name is taken; absent: as chosen for the check. */
  on_conflict?: Entry['on_conflict'] | undefined
}

export interface CsvCaller {
  name: string
  idempotencyKey: string | undefined
  /** Throws if the caller lacks one of these scopes. */
  permit(scopes: readonly 'files:write'[]): void
}

/** The UUIDs of the started operations; null: the file has no row of that kind. */
export interface CsvOperations {
  imports: string | null
  updates: string | null
}

/**
 * Starts the import of the rows, and the operation on the files that rows name by their ids. Throws
 * `conflict` before the file was checked, if it has errors (unless `only_valid`), or a second time;
 * `too_few` if no row is left; and errors of `permit`.
 */
export function startCsvImport(
  engine: Engine,
  scope: ShopScope,
  id: string,
  request: CsvStart,
  caller: CsvCaller,
): Promise<CsvOperations> {
  return scope.transaction(async (tx) => {
    const upload = await requireOpen(tx, id)
    const { on_conflict } = requireChecked(upload, request)
    const { files, rows } = await workOf(tx, upload, on_conflict)
    if (files.length + rows.length === 0)
      throw new AppError('too_few', { message: say('No row of this file can be imported') })
    if (rows.length > 0) caller.permit(['files:write'])
    if (files.length > 0) caller.permit(scopesOfConflict(on_conflict))
    const { name: requestedBy, idempotencyKey } = caller
    const { filename: label } = upload
    const started: CsvOperations = {
      imports:
        files.length > 0
          ? await startImport(engine, tx, csvChannel, {
              ...importOptions(request),
              files,
              label,
              from: { mapping: upload.saved_mapping },
              requestedBy,
              idempotencyKey,
            })
          : null,
      updates:
        rows.length > 0 ? await startUpdates(engine, tx, rows, { request, label, caller }) : null,
    }
    await tx.query(
      `update csv_uploads set status = 'started', operation_id = :imports,
         update_operation_id = :updates
       where shop_id = :shop and id = :id`,
      { id, ...started },
    )
    return started
  })
}

const importOptions = ({ auto_map, notify }: CsvStart) => ({ auto_map, notify })

/** Starts the operation on the files that rows name by their ids. */
function startUpdates(
  engine: Engine,
  tx: ShopScope,
  rows: readonly { id: string; wanted: FileChange }[],
  { request: { notify }, label, caller }: { request: CsvStart; label: string; caller: CsvCaller },
): Promise<string> {
  const { name: requestedBy, idempotencyKey: key } = caller
  return engine.start(tx, {
    workflow: present(engine.workflow('update-from-csv'), 'The workflow update-from-csv'),
    channel: csvChannel.id,
    label,
    requestedBy,
    source: { type: 'rows', rows },
    request: notify === undefined ? {} : { notify },
    ...(key === undefined ? {} : { idempotencyKey: `${key}/rows` }),
  })
}

function requireChecked(upload: CsvUpload, request: CsvStart): CheckOptions {
  const { status } = upload
  const conflict = (message: Text) => new AppError('conflict', { message })
  if (status === 'checking') throw conflict(say('The check of this file has not ended yet'))
  if (status !== 'checked') throw conflict(say('Check this file before it is imported'))
  const options = present(upload.check_options, 'The options of the check')
  if (request.on_conflict && request.on_conflict !== options.on_conflict)
    throw conflict(
      say('It was checked for on_conflict {on_conflict}: check it again', {
        on_conflict: options.on_conflict,
      }),
    )
  const { error_rows: rows } = present(upload.progress, 'The result of the check')
  if (rows > 0 && !request.only_valid)
    throw conflict(
      say(
        '{count, plural, one {# row has} other {# rows have}} errors: correct them, or import the valid rows only',
        { count: rows },
      ),
    )
  return options
}

/** The imports and changes of the rows without errors. */
async function workOf(tx: ShopScope, upload: CsvUpload, onConflict: CheckOptions['on_conflict']) {
  const wrong = await errorRows(tx, upload)
  const places = placesOf(upload.mapping, upload.headers)
  const files: ImportFile[] = []
  const updates: { id: string; wanted: FileChange }[] = []
  for await (const rows of correctedRows(tx, upload)) {
    for (const { row, cells } of rows) {
      if (wrong.has(row)) continue
      const { values } = readValues(cells, places)
      if (values.id === null) files.push(fileOf(values, onConflict))
      else updates.push({ id: values.id, wanted: changeOf(values) })
    }
  }
  return { files, rows: updates }
}

/** The change of a row: an empty cell leaves the field unchanged. */
function changeOf(values: RowValues): FileChange {
  const { filename, tags } = values
  return {
    set: { ...(filename === '' ? {} : { filename }), ...givenSettings(values) },
    ...(tags ? { tags: { replace: tags } } : {}),
  }
}

const fileOf = (
  { file_url, id: _, ...values }: RowValues,
  on_conflict: Entry['on_conflict'],
): ImportFile => ({ ...values, on_conflict, source: { type: 'url', url: file_url } })
