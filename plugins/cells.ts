// Cells of exported CSV files: a text that a spreadsheet would run as a formula is marked as text,
// and our own import removes the mark.

const SIGNS = ['=', '+', '-', '@', '\t', '\r', '\n'] as const
/**
 * The first characters of formulas. Spreadsheets in Japanese and Chinese also run those that begin with a
 * sign of full width.
 */
export const FORMULA_SIGNS = [...SIGNS, '＝', '＋', '－', '＠'] as const
const MARK = "'"

const begins = (text: string, signs: readonly string[]) =>
  signs.some((sign) => text.startsWith(sign))

/** Signs of full width also begin ordinary titles. */
export const isFormula = (text: string): boolean => begins(text, SIGNS)

const isMarked = (text: string) => begins(text, [...FORMULA_SIGNS, MARK])

/**
 * A cell that no spreadsheet runs. A text that begins with the mark gets another one, so that every
 * text can be restored.
 */
export function plainCell(value: string | number | null | undefined): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  return isMarked(text) ? MARK + text : text
}

/** The original text of a `plainCell`. */
export function originalCell(cell: string): string {
  if (!cell.startsWith(MARK)) return cell
  const text = cell.slice(MARK.length)
  return isMarked(text) ? text : cell
}
