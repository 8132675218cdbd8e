// Starts the operations for the rows of a checked file: an import of new files and versions, and a
// change of the files that rows name.
import { givenSettings } from '../../files/drafts.ts'
import { packsOfCells } from '../../files/packs.ts'
import { mustConfirmDeletions } from '../../files/trash.ts'
import {
  ownValue,
  type Entry,
  type PackCell,
  type RowChange,
  say,
  type Text,
  type Workflow,
} from '../../../plugins/contract/index.ts'
import type { FetchHeaders } from '../../core/fetch-headers.ts'
import type { Secrets } from '../../core/secrets.ts'
import { openHeaders } from './check-headers.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { scopesOfConflict } from '../../engine/moves.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../core/errors.ts'
import { present } from '../../core/lazy.ts'
import { linkFile, productNames, startImport, statedIn, type ImportFile } from '../imports/start.ts'
import { csvChannel } from './channel.ts'
import { correctedRows } from './body-rows.ts'
import { placesOf } from './columns.ts'
import { errorRows } from './problems.ts'
import { actionOfRow, type RowAction } from './row-actions.ts'
import { findTargets, targetLookups, type FoundTargets } from './row-targets.ts'
import { readValues, type RowValues } from './row-values.ts'
import { requireOpen, type CheckOptions, type CsvUpload } from './uploads.ts'

export interface CsvStart {
  /** Whether rows with errors are skipped, so that they do not block the others. */
  only_valid: boolean
  auto_map?: boolean | undefined
  notify?: boolean | undefined
  /** Whether the operations are previews until they are confirmed. */
  dry_run?: boolean | undefined
  /** What happens if a name is taken; absent: as chosen for the check. */
  on_conflict?: Entry['on_conflict'] | undefined
}

export interface CsvCaller {
  name: string
  idempotencyKey: string | undefined
  /** Throws if the caller lacks one of these scopes. */
  permit(scopes: readonly ('files:write' | 'files:delete')[]): void
}

/** The UUIDs of the started operations; null: the file has no row of that kind. */
export interface CsvOperations {
  imports: string | null
  updates: string | null
}

/**
 * Starts the import of the rows, and the operation on the files that rows name. Throws `conflict`
 * before the file was checked, if it has errors (unless `only_valid`), a second time (unless the first
 * was a preview that was discarded), or if a row has lost its file since the check; `too_few` if no row
 * is left; and errors of `permit`.
 */
