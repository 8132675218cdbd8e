// Exports of other shops: their rows are products, with several files in one row. They are rewritten
// as lists of files, one row for each file.
import { FILE_SETTINGS, hasExtension } from '../../../plugins/contract/index.ts'
import { isNameOfPictures, suggestColumns } from './columns.ts'
import { endingOfAddress, withEnding } from './endings.ts'
import { normalizeHeader } from './headers.ts'
import { cellText } from './row-values.ts'
import { escapedTags } from './tag-cells.ts'
import { percentDecoded } from '../../core/texts.ts'
import { firstOf } from '../../core/lazy.ts'

export type ExportId = 'woocommerce' | 'edd' | 'several_files'

/** Where the values of a file are in a row of another shop's export. */
export interface ExportShape {
  id: ExportId
  /** Columns with addresses, in order; a cell may have several. */
  files: readonly { url: number; name: number; id?: number }[]
  sku: number
  title: number
  tags: number
  download_limit: number
  expiry_days: number
  /** Numbers that mean unlimited or never, as the other shop writes them. */
  none: ReadonlySet<string>
  /** What the other shop writes after an address. */
  suffix?: RegExp
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
const SEPARATORS = /(?<![\s|;,])[\s|;,]+$/

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
  const shop = wooColumns(names)
  if (shop)
    return {
      ...usual,
      ...shop,
      tags: at('tags') < 0 ? usual.tags : at('tags'),
      id: 'woocommerce',
      none: new Set(['-1']),
    }
  const edd = eddColumns(at)
  if (edd) return edd
  const files = severalColumns(names, sample) ?? severalInACell(headers, suggested, sample)
  return files && { ...usual, id: 'several_files', files, none: new Set(['-1']) }
}

/** Headers of WooCommerce's export, in the languages of its users; `#` is the download's number. */
const WOO = {
  url: 'Download # URL|URL de téléchargement #|URL de la descarga #|URL de download #|ダウンロード # の URL|URL download #',
  name: 'Download # name|Nom de téléchargement #|Nombre de la descarga #|Nome do download #|ダウンロード # の名前|Nome # download|Naam download #',
  id: 'Download # ID|ID de téléchargement #|ID de la descarga #|ID do download #|ダウンロード # の ID|ID # download|ID download #',
  sku: 'SKU|Artikelnummer|UGS|REF|COD',
  download_limit:
    'Download limit|Limite de téléchargement|Límite de descargas|Limite de download|ダウンロード制限|Limite di download|Downloadlimiet',
  expiry_days:
    'Download expiry days|Ablauftage des Downloads|Jours d’expiration du téléchargement|Días de expiración de la descarga|Dias para expirar o download|ダウンロード有効期限日|Scarica i giorni di scadenza|Dagen vervaltijd download',
} as const

/** The columns of WooCommerce's export; null: it is none. */
function wooColumns(names: readonly string[]) {
  const forms = (field: keyof typeof WOO) => WOO[field].split('|')
  const one = (field: keyof typeof WOO) => {
    const named = new Set(forms(field).map(normalizeHeader))
    return names.findIndex((name) => named.has(name))
  }
  const each = (field: 'url' | 'name' | 'id') =>
    forms(field).flatMap((form) => {
      const [before = '', after = ''] = form.split('#').map(normalizeHeader)
      return numbered(names, new RegExp(`^${before}(\\d+)${after}$`))
    })
  const placeOf = (field: 'name' | 'id', number: number) =>
    each(field).find((column) => column.number === number)?.place ?? -1
  const urls = each('url')
  const sku = one('sku')
  if (urls.length === 0 || sku < 0) return null
  return {
    files: urls.map(({ place, number }) => ({
      url: place,
      name: placeOf('name', number),
      id: placeOf('id', number),
    })),
    sku,
    download_limit: one('download_limit'),
    expiry_days: one('expiry_days'),
  }
}

/**
 * Easy Digital Downloads writes the names of its fields, or, since 3.0, labels for them. Products with
 * several prices have files with the number of a price: `https://…;2`, or `;all`.
 */
