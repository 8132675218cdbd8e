// Cells of exported CSV files: a text that a spreadsheet would run as a formula is marked as text,
// and our own import removes the mark.

const SIGNS = ['=', '+', '-', '@', '\t', '\r', '\n'] as const
/**
 * The first characters of formulas. Spreadsheets in Japanese and Chinese also run those that begin with a
 * sign of full width.
 */
export const FORMULA_SIGNS = [...SIGNS, '＝', '＋', '－', '＠'] as const
const MARK = "'"
const MARKED_SIGNS = [...FORMULA_SIGNS, MARK]

const begins = (text: string, signs: readonly string[]) =>
  signs.some((sign) => text.startsWith(sign))

/** Signs of full width also begin ordinary titles. */
export const isFormula = (text: string): boolean => begins(text, SIGNS)

const isMarked = (text: string) => begins(text, MARKED_SIGNS)

/**
 * A cell that no spreadsheet runs. A text that begins with the mark gets another one, so that every
 * text can be restored.
 */
export function plainCell(value: string | number | null | undefined): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  return isMarked(text) || IS_UNUSUAL.test(text) ? MARK + text : text
}

const MONTHS =
  '(jan|feb|fév|fev|ene|mar|mär|apr|abr|avr|may|mai|mei|jun|juin|jul|juil|aug|ago|aoû|sep|set|oct|okt|out|ott|nov|dec|dez|dic|déc)[a-zäûé]*[.]*'
const GAP = '[-/., ]*'

/**
 * The source of a regular expression for JavaScript and PostgreSQL, without regard to case: texts that a
 * spreadsheet reads as a number, a day, a time or a truth value, and saves in another form: `007`, `3.10`,
 * `2024-05`, `5%`, `Mar 5`; and texts that mean no value, such as `NULL`. It has no question mark, which would be a parameter of a query, and no counts, which are slow there.
 */
export const LIKE_NUMBER = `^(${[
  '[($€£¥.,]*[0-9][-0-9.,:/ %e+)$€£¥]*([ap]m|)',
  `[0-9]*${GAP}${MONTHS}${GAP}[0-9]+`,
  `[0-9]+${GAP}${MONTHS}`,
  'true|false|wahr|falsch|vrai|faux|verdadero|falso|verdadeiro|vero|waar|onwaar',
  // Cells without a value, and formulas without a result.
  String.raw`null|[(]null[)]|\[null\]|nan|#nv|#n/[ad]|[\\]n|#[^ ]+[!\x3f]|err:5[0-9]+`,
].join('|')})$`
const NUMBER = new RegExp(LIKE_NUMBER, 'i')
/** Longer texts are not converted. */
export const LONGEST_NUMBER = 24

/**
 * The source of a regular expression for JavaScript and PostgreSQL: characters without width, which imports
 * remove from both ends of a cell, and U+FFFD, which stands for unreadable bytes in files of other programs.
 */
export const UNUSUAL = '^[\u200b\u2060]|[\u200b\u2060]$|\ufffd'
const IS_UNUSUAL = new RegExp(UNUSUAL)

const isNumber = (text: string) => text.length <= LONGEST_NUMBER && NUMBER.test(text)

/** The original text of a marked cell. */
export function originalCell(cell: string): string {
  if (!cell.startsWith(MARK)) return cell
  const text = cell.slice(MARK.length)
  return isMarked(text) || isNumber(text) || IS_UNUSUAL.test(text) ? text : cell
}
