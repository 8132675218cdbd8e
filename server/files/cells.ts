// Cells of exported CSV files, written by our code or by the database: both follow one rule, so
// that our import reads both back.
import {
  FORMULA_SIGNS,
  LIKE_NUMBER,
  LONGEST_NUMBER,
  UNUSUAL,
  ownValue,
} from '../../plugins/contract/index.ts'

export { isFormula, originalCell, plainCell } from '../../plugins/contract/index.ts'

/** Escapes a sign for PostgreSQL's regular expressions. */
const escaped = (sign: string) =>
  ownValue({ '\t': '\\t', '\r': '\\r', '\n': '\\n', "'": "''" }, sign) ??
  (sign < '\x80' ? `\\${sign}` : sign)
const SIGNS = `^[${["'", ...FORMULA_SIGNS].map(escaped).join('')}]|${UNUSUAL}`
/** A number that spreadsheets save as it is. */
const PLAIN = '^(0|[1-9][0-9]{0,14})$'
const QUOTED = '[",\\n\\r]'

/**
 * SQL: a text as a cell between commas, and quoted if it contains a comma, a quote or a line break. It
 * is marked as `plainCell` does, and also if a spreadsheet would change it: our import removes the mark.
 * `sql` is repeated in the result: pass a column, not a computation.
 */
export function cellSql(sql: string): string {
  // Most names have an extension of three letters: this test is cheaper than the next one. `12.Okt` is a day.
  const named = `(${sql} like '%.___' and right(${sql}, 1) > '9' and ${sql} !~ '^[0-9]+[.]')`
  const changes = `(length(${sql}) <= ${LONGEST_NUMBER} and not ${named} and ${sql} ~* '${LIKE_NUMBER}' and ${sql} !~ '${PLAIN}')`
  const marked = `case when ${sql} ~ '${SIGNS}' or ${changes} then '''' || ${sql} else ${sql} end`
  const quoted = `case when ${sql} ~ '${QUOTED}' then '"' || replace(${marked}, '"', '""') || '"' else ${marked} end`
  // Few cells need marks or quotes, and these tests skip the others.
  return `case when ${sql} ~ '${SIGNS}|${QUOTED}' or ${changes} then ${quoted} else ${sql} end`
}
