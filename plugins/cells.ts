// Cells of exported CSV files: a text that a spreadsheet would run as a formula is marked as text,
// and our own import removes the mark.

/** The first characters of formulas. */
export const FORMULA_SIGNS = ['=', '+', '-', '@', '\t', '\r'] as const
const MARK = "'"

export const isFormula = (text: string) => FORMULA_SIGNS.some((sign) => text.startsWith(sign))

/**
 * A cell that no spreadsheet runs. A text that begins with the mark gets another one, so that every
 * text can be restored.
 */
export function plainCell(value: string | number | null | undefined): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  return isFormula(text) || text.startsWith(MARK) ? MARK + text : text
}

/** The original text of a `plainCell`. */
export function originalCell(cell: string): string {
  if (!cell.startsWith(MARK)) return cell
  const text = cell.slice(MARK.length)
  return isFormula(text) || text.startsWith(MARK) ? text : cell
}
