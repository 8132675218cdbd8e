// Texts about CSV files, their columns and problems.
import { type CsvCheck, type CsvField, type CsvProblem, type CsvUpload } from '../client/csv.ts'
import { type StatusWord } from './operation-status.ts'
import { t } from '../messages/t.ts'

export const CSV_FIELDS_TEXT: Record<CsvField, { label: string; help: string; required?: true }> = {
  filename: { label: t('Filename'), help: t('The name that buyers see.'), required: true },
  file_url: { label: t('File URL'), help: t('The URL to fetch the file from.'), required: true },
  product_sku: {
    label: t('Product SKU'),
    help: t('The file is attached to the product with this SKU.'),
  },
  expiry_days: { label: t('Expiry days'), help: t('Empty: as in Settings.') },
  download_limit: { label: t('Download limit'), help: t('Empty: as in Settings.') },
  tags: { label: t('Tags'), help: t('Separate several tags with commas or semicolons.') },
  id: {
    label: t('File ID'),
    help: t(
      'ID of an existing file: the row changes that file. Empty cells leave its settings unchanged.',
    ),
  },
}

/** The state of a file. */
export const CSV_STATUSES: Record<CsvUpload['status'], StatusWord> = {
  ready: { text: t('Not checked'), tone: undefined, progress: 'incomplete' },
  checking: { text: t('Being checked'), tone: 'info', progress: 'partiallyComplete' },
  checked: { text: t('Checked'), tone: 'attention', progress: undefined },
  started: { text: t('Imported'), tone: 'success', progress: 'complete' },
}

const ENCODINGS: Record<string, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
}
const DELIMITERS: Record<string, string> = {
  ',': t('Comma'),
  ';': t('Semicolon'),
  '\t': t('Tab'),
  '|': t('Vertical bar'),
}

export const encodingText = (encoding: string): string =>
  ENCODINGS[encoding.toLowerCase()] ?? encoding
export const delimiterText = (delimiter: string): string => DELIMITERS[delimiter] ?? delimiter

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
