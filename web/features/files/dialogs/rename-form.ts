// The values of a rename: by a pattern, or by find and replace.
import { type Errors, type FormReading, wholeNumber } from './use-form.ts'
import { t } from '../../../shell/messages/t.ts'

export interface RenameForm {
  mode: 'pattern' | 'replace'
  pattern: string
  start: string
  /** The least number of digits. */
  digits: string
  date_format: string
  find: string
  replace: string
  case_sensitive: boolean
  regex: boolean
  keep_extension: boolean
  /** What happens to a file that lacks a value. */
  missing: 'skip' | 'omit'
}

export const VARIABLES = {
  '{original}': t('current name'),
  '{product_name}': t('name of the mapped product'),
  '{sku}': t('SKU of the mapped product'),
  '{tags}': t('tags'),
  '{pack}': t('name of the pack'),
  '{version}': t('version number'),
  '{sequence}': t('sequence number'),
  '{date}': t('upload date'),
  '{extension}': t('extension'),
} as const

const MAY_LACK = ['{product_name}', '{sku}', '{tags}', '{pack}', '{extension}']

/** Whether a file may lack a value of the pattern. */
export const mayLack = (pattern: string): boolean =>
  MAY_LACK.some((variable) => pattern.includes(variable))

export const DATE_FORMATS = [
  'YYYY-MM-DD',
  'YYYYMMDD',
  'DD-MM-YYYY',
  'MM-DD-YYYY',
  'YYYY-MM',
  'YYYY',
]

export const EMPTY_RENAME: RenameForm = {
  mode: 'pattern',
  pattern: '{original}',
  start: '1',
  digits: '3',
  date_format: 'YYYY-MM-DD',
  find: '',
  replace: '',
  case_sensitive: false,
  regex: false,
  keep_extension: true,
  missing: 'skip',
}

const KNOWN = new Set(Object.keys(VARIABLES))

export function readRename({ mode, keep_extension, ...form }: RenameForm): FormReading {
  if (mode === 'replace') {
    const { find, replace, case_sensitive, regex } = form
    if (find === '') return { errors: { find: t('Enter the text to find') } }
    return { options: { mode, find, replace, case_sensitive, regex, keep_extension } }
  }
  const errors: Errors = {}
  const pattern = form.pattern.trim()
  const unknown = pattern.match(/\{[^}]*\}/g)?.find((variable) => !KNOWN.has(variable))
  const [start, digits] = [
    wholeNumber(form.start, 0, 1_000_000_000),
    wholeNumber(form.digits, 1, 9),
  ]
  if (pattern === '') errors.pattern = t('Enter a pattern')
  else if (unknown !== undefined) errors.pattern = t('Unknown variable: {unknown}', { unknown })
  if (start === null) errors.start = t('Enter a whole number from 0 up')
  if (digits === null) errors.digits = t('Enter a whole number from 1 to 9')
  if (Object.keys(errors).length > 0) return { errors }
  return {
    options: {
      mode,
      pattern,
      start,
      digits,
      date_format: form.date_format,
      keep_extension,
      ...(mayLack(pattern) && form.missing === 'omit' ? { missing: form.missing } : {}),
    },
  }
}
