// Cells of CSV files that we write: a text that a spreadsheet would take for a formula is marked as text, and our own import
// takes the mark off again.

const FORMULA = /^[=+\-@\t\r]/

/** A cell that no spreadsheet runs. A text that begins with the mark itself gets another one, so that all come back as they were. */
export function plainCell(value: string | number | null | undefined): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  return FORMULA.test(text) || text.startsWith("'") ? `'${text}` : text
}

/** The text that was put into `plainCell`. */
export const originalCell = (cell: string): string =>
  cell.startsWith("'") && (FORMULA.test(cell.slice(1)) || cell.startsWith("''")) ? cell.slice(1) : cell
