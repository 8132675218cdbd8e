// The access that the rows of an export say a buyer has.
import { emailAddress, sayPlain } from '../../../plugins/contract/index.ts'
import {
  endOf,
  isPaid,
  productsOf,
  readDate,
  textAt,
  type NamedProduct,
  type ReadDate,
} from './order-cells.ts'
import type { RowFinding } from './findings.ts'
import type { BuyersPreset } from './presets.ts'

/** A buyer's access to the files of one product. Absent terms: the export does not say. */
export interface ExportedAccess {
  row: number
  email: string
  product: NamedProduct
  download?: string
  /** How many downloads are left; null: any number. */
  left?: number | null
  /** ISO 8601; null: it does not end. */
  expires?: string | null
  ordered?: string
}

const NOT_PAID = sayPlain('The order is not paid, or was refunded')
const NO_EMAIL = sayPlain('The row has no email address')
const WRONG_EMAIL = sayPlain('This is not an email address')
const NO_NAMED_PRODUCT = sayPlain('The row names no product')
const UNKNOWN_DATE = sayPlain('This date could not be read: write it as 2026-12-31')
const UNKNOWN_ORDER_DATE = sayPlain('The date of the order could not be read')
const UNKNOWN_COUNT = sayPlain('The number of downloads could not be read')

const ADDRESS = emailAddress(WRONG_EMAIL)
const UNLIMITED = new Set(['', 'null', '\\n', 'unlimited', '-1', '∞'])

/** Reads rows in order: those of one order may name its buyer only once. */
export function createBuyerReader(preset: BuyersPreset) {
  let last: { order: string; email: string; paid: boolean; ordered: string } | null = null
  return (
    row: number,
    cells: readonly string[],
  ): { access: ExportedAccess[]; findings: RowFinding[] } => {
    const order = textAt(cells, preset.order)
    const again = last !== null && order !== '' && order === last.order ? last : null
    const own = textAt(cells, preset.email)
    const email = own === '' && again ? again.email : own
    const status = preset.paid ? textAt(cells, preset.paid.at) : ''
    const paid =
      again && status === '' ? again.paid : preset.paid === null || isPaid(status, preset.paid)
    const ordered = textAt(cells, preset.ordered) || (again?.ordered ?? '')
    last = { order, email, paid, ordered }
    const wrong = (message: string) => ({
      access: [],
      findings: [{ row, severity: 'error' as const, message }],
    })
    if (!paid) return wrong(NOT_PAID)
    if (email === '') return wrong(NO_EMAIL)
    if (!ADDRESS.safeParse(email).success) return wrong(WRONG_EMAIL)
    const products = productsOf(cells, preset.product)
    if (products.length === 0) return wrong(NO_NAMED_PRODUCT)
    const terms = termsOf(preset, cells, ordered)
    if (typeof terms === 'string') return wrong(terms)
    const download = textAt(cells, preset.download)
    return {
      access: products.map((product) => ({
        row,
        email,
        product,
        ...terms.terms,
        ...(download === '' ? {} : { download }),
      })),
      findings: terms.warning ? [{ row, severity: 'warning', message: terms.warning }] : [],
    }
  }
}

/** A text: why the terms could not be read. */
function termsOf(
  { downloadsLeft, expires }: BuyersPreset,
  cells: readonly string[],
  orderedText: string,
) {
  const terms: Pick<ExportedAccess, 'left' | 'expires' | 'ordered'> = {}
  if (downloadsLeft >= 0) {
    const text = textAt(cells, downloadsLeft)
    if (UNLIMITED.has(text.toLowerCase())) terms.left = null
    else if (/^\d{1,9}$/.test(text)) terms.left = Number(text)
    else return UNKNOWN_COUNT
  }
  if (expires >= 0) {
    const date = readDate(textAt(cells, expires))
    if (date === 'unknown') return UNKNOWN_DATE
    terms.expires = date && endOf(date).toISOString()
  }
  const ordered: ReadDate | 'unknown' | null = readDate(orderedText)
  if (ordered === 'unknown') return { terms, warning: UNKNOWN_ORDER_DATE }
  if (ordered) terms.ordered = ordered.at.toISOString()
  return { terms, warning: null }
}
