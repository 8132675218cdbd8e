// Corrections: of single rows, and of all rows that have a problem for the same reason.
import { partsOfNames, say, SKU_SEPARATOR, type Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { decodedAgain } from '../../core/decoded-again.ts'
import { nearSkus } from '../../matching/near-skus.ts'
import { findNameOwners } from '../../files/name-allocation.ts'
import { nameKey, numberedName } from '../../files/rules.ts'
import { correctedRows, originalRows } from './body-rows.ts'
import { queueRecheck } from './check-queue.ts'
import { placesOf, PRODUCT_FIELDS, type CsvField } from './columns.ts'
import { readEdits, storeCorrection, undoCorrection, type RowEdit } from './edits.ts'
import { withEnding } from './endings.ts'
import { nameOfAddress } from './exports.ts'
import { rowsOfGroup, type Fix, type GroupPart } from './problem-groups.ts'
import { addressIn, cellText } from './row-values.ts'
import { requireOpen, type CsvUpload } from './uploads.ts'

export interface RowChange {
  row: number
  /** The corrected texts; null: the text of the file. */
  values?: Partial<Record<CsvField, string | null | undefined>> | undefined
  left_out?: boolean | undefined
}

/**
 * Corrects single rows, as one correction. Throws `conflict` while the whole file is checked or
 * after its import has started, and `validation_failed` for rows and columns that the file does not
 * have.
 */
export function changeRows(
  scope: ShopScope,
  id: string,
  changes: readonly RowChange[],
): Promise<void> {
  return correcting(scope, id, async (tx, upload) => {
    const numbers = changes.map(({ row }) => row)
    const originals = await originalRows(tx, upload, numbers)
    requireKnown(upload, changes, originals)
    const before = await readEdits(tx, id, numbers)
    const places = placesOf(upload.mapping, upload.headers)
    const edits = new Map<number, RowEdit>()
    for (const { row, values = {}, left_out } of changes) {
      const now = edits.get(row) ?? before.get(row)
      const cells = { ...now?.cells }
      const original = originals.get(row)?.cells ?? []
      for (const [field, text] of Object.entries(values) as [CsvField, string | null][]) {
        const at = places[field]
        if (text === null || text === cellText(original[at] ?? '')) delete cells[at]
        else cells[at] = text
      }
      edits.set(row, { row, cells, left_out: left_out ?? now?.left_out ?? false })
    }
    return [...edits.values()]
  }).then(() => undefined)
}

function requireKnown(
  { mapping }: CsvUpload,
  changes: readonly RowChange[],
  known: ReadonlyMap<number, unknown>,
): void {
  const details: ErrorDetail[] = []
  for (const [at, { row, values = {} }] of changes.entries()) {
    const wrong = (param: string, message: Text) =>
      details.push({ param: `rows.${at}.${param}`, code: 'invalid_value', message })
    if (!known.has(row)) wrong('row', say('The file has no row {row}', { row: String(row) }))
    for (const field of Object.keys(values) as CsvField[])
      if (mapping[field] === null) wrong(`values.${field}`, say('No column has this field'))
  }
  const [first] = details
  if (first)
    throw new AppError('validation_failed', { details, param: first.param, message: first.message })
}

/**
 * Corrects all rows of a group, or those with this text, as one correction. Returns the number of
 * changed rows. Throws as `changeRows` does.
 */
export function fixGroup(scope: ShopScope, id: string, part: GroupPart, fix: Fix): Promise<number> {
  return correcting(scope, id, async (tx, upload) => {
    const { rows, field, values } = await rowsOfGroup(tx, upload, part)
    const before = await readEdits(tx, id, rows)
    if (fix.type === 'leave_out')
      return rows.map((row) => ({ row, cells: before.get(row)?.cells ?? {}, left_out: true }))
    const places = placesOf(upload.mapping, upload.headers)
    if (field === null || places[field] < 0) return []
    const texts = await correctedTexts(tx, upload, { rows: values, field, fix })
    return [...texts].map(([row, text]) => {
      const now = before.get(row)
      const cells = { ...now?.cells, [places[field]]: text }
      return { row, cells, left_out: now?.left_out ?? false }
    })
  })
}

interface GroupFix {
  /** The rows, each with the texts that have the problem. */
  rows: ReadonlyMap<number, readonly string[]>
  field: CsvField
  fix: Exclude<Fix, { type: 'leave_out' }>
}

/** The new texts of the cells that the correction changes, by row. */
async function correctedTexts(
  tx: ShopScope,
  upload: CsvUpload,
  { rows, field, fix }: GroupFix,
): Promise<Map<number, string>> {
  const places = placesOf(upload.mapping, upload.headers)
  const texts = new Map<number, string>()
  const named: { row: number; filename: string }[] = []
  const names = new Set<string>()
  for await (const batch of correctedRows(tx, upload))
    for (const { row, cells } of batch) {
      const text = (of: CsvField) => (places[of] < 0 ? '' : cellText(cells[places[of]] ?? ''))
      if (fix.type === 'number') {
        names.add(nameKey(text('filename')))
        if (rows.has(row)) named.push({ row, filename: text('filename') })
        continue
      }
      const wrong = rows.get(row)
      if (!wrong) continue
      const now = text(field)
      const address = addressIn(text('file_url'))
      const next =
        fix.type === 'meant'
          ? now
          : fix.type === 'set' && isProductField(field)
            ? withOther(now, wrong, fix.text)
            : fixedText(now, fix, address)
      if (next !== now || fix.type === 'meant') texts.set(row, next)
    }
  if (fix.type === 'number') return numberedTexts(tx, named, names)
  return fix.type === 'meant' ? meantTexts(tx, texts) : texts
}

const isProductField = (field: CsvField): boolean =>
  (PRODUCT_FIELDS as readonly string[]).includes(field)

/** The text with another SKU instead of those that are wrong; its others stay. */
function withOther(now: string, wrong: readonly string[], other: string): string {
  if (wrong.length === 0 || wrong.includes(now)) return other
  const parts = partsOfNames(now).map((part) => (wrong.includes(part) ? other : part))
  return partsOfNames(parts.join(SKU_SEPARATOR)).join(SKU_SEPARATOR)
}

function fixedText(
  now: string,
  fix: Exclude<Fix, { type: 'leave_out' | 'number' | 'meant' }>,
  address: string,
): string {
  if (fix.type === 'set') return fix.text
  if (fix.type === 'from_address') return nameOfAddress(address, now)
  if (fix.type === 'extension') return withEnding(now, address)
  if (fix.type === 'decode') return decodedAgain(now) ?? now
  // Sent twice while the rows are being checked, it is put in front once.
  if (fix.type === 'prefix')
    return now === '' || now.startsWith(fix.text) ? now : `${fix.text}${now}`
  return now.replaceAll(fix.find, fix.with)
}

/** The SKUs that these cells are typing errors of; cells of which none is known are absent. */
async function meantTexts(
  tx: ShopScope,
  texts: ReadonlyMap<number, string>,
): Promise<Map<number, string>> {
  const meant = await nearSkus(tx, [
    ...new Set([...texts.values()].flatMap((text) => [text, ...partsOfNames(text)])),
  ])
  return new Map(
    [...texts].flatMap(([row, text]) => {
      const whole = meant.get(text)
      const next =
        whole ??
        partsOfNames(text)
          .map((part) => meant.get(part) ?? part)
          .join(SKU_SEPARATOR)
      return next === text ? [] : [[row, next] as const]
    }),
  )
}

const MAX_NUMBER = 1000
const NUMBERS_AT_ONCE = 50

/** Names with the lowest number that neither a row nor a file of the shop has. */
async function numberedTexts(
  tx: ShopScope,
  named: readonly { row: number; filename: string }[],
  names: Set<string>,
): Promise<Map<number, string>> {
  const texts = new Map<number, string>()
  let left = named
  for (let from = 2; left.length > 0 && from < MAX_NUMBER; from += NUMBERS_AT_ONCE) {
    const numbers = Array.from({ length: NUMBERS_AT_ONCE }, (_, n) => from + n)
    const keys = new Set(
      left.flatMap(({ filename }) => numbers.map((n) => nameKey(numberedName(filename, n)))),
    )
    const taken = await findNameOwners(tx, [...keys])
    left = left.filter(({ row, filename }) => {
      const free = numbers
        .map((n) => numberedName(filename, n))
        .find((name) => !names.has(nameKey(name)) && !taken.has(nameKey(name)))
      if (free === undefined) return true
      names.add(nameKey(free))
      texts.set(row, free)
      return false
    })
  }
  return texts
}

/** Takes back the last correction. Throws `conflict` as `changeRows` does, and if there is none. */
export async function undoLast(scope: ShopScope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const upload = await requireCorrectable(tx, id)
    await undoCorrection(tx, id)
    await queueRecheck(tx, upload)
  })
}

/** Stores the correction and queues the check of what it changes. Returns the number of rows. */
function correcting(
  scope: ShopScope,
  id: string,
  editsOf: (tx: ShopScope, upload: CsvUpload) => Promise<RowEdit[]>,
): Promise<number> {
  return scope.transaction(async (tx) => {
    const upload = await requireCorrectable(tx, id)
    const edits = await editsOf(tx, upload)
    if (edits.length === 0) return 0
    await storeCorrection(tx, id, edits)
    await queueRecheck(tx, upload)
    return edits.length
  })
}

/** Reads and locks a file whose rows can be corrected. */
export async function requireCorrectable(tx: ShopScope, id: string): Promise<CsvUpload> {
  const upload = await requireOpen(tx, id)
  if (upload.status === 'checking' && !upload.recheck)
    throw new AppError('conflict', {
      message: say('This file is being checked: wait, or stop the check'),
    })
  return upload
}
