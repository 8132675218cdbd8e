// Cells of orders: their products, their dates, and whether they are paid.
import { cellText } from '../csv/row-values.ts'

/** Where a row names its product; -1: nowhere. */
export interface ProductColumns {
  id: number
  sku: number
  title: number
  handle: number
  /**
   * `edd`: several products, with prices; `line`: the title and the variant; `plain`: one product,
   * or several with commas between them.
   */
  form: 'plain' | 'line' | 'edd'
}

/** A product as another app names it. Absent: not at all. */
export interface NamedProduct {
  id?: string
  sku?: string
  /** The whole title first, then without what may be a variant. */
  titles: readonly string[]
  handle?: string
}

export const textAt = (cells: readonly string[], at: number): string =>
  at < 0 ? '' : cellText(cells[at] ?? '')

const DIGITS = /^\d+$/

/** The products of a row, at least one unless it names none. */
export function productsOf(cells: readonly string[], columns: ProductColumns): NamedProduct[] {
  const title = textAt(cells, columns.title)
  const sku = textAt(cells, columns.sku)
  if (columns.form === 'edd') return eddProducts(title, sku)
  const id = textAt(cells, columns.id)
  const handle = textAt(cells, columns.handle)
  const titles = columns.form === 'line' ? lineTitles(title) : title === '' ? [] : [title]
  if (id === '' && sku === '' && handle === '' && titles.length === 0) return []
  return [
    {
      titles,
      ...(DIGITS.test(id) || id.startsWith('gid://') ? { id } : {}),
      ...(sku === '' ? {} : { sku }),
      ...(handle === '' ? {} : { handle }),
    },
  ]
}

/** `Guide - PDF` may be the variant PDF of the product Guide. */
function lineTitles(title: string): string[] {
  const variant = title.lastIndexOf(' - ')
  return title === '' ? [] : variant > 0 ? [title, title.slice(0, variant)] : [title]
}

/** `Guide|12.5{2.1} / Album|9{0}{2}`: titles with price, tax and the number of the price. */
const EDD_PRICE = /\|-?[\d.,]{0,40}\{[^}]{0,40}\}(?:\{[^}]{0,40}\})?$/
const EDD_PRICE_CHARACTERS = 130

/** A title may contain the separator, so a product ends with a price. */
function eddTitles(text: string): string[] {
  const titles: string[] = []
  let start = 0
  for (let next = 0; next < text.length;) {
    const separator = text.indexOf(' / ', next)
    const end = separator < 0 ? text.length : separator
    const tail = Math.max(start, end - EDD_PRICE_CHARACTERS)
    const price = text.slice(tail, end).search(EDD_PRICE)
    next = end + ' / '.length
    if (price < 0 || tail + price === start) continue
    titles.push(text.slice(start, tail + price).trim())
    start = next
  }
  return titles
}

function eddProducts(text: string, skus: string): NamedProduct[] {
  const titles = eddTitles(text)
  // A product without a SKU leaves its place empty.
  const each = skus.split(/ \/(?: |$)/).map((sku) => sku.trim())
  return titles.map((title, n) => ({
    titles: [title],
    ...(each.length === titles.length && each[n] ? { sku: each[n] } : {}),
  }))
}

/** The column with the status of an order, and which statuses entitle its buyer. */
export interface PaidRule {
  at: number
  statuses: ReadonlySet<string>
}

export const paidOf = (at: number, statuses: readonly string[]): PaidRule | null =>
  at < 0 ? null : { at, statuses: new Set(statuses) }

export const isPaid = (text: string, { statuses }: PaidRule): boolean =>
  statuses.has(text.toLowerCase().replaceAll(/[\s-]+/g, '_'))

/** What databases and other apps write for no date. */
const NO_DATE = new Set(['', 'null', '\\n', 'never', '0', '-'])
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i
const GERMAN = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? (\d{1,2}):(\d{2})(?::(\d{2}))?)?$/
const DAY_MS = 24 * 60 * 60 * 1000

export interface ReadDate {
  at: Date
  /** Without a time: the whole day. */
  day: boolean
}

/** Null: none; `unknown`: it could not be read. Times without a zone are in UTC. */
export function readDate(text: string): ReadDate | null | 'unknown' {
  if (NO_DATE.has(text.toLowerCase()) || text.startsWith('0000-00-00')) return null
  const iso = ISO.exec(text)
  const german = GERMAN.exec(text)
  const [year, month, day, hour = '0', minute = '0', second = '0'] = iso
    ? iso.slice(1, 7)
    : german
      ? [german[3], german[2], german[1], ...german.slice(4, 7)]
      : []
  if (year === undefined || month === undefined || day === undefined) return 'unknown'
  const utc = Date.UTC(+year, +month - 1, +day, +hour, +minute, +second)
  if (new Date(utc).getUTCDate() !== Number(day)) return 'unknown'
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)]
  return {
    at: new Date(utc - zoneMs(iso?.[7])),
    day: hours === 0 && minutes === 0 && seconds === 0,
  }
}

function zoneMs(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '') ?? []
  if (hours === undefined || minutes === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** The end of an access: of the day, if the export names a day. */
export const endOf = ({ at, day }: ReadDate): Date => (day ? new Date(+at + DAY_MS) : at)
