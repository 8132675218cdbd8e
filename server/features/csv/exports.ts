// Exports of other shops: their rows are products, with several files in one row. They are rewritten
// as lists of files, one row for each file.
import { FILE_SETTINGS } from '../../../plugins/contract.ts'
import { isOfPictures, suggestColumns } from './columns.ts'
import { normalizeHeader } from './headers.ts'
import { cellText } from './row-values.ts'
import { firstOf } from '../../core/present.ts'

export type ExportId = 'woocommerce' | 'edd' | 'several_files'

/** Where the values of a file are in a row of another shop's export. */
export interface ExportShape {
  id: ExportId
  /** Columns with addresses, in order; a cell may have several. */
  files: readonly { url: number; name: number }[]
  sku: number
  title: number
  tags: number
  download_limit: number
  expiry_days: number
  /** Numbers that mean unlimited or never, as the other shop writes them. */
  none: ReadonlySet<string>
}

/** The columns of the list that an export is rewritten as. */
export const LIST_HEADERS = [
  'filename',
  'file_url',
  'product_sku',
  'tags',
  'download_limit',
  'expiry_days',
  'Product',
  'Row in the file',
] as const

/** The start of an address, after a separator: an address may contain another one. */
const BEGINNINGS = /(?<=^|[\s|;,])(?=https?:\/\/)/i
const SEPARATORS = /[\s|;,]+$/

/**
 * Finds the columns of another shop's export; null: the rows are files already, or have no files.
 */
export function exportShape(
  headers: readonly string[],
  sample: readonly (readonly string[])[],
): ExportShape | null {
  const names = headers.map(normalizeHeader)
  const at = (name: string) => names.indexOf(name)
  const suggested = suggestColumns(headers, sample)
  const column = (field: 'product_sku' | 'tags' | 'download_limit' | 'expiry_days' | 'filename') =>
    headers.indexOf(suggested[field]?.header ?? '')
  const usual = {
    sku: column('product_sku'),
    title: at('name') >= 0 ? at('name') : column('filename'),
    tags: column('tags'),
    download_limit: column('download_limit'),
    expiry_days: column('expiry_days'),
  }
  const downloads = numbered(names, /^download(\d+)url$/)
  if (downloads.length > 0 && at('sku') >= 0)
    return {
      ...usual,
      id: 'woocommerce',
      files: downloads.map(({ place, number }) => ({
        url: place,
        name: at(`download${number}name`),
      })),
      sku: at('sku'),
      tags: at('tags'),
      download_limit: at('downloadlimit'),
      expiry_days: at('downloadexpirydays'),
      none: new Set(['-1']),
    }
  if (at('eddfiles') >= 0)
    return {
      id: 'edd',
      files: [{ url: at('eddfiles'), name: -1 }],
      ...{ sku: at('eddsku'), title: at('posttitle'), tags: at('tags') },
      ...{ download_limit: at('edddownloadlimit'), expiry_days: -1 },
      none: new Set(['0', '-1']),
    }
  const files = severalColumns(names, sample) ?? severalInACell(headers, suggested, sample)
  return files && { ...usual, id: 'several_files', files, none: new Set(['-1']) }
}

/**
 * Is this the storefront's own list of products, in either of its forms? It has addresses of
 * pictures, and none of files.
 */
export function isStorefrontExport(headers: readonly string[]): boolean {
  const names = new Set(headers.map(normalizeHeader))
  return (
    (names.has('handle') && names.has('variantsku') && names.has('imagesrc')) ||
    (names.has('urlhandle') && names.has('sku') && names.has('productimageurl'))
  )
}

function numbered(names: readonly string[], form: RegExp) {
  const found = names.flatMap((name, place) => {
    const [, number] = form.exec(name) ?? []
    return number === undefined ? [] : [{ place, number: Number(number) }]
  })
  return found.toSorted((a, b) => a.number - b.number)
}

/** Finds columns with addresses whose headers differ by a number only: `File 1`, `File 2`, …. */
function severalColumns(
  names: readonly string[],
  sample: readonly (readonly string[])[],
): ExportShape['files'] | null {
  const stems = new Map<string, number[]>()
  for (const [place, name] of names.entries()) {
    const stem = name.replace(/\d+/, '#')
    if (!stem.includes('#') || isOfPictures(stem)) continue
    if (areAddresses(sample.map((cells) => cells[place])))
      stems.set(stem, [...(stems.get(stem) ?? []), place])
  }
  const groups = [...stems.values()].filter((places) => places.length > 1)
  return groups.length === 1 ? firstOf(groups).map((url) => ({ url, name: -1 })) : null
}

function severalInACell(
  headers: readonly string[],
  suggested: ReturnType<typeof suggestColumns>,
  sample: readonly (readonly string[])[],
): ExportShape['files'] | null {
  const url = headers.indexOf(suggested.file_url?.header ?? '')
  const isSeveral = url >= 0 && sample.some((cells) => addressesIn(cells[url] ?? '').length > 1)
  return isSeveral ? [{ url, name: headers.indexOf(suggested.filename?.header ?? '') }] : null
}

const areAddresses = (cells: readonly (string | undefined)[]): boolean => {
  const filled = cells.map((cell) => cellText(cell ?? '')).filter((text) => text !== '')
  return filled.length > 0 && filled.every((text) => /^https?:\/\//i.test(text))
}

/** The addresses of a cell, or its text if it has none. */
function addressesIn(cell: string): string[] {
  const text = cellText(cell)
  const parts = text.split(BEGINNINGS).map((part) => part.replace(SEPARATORS, ''))
  return parts.filter((part) => part !== '')
}

/** The rows of a list of files for one row of an export; none for a product without files. */
export function filesOfRow(shape: ExportShape, row: number, cells: readonly string[]): string[][] {
  const cell = (place: number) => (place < 0 ? '' : cellText(cells[place] ?? ''))
  const setting = (place: number, field: 'download_limit' | 'expiry_days') =>
    shape.none.has(cell(place)) ? FILE_SETTINGS[field].entry.none : cell(place)
  return shape.files.flatMap(({ url, name }) =>
    addressesIn(cells[url] ?? '').map((address) => [
      nameOfAddress(address, cell(name)),
      address,
      cell(shape.sku),
      cell(shape.tags),
      setting(shape.download_limit, 'download_limit'),
      setting(shape.expiry_days, 'expiry_days'),
      cell(shape.title),
      String(row),
    ]),
  )
}

const EXTENSION = /\.[a-z][a-z0-9]{0,7}$/i

/** The name under which buyers of the other shop got it: the end of the address. */
export function nameOfAddress(address: string, name: string): string {
  const [path = ''] = address.split(/[?#]/)
  const last = decoded(path.slice(path.lastIndexOf('/') + 1))
  if (EXTENSION.test(last)) return last
  return name === '' ? last : name
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
