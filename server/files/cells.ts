// Cells of exported CSV files, written by our code or by the database: both follow one rule, so
// that our import reads both back.
import { FORMULA_SIGNS } from '../../plugins/contract.ts'

export { isFormula, originalCell, plainCell } from '../../plugins/contract.ts'

/** Escapes a sign for PostgreSQL's regular expressions. */
const escaped = (sign: string) =>
  ({ '\t': '\\t', '\r': '\\r', '\n': '\\n', "'": "''" })[sign] ??
  (sign < '\x80' ? `\\${sign}` : sign)
const MARKED = `^[${["'", ...FORMULA_SIGNS].map(escaped).join('')}]`
const QUOTED = '[",\\n\\r]'

/**
 * SQL: a text as a cell between commas, marked as `plainCell` does, and quoted if it contains a
 * comma, a quote or a line break. `sql` is repeated in the result: pass a column, not a
 * computation.
 */
export function cellSql(sql: string): string {
  const marked = `case when ${sql} ~ '${MARKED}' then '''' || ${sql} else ${sql} end`
  const quoted = `case when ${sql} ~ '${QUOTED}' then '"' || replace(${marked}, '"', '""') || '"' else ${marked} end`
  // Few cells need marks or quotes, and this one test skips the others.
  return `case when ${sql} ~ '${MARKED}|${QUOTED}' then ${quoted} else ${sql} end`
}
