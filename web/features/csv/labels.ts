// Texts about CSV files, their columns and problems.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import {
  type CsvCheck,
  type CsvEncoding,
  type CsvField,
  type CsvProblem,
  type CsvUpload,
} from './calls.ts'
import { type StatusWord } from '../operations/operation-status.ts'
import { t } from '../../shell/messages/t.ts'

export const CSV_FIELDS_TEXT: Record<CsvField, { label: string; help: string; required?: true }> = {
  filename: { label: t('Filename'), help: t('The name that buyers see.'), required: true },
  file_url: { label: t('File URL'), help: t('The URL to fetch the file from.'), required: true },
  link_url: {
    label: t('Link address'),
    help: t('Makes the file a link: buyers are sent there. Such a row needs no file URL.'),
  },
  product_sku: {
    label: t('Product SKU'),
    help: t('The file is attached to the product with this SKU; write several as EB-001;EB-002.'),
  },
  product_handle: {
    label: t('Product handle'),
    help: t('The end of the product’s address in the shop; several with ; between them.'),
  },
  product_id: {
    label: t('Product ID'),
    help: t('As in the column products of an export. none: it is in no product.'),
  },
  expiry_days: { label: t('Expiry days'), help: t('Empty: as in Settings.') },
  download_limit: { label: t('Download limit'), help: t('Empty: as in Settings.') },
  visibility: { label: t('Visibility'), help: t('private or public. Empty: as in Settings.') },
  cdn: { label: t('CDN'), help: t('yes or no. Empty: as in Settings.') },
  download_notification: {
    label: t('Download notification'),
    help: t('yes: you are told of each download. Empty: no.'),
  },
  download_tracking: {
    label: t('Download tracking'),
    help: t('yes: times and places of downloads are stored. Empty: yes.'),
  },
  allowed_referrers: {
    label: t('Allowed referrers'),
    help: t('Sites that may link to the file, with ; between them. Empty or any: all sites.'),
  },
  view: {
    label: t('View in the browser'),
    help: t('download, both or view_only. Empty: as in Settings.'),
  },
  view_limit: {
    label: t('View limit'),
    help: t('Views of a link in the browser. Empty or unlimited: any number.'),
  },
  view_days: {
    label: t('View days'),
    help: t('Days that a link can be viewed. Empty or none: as long as it is valid.'),
  },
  available_from: {
    label: t('Available from'),
    help: t('A day like 2027-03-01. Empty or none: immediately.'),
  },
  available_after_days: {
    label: t('Available after days'),
    help: t('Days after the purchase. Empty or none: immediately.'),
  },
  first_use_hours: {
    label: t('First use hours'),
    help: t('Hours from the first download or view. Empty or none: not limited.'),
  },
  customer_tag: {
    label: t('Customer tag'),
    help: t('Buyers need this tag. Empty or none: all buyers.'),
  },
  buyer_text: {
    label: t('Text for buyers'),
    help: t('Instructions or thanks, beside the file. Empty or none: no text.'),
  },
  ask_for: {
    label: t('Ask for'),
    help: t('email: buyers enter their address before a download. Empty or none: nothing.'),
  },
  sample_pages: {
    label: t('Sample pages'),
    help: t('First pages of a PDF document that everyone may read. Empty or none: no sample.'),
  },
  sample_seconds: {
    label: t('Sample seconds'),
    help: t('First seconds of an audio file for everyone. Empty or none: no sample.'),
  },
  pack: {
    label: t('Pack'),
    help: t(
      'Its packs: A;B, or +A;-B to change them. A pack is created if there is none. none: it is in no pack.',
    ),
  },
  tags: {
    label: t('Tags'),
    help: t('Separate several with commas or semicolons. +new;-old adds and removes tags.'),
  },
  id: {
    label: t('File ID'),
    help: t(
      'ID of an existing file: the row changes that file. Empty cells leave its settings unchanged.',
    ),
  },
  sha256: {
    label: t('SHA-256'),
    help: t('The hash of the file at the URL. Other bytes are an error.'),
  },
  command: {
    label: t('Command'),
    help: t('new, update, merge, delete, restore or ignore. Empty: new files, and changes by ID.'),
  },
}

