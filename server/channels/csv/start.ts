// The CSV channel: the rows of a checked file become entries of the shop's own workflow for them, or of import-csv.
import type { Entry } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
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

/**
 * Starts the import and gives its operation's UUID. Throws `conflict` before the file was checked, with errors in it (unless
 * `only_valid`), or a second time; `too_few` when no row is left.
 */
export function startCsvImport(
  engine: Engine,
  scope: ShopScope,
  id: string,
  wishes: CsvStart,
  caller: { name: string; idempotencyKey: string | undefined },
): Promise<string> {
  return scope.transaction(async (tx) => {
    const upload = await requireOpen(tx, id)
    requireChecked(upload, wishes)
    const { settings } = await readShop(tx)
    const entries = await entriesOf(tx, upload, settings)
    if (entries.length === 0) throw new AppError('too_few', { message: 'No row of this file can be imported' })
    const operation = await engine.start(tx, {
      workflow: (await attachedWorkflow(tx, 'csv', engine.plugins)) ?? engine.workflow('import-csv')!,
      channel: 'csv',
      source: { type: 'entries', entries },
      request: {
        ...(wishes.auto_map === undefined ? {} : { auto_map: wishes.auto_map }),
        ...(wishes.notify === undefined ? {} : { notify: wishes.notify }),
      },
      requestedBy: caller.name,
      ...(caller.idempotencyKey === undefined ? {} : { idempotencyKey: caller.idempotencyKey }),
    })
    await tx.query(
      `update csv_uploads set status = 'started', operation_id = :operation where shop_id = :shop and id = :id`,
      { id, operation },
    )
    return operation
  })
}

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

async function entriesOf(tx: ShopScope, upload: CsvUpload, defaults: ShopDefaults) {
  const wrong = await errorRows(tx, upload)
  const places = placesOf(upload.mapping, upload.headers)
  const entries: { entry: Entry; draft: Draft }[] = []
  for await (const rows of bodyOf(readUploadRows(tx, upload))) {
    for (const { row, cells } of rows) {
      if (wrong.has(row)) continue
      const { values } = readValues(cells, places)
      entries.push(entryOf(values, upload.check_options!.on_conflict, defaults))
    }
  }
  return entries
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
