// Many rows in one statement: a value that all rows share is bound once, the others are one JSON
// recordset. Parsing columns row by row is what takes the time in such a statement.
import { isDeepStrictEqual } from 'node:util'
import { firstOf } from '../present.ts'

export interface SharedRows<Name extends string> {
  /** The recordset, as `o`, for the FROM clause. */
  from: string
  /** The SQL of a column's value, with its type. */
  value(name: Name): string
  bindings: Record<string, unknown>
}

/**
 * @param types the SQL type of every column; a column that no row has is null
 * @param own columns that differ, or may differ, between rows: these are not compared
 */
export function sharedRows<Name extends string>(
  rows: readonly Readonly<Partial<Record<NoInfer<Name>, unknown>>>[],
  types: Readonly<Record<Name, string>>,
  own: readonly NoInfer<Name>[],
): SharedRows<Name> {
  const names = Object.keys(types) as Name[]
  const first = firstOf(rows)
  const given = names.filter(
    (name) =>
      own.includes(name) || rows.some((row) => !sameValue(row[name] ?? null, first[name] ?? null)),
  )
  const bindings: Record<string, unknown> = {}
  for (const name of names)
    if (!given.includes(name)) bindings[`same_${name}`] = bound(first[name] ?? null, types[name])
  bindings.own_rows = JSON.stringify(
    given.length === names.length ? rows : rows.map((row) => picked(row, given)),
  )
  return {
    from: `jsonb_to_recordset(:own_rows::jsonb) as o(${given.map((name) => `${name} ${types[name]}`).join(', ')})`,
    value: (name) => (given.includes(name) ? `o.${name}` : `:same_${name}::${types[name]}`),
    bindings,
  }
}

function picked<Name extends string>(
  row: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
) {
  const own: Record<string, unknown> = {}
  for (const name of names) if (row[name] !== undefined) own[name] = row[name]
  return own
}

const bound = (value: unknown, type: string): unknown =>
  type === 'jsonb' && value !== null ? JSON.stringify(value) : value

const sameValue = (a: unknown, b: unknown): boolean => a === b || isDeepStrictEqual(a, b)