export function startCsvImport(
  { engine, secrets }: { engine: Engine; secrets: Secrets },
  scope: ShopScope,
  id: string,
  request: CsvStart,
  caller: CsvCaller,
): Promise<CsvOperations> {
  return scope.transaction(async (tx) => {
    const upload = await requireOpen(tx, id)
    const options = requireChecked(upload, request)
    const { on_conflict } = options
    const headers = openHeaders(secrets, tx.shop, options)
    const { files, rows } = await workOf(tx, upload, { ...options, headers })
    if (files.length + rows.length === 0)
      throw new AppError('too_few', { message: say('No row of this file can be imported') })
    permitWork(caller, { files, rows }, on_conflict)
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

function permitWork(
  { permit }: CsvCaller,
  { files, rows }: RowWork,
  onConflict: CheckOptions['on_conflict'],
): void {
  if (rows.length > 0 || files.some(({ replaces }) => replaces !== undefined))
    permit(['files:write'])
  if (rows.some(({ wanted }) => wanted.deleted !== undefined)) permit(['files:delete'])
  if (files.length > 0) permit(scopesOfConflict(onConflict))
}

const importOptions = ({ auto_map, notify, dry_run: dryRun }: CsvStart) => ({
  auto_map,
  notify,
  dryRun,
})

export interface ChangedRow {
  id: string
  wanted: RowChange
}

/** The steps that these rows need: the others would ask for permissions and look-ups in vain. */
function stepsFor(rows: readonly ChangedRow[], { steps, ...workflow }: Workflow): Workflow {
  const needed: Readonly<Record<string, boolean>> = {
    'pack-rows': rows.some(({ wanted }) => wanted.packs !== undefined),
    'map-products': rows.some(({ wanted }) => wanted.products !== undefined),
    'trash-rows': rows.some(({ wanted }) => wanted.deleted !== undefined),
  }
  return { ...workflow, steps: steps.filter(({ plugin }) => ownValue(needed, plugin) ?? true) }
}

/** Whether a person must confirm the deletions, as those of a sync; never a single one. */
export async function deletesMany(tx: ShopScope, rows: readonly ChangedRow[]): Promise<boolean> {
  const deleted = rows.filter(({ wanted }) => wanted.deleted === true).length
  if (deleted < 2) return false
  const { files } = await tx.one<{ files: number }>(
    'select count(*)::int as files from files where shop_id = :shop and deleted_at is null',
  )
  return mustConfirmDeletions(deleted, files)
}

async function startUpdates(
  engine: Engine,
  tx: ShopScope,
  rows: readonly ChangedRow[],
  {
    request: { notify, dry_run = false },
    label,
    caller,
  }: { request: CsvStart; label: string; caller: CsvCaller },
): Promise<string> {
  const { name: requestedBy, idempotencyKey: key } = caller
  return startRowChanges(engine, tx, rows, {
    workflow: 'update-from-csv',
    channel: csvChannel.id,
    label,
    requestedBy,
    notify,
    dryRun: dry_run || (await deletesMany(tx, rows)),
    idempotencyKey: key === undefined ? undefined : `${key}/rows`,
  })
}

/** How the change of files by rows is started. */
export interface RowChangesStart {
  /** The id of a built-in workflow with the steps for rows. */
  workflow: string
  channel: string
  label: string
  requestedBy: string
  notify: boolean | undefined
  dryRun: boolean
  idempotencyKey: string | undefined
}

/** Starts the operation on the files that rows change, and returns its UUID. */
export const startRowChanges = (
  engine: Engine,
  tx: ShopScope,
  rows: readonly ChangedRow[],
  { workflow, notify, idempotencyKey, ...about }: RowChangesStart,
): Promise<string> =>
  engine.start(tx, {
    ...about,
    workflow: stepsFor(rows, present(engine.workflow(workflow), `The workflow ${workflow}`)),
    source: { type: 'rows', rows },
    request: notify === undefined ? {} : { notify },
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })

const conflict = (message: Text) => new AppError('conflict', { message })

function requireChecked(upload: CsvUpload, request: CsvStart): CheckOptions {
  const { status } = upload
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

type RowOptions = CheckOptions & { headers?: FetchHeaders | undefined }

/** What rows do: imports of files, and changes of files. */
export interface RowWork {
  files: ImportFile[]
  rows: ChangedRow[]
}

/**
 * The imports and changes of the rows without errors. Throws `conflict` if one has lost its file since
 * the check.
 */
async function workOf(tx: ShopScope, upload: CsvUpload, options: RowOptions): Promise<RowWork> {
  const wrong = await errorRows(tx, upload)
  const places = placesOf(upload.mapping, upload.headers)
  const work: RowWork = { files: [], rows: [] }
  for await (const rows of correctedRows(tx, upload)) {
    const valid = rows
      .filter(({ row }) => !wrong.has(row))
      .map(({ cells }) => readValues(cells, places, options.match).values)
    // The other rows find no file.
    const naming = options.match === 'id' ? valid.filter(({ id }) => id !== null) : valid
    const targets = await findTargets(targetLookups(tx), options.match, naming)
    const packsOf = await packsOfCells(
      tx,
      valid.map(({ pack }) => pack),
    )
    for (const values of valid) addWork(work, { values, targets, options, packsOf })
  }
  return work
}

/** A row whose packs have been looked up. */
type FoundRow = Omit<RowValues, 'pack'> & Partial<Omit<PackCell, 'whole'>>

interface GivenRow {
  values: RowValues
  targets: FoundTargets
  options: RowOptions
  packsOf: Awaited<ReturnType<typeof packsOfCells>>
}

function addWork(work: RowWork, row: GivenRow): void {
  const { action, problem } = actionOfRow(row.values, row.targets)
  if (problem?.severity === 'error')
    throw conflict(say('Files that rows name have changed since the check: check this file again'))
  addAction(work, action, row)
}

/** Adds what a row does to the work. */
export function addAction(
  { files, rows }: RowWork,
  action: RowAction,
  { values: { pack, ...given }, targets, options, packsOf }: GivenRow,
): void {
  const values = { ...given, ...(pack && packsOf(pack)) }
  if (action.type === 'import') files.push(fileOf(values, options))
  if (action.type === 'fetch') files.push(versionOf(values, action.id, targets, options))
  if (action.type === 'change') rows.push({ id: action.id, wanted: changeOf(values, options) })
  if (action.type === 'delete') rows.push({ id: action.id, wanted: { deleted: true } })
  if (action.type === 'restore') rows.push({ id: action.id, wanted: { deleted: false } })
}

/** The import of the next version of a file, with what else its row states. */
function versionOf(
  values: FoundRow,
  id: string,
  { known }: FoundTargets,
  options: RowOptions,
): ImportFile {
  const { filename, tags = [], tags_removed = [] } = values
  const states = statedIn({
    ...givenSettings(values),
    tags: [...tags, ...tags_removed],
    products: productNames(values),
    packs: values.packs,
    filename,
  })
  return {
    ...fileOf(values, options),
    filename: filename || present(known.get(id), 'The file of a row').filename,
    on_conflict: 'new_version',
    replaces: id,
    states,
  }
}

/** The change of a row: an empty cell leaves the field unchanged. */
function changeOf(values: FoundRow, { tags, packs, products }: CheckOptions): RowChange {
  const { filename, no_products } = values
  const names = productNames(values)
  const mode = no_products ? 'replace' : products
  return {
    set: { ...(filename === '' ? {} : { filename }), ...givenSettings(values) },
    ...tagChange(values, tags),
    ...packChange(values, packs),
    ...(names || no_products ? { products: { names: names ?? {}, mode } } : {}),
  }
}

function tagChange(
  { tags, tags_removed }: FoundRow,
  mode: CheckOptions['tags'],
): Pick<RowChange, 'tags'> {
  if (!tags) return {}
  if (tags_removed) return { tags: { add: tags, remove: tags_removed } }
  return { tags: mode === 'add' ? { add: tags } : { replace: tags } }
}

function packChange(
  { packs, packs_removed }: FoundRow,
  mode: CheckOptions['packs'],
): Pick<RowChange, 'packs'> {
  if (!packs) return {}
  if (packs_removed) return { packs: { add: packs, remove: packs_removed } }
  return { packs: adds(packs, mode) ? { add: packs } : { replace: packs } }
}

/** The word for no pack empties the list in either mode. */
const adds = (packs: readonly string[], mode: CheckOptions['packs']): boolean =>
  mode === 'add' && packs.length > 0

const fileOf = (
  { file_url, link_url, id: _, no_products: __, fetches: ___, command, ...values }: FoundRow,
  { on_conflict: chosen, tags, packs, headers }: RowOptions,
): ImportFile => ({
  ...values,
  tags_removed: values.tags_removed ?? (values.tags && tags === 'add' ? [] : undefined),
  packs_removed:
    values.packs_removed ?? (values.packs && adds(values.packs, packs) ? [] : undefined),
  on_conflict: command === 'new' ? 'error' : chosen,
  ...(link_url === ''
    ? { source: { type: 'url', url: file_url, ...(headers ? { headers } : {}) } }
    : linkFile(values.filename, link_url)),
})
