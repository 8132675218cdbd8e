// Cells of CSV files that we write, by us or by the database: the same rule, so that our import
// takes back what either wrote.
import { FORMULA_SIGNS } from '../../plugins/contract.ts'

export { isFormula, originalCell, plainCell } from '../../plugins/contract.ts'

/** As PostgreSQL's regular expressions write a sign. */
const escaped = (sign: string) => ({ '\t': '\\t', '\r': '\\r', "'": "''" })[sign] ?? `\\${sign}`
const MARKED = `^[${["'", ...FORMULA_SIGNS].map(escaped).join('')}]`
const QUOTED = '[",\\n\\r]'

/**
 * SQL: a text as a cell between commas, marked as `plainCell` does and in quotes where a comma, a
 * quote or a line break is in it. `sql` is repeated in the result: pass a column, not a
 * computation.
 */
export function cellSql(sql: string): string {
  const marked = `case when ${sql} ~ '${MARKED}' then '''' || ${sql} else ${sql} end`
  const quoted = `case when ${sql} ~ '${QUOTED}' then '"' || replace(${marked}, '"', '""') || '"' else ${marked} end`
  // Few cells need any of it, and one look tells which.
  return `case when ${sql} ~ '${MARKED}|${QUOTED}' then ${quoted} else ${sql} end`
}