function eddColumns(at: (name: string) => number): ExportShape | null {
  const labels = at('files') >= 0 && at('filedownloadlimit') >= 0 && at('slug') >= 0
  if (at('eddfiles') < 0 && !labels) return null
  const either = (field: string, label: string) => (at(field) < 0 ? at(label) : at(field))
  return {
    id: 'edd',
    files: [{ url: either('eddfiles', 'files'), name: -1 }],
    sku: either('eddsku', 'sku'),
    title: either('posttitle', 'name'),
    tags: at('tags'),
    download_limit: either('edddownloadlimit', 'filedownloadlimit'),
    expiry_days: -1,
    none: new Set(['0', '-1']),
    suffix: /;(?:all|\d+)$/,
  }
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
    if (!stem.includes('#') || isNameOfPictures(stem)) continue
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
  const isSeveral =
    url >= 0 && sample.some((cells) => [...addressesIn(cells[url] ?? '')].length > 1)
  return isSeveral ? [{ url, name: headers.indexOf(suggested.filename?.header ?? '') }] : null
}

const areAddresses = (cells: readonly (string | undefined)[]): boolean => {
  const filled = cells.map((cell) => cellText(cell ?? '')).filter((text) => text !== '')
  return filled.length > 0 && filled.every((text) => /^https?:\/\//i.test(text))
}

interface Address {
  address: string
  /** The name of the file that stands before the address; '': none does. */
  name: string
}

/** Attachments of Airtable: `guide.pdf (https://…),map.pdf (https://…)`. */
const ATTACHED = /\((https?:\/\/(?:(?!\(https?:)\S)+?)\)(?=[\s,;|]|$)/gi

/** The attachments that make up the text; none: it has something else too. */
function attachmentsIn(text: string): Address[] {
  const found: Address[] = []
  let end = 0
  for (const { 0: whole, 1: address = '', index } of text.matchAll(ATTACHED)) {
    const name = text.slice(end, index).replace(/^[\s,;|]+/, '')
    found.push({ address, name: name.trim().replace(/^!?\[([^]*)\]$/, '$1') })
    end = index + whole.length
  }
  const isAll =
    /^[\s,;|]*$/.test(text.slice(end)) &&
    found.every(({ name }) => name !== '' && !/https?:\/\//i.test(name))
  return isAll ? found : []
}

/** The addresses of a cell, or its text if it has none. */
function* addressesIn(cell: string, suffix = /$/): Generator<Address> {
  const text = cellText(cell)
  const attached = attachmentsIn(text)
  if (attached.length > 0) return yield* attached
  for (const given of text.split(BEGINNINGS)) {
    const part = given.replace(SEPARATORS, '').replace(suffix, '')
    if (part !== '') yield attachmentsIn(part)[0] ?? { address: part, name: '' }
  }
}

/**
 * The rows of a list of files for one row of an export; none for a product without files. Read one by one:
 * a cell may have tens of thousands of addresses.
 */
export function* filesOfRow(
  shape: ExportShape,
  row: number,
  cells: readonly string[],
): Generator<string[]> {
  const cell = (place: number) => (place < 0 ? '' : cellText(cells[place] ?? ''))
  const setting = (place: number, field: 'download_limit' | 'expiry_days') =>
    shape.none.has(cell(place)) ? FILE_SETTINGS[field].entry.none : cell(place)
  // The same for all files of the row.
  const common = [
    cell(shape.sku),
    escapedTags(cell(shape.tags).replaceAll(' | ', ', ')),
    setting(shape.download_limit, 'download_limit'),
    setting(shape.expiry_days, 'expiry_days'),
    cell(shape.title),
    String(row),
  ]
  for (const { url, name } of shape.files) {
    const named = cell(name)
    for (const { address, name: own } of addressesIn(cells[url] ?? '', shape.suffix))
      yield [
        own === '' ? nameOfAddress(address, named) : withEnding(own, address),
        address,
        ...common,
      ]
  }
}

/** The name under which buyers of the other shop got it: the end of the address. */
export function nameOfAddress(address: string, name: string): string {
  const [path = ''] = address.split(/[?#]/)
  const end = path.slice(path.lastIndexOf('/') + 1)
  const last = percentDecoded(end) ?? end
  // Without a known type, the end may be a number of a version: `pattern-2.5x`.
  if (hasExtension(last) && (endingOfAddress(address) !== '' || !hasExtension(name))) return last
  return name === '' ? last : name
}
