// The check of a whole CSV file: every row's values, names within the file and in the shop, SKUs,
// and whether the addresses answer. It uses no database: look-ups and the receiver of problems are
// injected.
import { say, type Text } from '../../../plugins/contract/index.ts'
import { ERRORS } from '../../core/errors.ts'
import { bodyOf } from './body-rows.ts'
import { checkContested, checkFiles } from './check-files.ts'
import { addProducts, checkProducts } from './check-products.ts'
import {
  addRow,
  CheckState,
  rowNumbers,
  type CheckParts,
  type CheckProgress,
  type NamedRow,
} from './check-state.ts'
import { placesOf, type ColumnMapping, type CsvField, type RowMatch } from './columns.ts'
import { probeAddresses, problemForName, type AddressProblem, type ProbeAddress } from './probes.ts'
import { readValues, shapeProblem, shiftProblem, type RowValues } from './row-values.ts'

const LOOKUP_BATCH = 4000
/**
 * Checks all rows and returns the final counts. Throws errors of the look-ups, and the signal's
 * reason.
 */
export async function checkRows(parts: CheckParts): Promise<CheckProgress> {
  const state = new CheckState(parts)
  const missing = missingColumns(parts.mapping, parts.match)
  for (const field of missing)
    await state.add(
      1,
      { field: null, severity: 'error', ...invalid(missingText(field, parts.mapping)) },
      field,
    )
  await readAll(parts, state)
  await checkContested(state)
  await checkProducts(parts, state)
  if (parts.probe) await checkAddresses(parts, state, parts.probe)
  return state.end()
}

/**
 * The required columns that are missing: a file of updates needs neither name nor address, a file
 * of imports needs both (a link has its own address), and rows with commands or matched by name only say which file they change.
 */
export const missingColumns = (
  mapping: ColumnMapping,
  match: RowMatch = 'id',
): ('filename' | 'file_url')[] =>
  (['filename', 'file_url'] as const).filter(
    (field) =>
      mapping[field] === null &&
      mapping.id === null &&
      (field === 'filename' ||
        (mapping.link_url === null && mapping.command === null && match === 'id')),
  )

/** An export of this shop without its id column is nearly an update: the message says so. */
const missingText = (column: CsvField, { filename }: ColumnMapping): Text =>
  column === 'file_url' && filename !== null
    ? say(
        'The required column {column} is missing. To change files that you have, add the column id: export them with it',
        { column },
      )
    : say('The required column {column} is missing', { column })

const invalid = (detail: Text) => ({
  code: 'invalid_csv' as const,
  message: ERRORS.invalid_csv.message,
  detail,
})

/** Reads the rows batch by batch. Look-ups of one batch run while the next batches are read. */
async function readAll(parts: CheckParts, state: CheckState): Promise<void> {
  const places = placesOf(parts.mapping, parts.headers)
  let named: NamedRow[] = []
  let lookedUp: Promise<void> = Promise.resolve()
  const lookUp = async () => {
    await lookedUp
    lookedUp = checkFiles(parts, state, named)
    // The awaiting code gets the error.
    lookedUp.catch(() => {})
    named = []
  }
  for await (const batch of bodyOf(parts.batches, parts.headerRow, parts.edits)) {
    state.progress.rows += batch.length
    for (const { row, cells, broken } of batch) {
      const shape = broken ?? shapeProblem(cells, parts.headers) ?? shiftProblem(cells, places)
      // If cells are in the wrong columns, further problems of their values would be misleading.
      if (shape) {
        await state.add(row, shape)
        continue
      }
      const { values, problems } = readValues(cells, places, parts.match)
      for (const problem of problems) await state.add(row, problem)
      recordRow(parts, state, row, values)
      const { id, filename, command, fetches } = values
      named.push({ row, id, filename, command, fetches })
    }
    if (named.length >= LOOKUP_BATCH) await lookUp()
    state.lookUpSkus(LOOKUP_BATCH)
    state.step({})
  }
  await lookUp()
  await lookedUp
  state.lookUpSkus(1)
}

function recordRow({ probe }: CheckParts, state: CheckState, row: number, values: RowValues): void {
  const { command, fetches } = values
  if (command === 'ignore' || command === 'delete' || command === 'restore') return
  addProducts(state, row, values)
  if (!probe || !fetches || values.link_url !== '' || state.hasError(row)) return
  addRow(state.urls, values.file_url, row)
  state.requested.set(row, values.filename)
}

const withoutContent = ({ content: _, ...problem }: NonNullable<AddressProblem>) => problem

async function checkAddresses(
  parts: CheckParts,
  state: CheckState,
  probe: ProbeAddress,
): Promise<void> {
  const { urls, progress } = state
  const { memory } = parts
  const report = async (url: string, problem: AddressProblem) => {
    if (!problem) return
    for (const row of rowNumbers(urls, url)) {
      const found = problemForName(problem, state.requested.get(row) ?? '')
      if (!found) continue
      await state.add(row, { field: 'file_url', ...withoutContent(found), value: url })
    }
  }
  const unknown: string[] = []
  for (const url of urls.keys()) {
    const known = memory?.address(url)
    if (known === undefined) unknown.push(url)
    else await report(url, known)
  }
  state.step({ phase: 'urls', urls_total: unknown.length })
  for await (const { url, problem } of probeAddresses(unknown, probe, parts)) {
    state.step({ urls: progress.urls + 1 })
    await memory?.addAddress(url, problem)
    await report(url, problem)
  }
}
