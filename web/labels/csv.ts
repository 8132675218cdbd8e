// How a CSV file, its columns and what was found in it read.
import { type CsvCheck, type CsvField, type CsvProblem, type CsvUpload } from '../client/csv.ts'
import { type StatusWord } from './operation.ts'
import { numberText } from './size.ts'

export const CSV_FIELDS_TEXT: Record<CsvField, { label: string; help: string; required?: true }> = {
  filename: { label: 'Filename', help: 'The name that buyers see.', required: true },
  file_url: { label: 'File URL', help: 'Where the file is fetched from.', required: true },
  product_sku: { label: 'Product SKU', help: 'The file is attached to the product with this SKU.' },
  expiry_days: { label: 'Expiry days', help: 'Empty: as in Settings.' },
  download_limit: { label: 'Download limit', help: 'Empty: as in Settings.' },
  tags: { label: 'Tags', help: 'Several in one cell, between commas or semicolons.' },
  id: {
    label: 'File ID',
    help: 'Of a file that is here already: its row changes that file. Empty cells leave it as it is.',
  },
}

/** How far a file is. */
export const CSV_STATUSES: Record<CsvUpload['status'], StatusWord> = {
  ready: { text: 'Not checked', tone: undefined, progress: 'incomplete' },
  checking: { text: 'Being checked', tone: 'info', progress: 'partiallyComplete' },
  checked: { text: 'Checked', tone: 'attention', progress: undefined },
  started: { text: 'Imported', tone: 'success', progress: 'complete' },
}

const ENCODINGS: Record<string, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
}
const DELIMITERS: Record<string, string> = {
  ',': 'Comma',
  ';': 'Semicolon',
  '\t': 'Tab',
  '|': 'Vertical bar',
}

export const encodingText = (encoding: string): string =>
  ENCODINGS[encoding.toLowerCase()] ?? encoding
export const delimiterText = (delimiter: string): string => DELIMITERS[delimiter] ?? delimiter

/** `Row 12, column file_url` */
export const problemPlace = ({ row, column }: Pick<CsvProblem, 'row' | 'column'>): string =>
  `Row ${numberText(row)}${column === null ? '' : `, column ${column}`}`

/** What a check is doing, and how far it is; `share` from 0 to 1, null where that can't be said. */
export function checkStage(check: CsvCheck, rows: number): { text: string; share: number | null } {
  const of = (done: number, all: number, what: string) => ({
    text: `${what}: ${numberText(done)} of ${numberText(all)}`,
    share: all === 0 ? null : done / all,
  })
  if (check.phase === 'rows') return of(check.rows, rows, 'Reading rows')
  if (check.phase === 'skus') return of(check.skus, check.skus_total, 'Looking up SKUs')
  if (check.phase === 'urls') return of(check.urls, check.urls_total, 'Asking file URLs')
  return check.phase === 'waiting'
    ? { text: 'Waiting to begin', share: null }
    : { text: 'Done', share: 1 }
}

/** A small file to begin with. */
export const EXAMPLE_CSV = [
  'filename,file_url,product_sku,expiry_days,download_limit,tags',
  'guide.pdf,https://example.com/guide.pdf,SKU-1,60,5,"ebook,guide"',
  'course.zip,https://example.com/course.zip,SKU-2,,,course',
  '',
].join('\r\n')