/** The state of a file. */
export const CSV_STATUSES: Record<CsvUpload['status'], StatusWord> = {
  ready: { text: t('Not checked'), tone: undefined, progress: 'incomplete' },
  checking: { text: t('Being checked'), tone: 'info', progress: 'partiallyComplete' },
  checked: { text: t('Checked'), tone: 'attention', progress: undefined },
  started: { text: t('Imported'), tone: 'success', progress: 'complete' },
}

export const ENCODINGS: Record<CsvEncoding, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': t('Western European (Windows-1252)'),
  macintosh: t('Western European (Mac Roman)'),
  'iso-8859-15': t('Western European (ISO 8859-15)'),
  ibm850: t('Western European (DOS)'),
  'windows-1250': t('Central European (Windows-1250)'),
  'iso-8859-2': t('Central European (ISO 8859-2)'),
  ibm852: t('Central European (DOS)'),
  'windows-1251': t('Cyrillic (Windows-1251)'),
  'koi8-r': t('Cyrillic (KOI8-R)'),
  'koi8-u': t('Cyrillic (KOI8-U)'),
  ibm866: t('Cyrillic (DOS)'),
  'iso-8859-5': t('Cyrillic (ISO 8859-5)'),
  'windows-1253': t('Greek (Windows-1253)'),
  'iso-8859-7': t('Greek (ISO 8859-7)'),
  'windows-1254': t('Turkish (Windows-1254)'),
  'windows-1255': t('Hebrew (Windows-1255)'),
  'iso-8859-8': t('Hebrew (ISO 8859-8)'),
  'windows-1256': t('Arabic (Windows-1256)'),
  'iso-8859-6': t('Arabic (ISO 8859-6)'),
  'windows-1257': t('Baltic (Windows-1257)'),
  'iso-8859-4': t('Baltic (ISO 8859-4)'),
  'iso-8859-13': t('Baltic (ISO 8859-13)'),
  'windows-1258': t('Vietnamese (Windows-1258)'),
  'windows-874': t('Thai (Windows-874)'),
  shift_jis: t('Japanese (Shift_JIS)'),
  'euc-jp': t('Japanese (EUC-JP)'),
  'iso-2022-jp': t('Japanese (ISO-2022-JP)'),
  gb18030: t('Chinese, simplified (GB 18030)'),
  big5: t('Chinese, traditional (Big5)'),
  'euc-kr': t('Korean (EUC-KR)'),
}
const DELIMITERS: Record<string, string> = {
  ',': t('Comma'),
  ';': t('Semicolon'),
  '\t': t('Tab'),
  '|': t('Vertical bar'),
}

export const delimiterText = (delimiter: string): string =>
  ownValue(DELIMITERS, delimiter) ?? delimiter

/** `Row 12, column file_url` */
export const problemPlace = ({ row, column }: Pick<CsvProblem, 'row' | 'column'>): string =>
  column === null
    ? t('Row {row, number}', { row })
    : t('Row {row, number}, column {column}', { row, column })

/** What a check is doing; `share`: its progress from 0 to 1, null if it is unknown. */
export function checkStage(check: CsvCheck, rows: number): { text: string; share: number | null } {
  const { phase, rows: read, skus, skus_total: allSkus, urls, urls_total: allUrls } = check
  if (phase === 'rows')
    return {
      text: t('Reading rows: {done, number} of {all, number}', { done: read, all: rows }),
      share: shareOf(read, rows),
    }
  if (phase === 'skus')
    return {
      text: t('Looking up SKUs: {done, number} of {all, number}', { done: skus, all: allSkus }),
      share: shareOf(skus, allSkus),
    }
  if (phase === 'urls')
    return {
      text: t('Checking file URLs: {done, number} of {all, number}', { done: urls, all: allUrls }),
      share: shareOf(urls, allUrls),
    }
  return phase === 'waiting'
    ? { text: t('Waiting to begin'), share: null }
    : { text: t('Done'), share: 1 }
}

const shareOf = (done: number, all: number): number | null => (all === 0 ? null : done / all)

/** A small example file. */
export const EXAMPLE_CSV = [
  'filename,file_url,product_sku,expiry_days,download_limit,tags',
  'guide.pdf,https://example.com/guide.pdf,SKU-1,60,5,"ebook,guide"',
  'course.zip,https://example.com/course.zip,SKU-2,,,course',
  '',
].join('\r\n')
