// The CSV channel: the rows of a checked file become entries of the shop's own workflow for them, or of import-csv; rows with the
// id of a file become changes of that file.
import type { Entry, FileChange } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import { scopesOfConflict, type Engine, type StartInput } from '../../engine/engine.ts'
import { AppError } from '../../errors.ts'
import { draftOf, type Draft } from '../../files/drafts.ts'
import { readShop, type ShopDefaults } from '../../files/shop-settings.ts'
import { attachedWorkflow } from '../../workflows/find.ts'
import { bodyOf } from './check.ts'
import { placesOf } from './columns.ts'
import { errorRows } from './problems.ts'
import { readValues, type RowValues } from './row-values.ts'
import { readUploadRows, requireOpen, type CsvUpload } from './uploads.ts'

export interface CsvStart {
  /** Rows with errors are left out, instead of holding up the others. */
  only_valid: boolean
  auto_map?: boolean | undefined
  notify?: boolean | undefined
  /** Absent: as it was checked for. */
  on_conflict?: Entry['on_conflict'] | undefined
}

export interface CsvCaller {
  name: string
  idempotencyKey: string | undefined
  /** Throws when the caller lacks one of these scopes. */
  permit(scopes: readonly 'files:write'[]): void
}

/** Operations by their UUIDs; null: the file has no row of that kind. */
export interface CsvStarted {
  imports: string | null
  updates: string | null
}

/**
 * Starts the import of the rows, and the operation over those that name a file by its id. Throws `conflict` before the file was
 * checked, with errors in it (unless `only_valid`), or a second time; `too_few` when no row is left; what `permit` throws.
 */
export function startCsvImport(
  engine: Engine,
  scope: ShopScope,
  id: string,
  wishes: CsvStart,
  caller: CsvCaller,
): Promise<CsvStarted> {
  return scope.transaction(async (tx) => {
    const upload = await requireOpen(tx, id)
    requireChecked(upload, wishes)
    const { settings } = await readShop(tx)
    const { entries, rows } = await workOf(tx, upload, settings)
    if (entries.length + rows.length === 0)
      throw new AppError('too_few', { message: 'No row of this file can be imported' })
    if (rows.length > 0) caller.permit(['files:write'])
    if (entries.length > 0) caller.permit(scopesOfConflict(upload.check_options!.on_conflict))
    const key = caller.idempotencyKey
    const imports: Start = {
      workflow: (await attachedWorkflow(tx, 'csv', engine.plugins)) ?? engine.workflow('import-csv')!,
      source: { type: 'entries', entries },
      request: { ...given('auto_map', wishes), ...given('notify', wishes) },
      ...(key === undefined ? {} : { idempotencyKey: key }),
    }
    const updates: Start = {
      workflow: engine.workflow('update-from-csv')!,
      source: { type: 'rows', rows },
      request: given('notify', wishes),
      ...(key === undefined ? {} : { idempotencyKey: `${key}/rows` }),
    }
    const start = (input: Start) =>
      engine.start(tx, { ...input, channel: 'csv', label: upload.filename, requestedBy: caller.name })
    const started = {
      imports: entries.length > 0 ? await start(imports) : null,
      updates: rows.length > 0 ? await start(updates) : null,
    }
    await tx.query(
      `update csv_uploads set status = 'started', operation_id = :imports, update_operation_id = :updates
       where shop_id = :shop and id = :id`,
      { id, ...started },
    )
    return started
  })
}

type Start = Omit<StartInput, 'channel' | 'requestedBy'>
const given = (name: 'auto_map' | 'notify', wishes: CsvStart) =>
  wishes[name] === undefined ? {} : { [name]: wishes[name] }

function requireChecked({ status, progress, check_options }: CsvUpload, wishes: CsvStart): void {
  const conflict = (message: string) => new AppError('conflict', { message })
  if (status === 'checking') throw conflict('The check of this file has not ended yet')
  if (status !== 'checked') throw conflict('Check this file before it is imported')
  if (wishes.on_conflict && wishes.on_conflict !== check_options!.on_conflict)
    throw conflict(`It was checked for on_conflict ${check_options!.on_conflict}: check it again`)
  const { error_rows: rows } = progress!
  if (rows > 0 && !wishes.only_valid)
    throw conflict(
      `${rows} ${rows === 1 ? 'row has' : 'rows have'} errors: correct them, or import the valid rows only`,
    )
}

/** What the rows without errors ask for. */
async function workOf(tx: ShopScope, upload: CsvUpload, defaults: ShopDefaults) {
  const wrong = await errorRows(tx, upload)
  const places = placesOf(upload.mapping, upload.headers)
  const entries: { entry: Entry; draft: Draft }[] = []
  const updates: { id: string; wanted: FileChange }[] = []
  for await (const rows of bodyOf(readUploadRows(tx, upload))) {
    for (const { row, cells } of rows) {
      if (wrong.has(row)) continue
      const { values } = readValues(cells, places)
      if (values.id === null) entries.push(entryOf(values, upload.check_options!.on_conflict, defaults))
      else updates.push({ id: values.id, wanted: changeOf(values) })
    }
  }
  return { entries, rows: updates }
}

/** An empty cell leaves the file as it is. */
function changeOf({ filename, expiry_days, download_limit, tags }: RowValues): FileChange {
  return {
    set: {
      ...(filename === '' ? {} : { filename }),
      ...(expiry_days === undefined ? {} : { expiry_days }),
      ...(download_limit === undefined ? {} : { download_limit }),
    },
    ...(tags ? { tags: { replace: tags } } : {}),
  }
}

const entryOf = (values: RowValues, on_conflict: Entry['on_conflict'], defaults: ShopDefaults) => ({
  entry: {
    filename: values.filename,
    source: { type: 'url' as const, url: values.file_url },
    on_conflict,
    ...(values.product_sku ? { product_sku: values.product_sku } : {}),
  },
  draft: draftOf(
    {
      filename: values.filename,
      ...(values.tags ? { tags: values.tags } : {}),
      ...(values.expiry_days === undefined ? {} : { expiry_days: values.expiry_days }),
      ...(values.download_limit === undefined ? {} : { download_limit: values.download_limit }),
    },
    defaults,
  ),
})
