// Finds the rows that match a search. As on the platform, search ignores case and word separators,
// so callers that want exact values must compare them.
import { ownValue } from '../../plugins/contract/index.ts'
import type { Expression, Term } from './search-query.ts'

export interface TermMatcher {
  test(row: number): boolean
  /** All matching rows, if an index knows them. */
  find?(): readonly number[]
}

/** How one field is searched. Null: the value has no meaning for the field. */
export type SearchField = (term: Term) => TermMatcher | null
export type Fields = Readonly<Record<string, SearchField>>

export interface SearchWarning {
  field: string
  message: string
  code: 'invalid_field'
}

/**
 * Words in lower case with one space between them; text without letters and digits is unchanged.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  return lower.replace(/[^\p{L}\p{N}]+/gu, ' ').trim() || lower.trim()
}

/**
 * The matching rows, in no order; null for all rows.
 * @param anywhere how a term without a field is searched.
 */
export function search(
  expression: Expression | null,
  fields: Fields,
  anywhere: SearchField,
  rows: number,
): { found: number[] | null; warnings: SearchWarning[] } {
  const warnings: SearchWarning[] = []
  const matcher = expression && compile(expression, fields, anywhere, warnings)
  if (!matcher) return { found: null, warnings }
  if (matcher.find) return { found: [...new Set(matcher.find())], warnings }
  const found: number[] = []
  for (let row = 0; row < rows; row++) if (matcher.test(row)) found.push(row)
  return { found, warnings }
}

/**
 * The matcher of an expression; null: all its terms are on unknown fields, which the platform
 * ignores.
 */
function compile(
  expression: Expression,
  fields: Fields,
  anywhere: SearchField,
  warnings: SearchWarning[],
): TermMatcher | null {
  if (expression.kind === 'term') {
    if (expression.field === null) return anywhere(expression)
    const field = ownValue(fields, expression.field) ?? null
    if (field) return field(expression)
    warnings.push({
      field: expression.field,
      message: 'Invalid search field for this query.',
      code: 'invalid_field',
    })
    return null
  }
  if (expression.kind === 'not') {
    const of = compile(expression.of, fields, anywhere, warnings)
    return of && { test: (row) => !of.test(row) }
  }
  const parts = expression.of
    .map((one) => compile(one, fields, anywhere, warnings))
    .filter((one) => one !== null)
  if (parts.length === 0) return null
  return expression.kind === 'or' ? anyOf(parts) : allOf(parts)
}

export function anyOf(parts: readonly TermMatcher[]): TermMatcher {
  const test = (row: number) => parts.some((part) => part.test(row))
  const indexed = parts.flatMap(({ find }) => find ?? [])
  return indexed.length === parts.length
    ? { test, find: () => indexed.flatMap((find) => find()) }
    : { test }
}

function allOf(parts: readonly TermMatcher[]): TermMatcher {
  const test = (row: number) => parts.every((part) => part.test(row))
  const [find] = parts.flatMap((part) => part.find ?? [])
  return find ? { test, find: () => find().filter(test) } : { test }
}

/** A field that must match as a whole; several values are allowed: `vendor:A,B`. */
export function keyword(values: (row: number) => string | readonly string[]): SearchField {
  return (term) => {
    if (isPresence(term)) return { test: (row) => values(row).length > 0 }
    const wanted = term.quoted ? [fold(term.value)] : term.value.split(',').map(fold)
    const fits = (value: string) =>
      wanted.some((one) => (term.prefix ? fold(value).startsWith(one) : fold(value) === one))
    return {
      test: (row) => {
        const value = values(row)
        return typeof value === 'string' ? fits(value) : value.some(fits)
      },
    }
  }
}

/** A text field: it matches if it contains the words, in sequence if they were quoted. */
export function words(value: (row: number) => string): SearchField {
  return (term) => {
    if (isPresence(term)) return { test: (row) => value(row) !== '' }
    const wanted = fold(term.value)
    const end = term.prefix ? '' : ' '
    return { test: (row) => ` ${fold(value(row))} `.includes(` ${wanted}${end}`) }
  }
}

/** A field with an index of its folded values. */
export function indexed(
  value: (row: number) => string,
  find: (folded: string) => readonly number[],
): SearchField {
  return (term) => {
    if (isPresence(term)) return { test: (row) => value(row) !== '' }
    const wanted = fold(term.value)
    if (term.prefix)
      return { test: (row) => value(row) !== '' && fold(value(row)).startsWith(wanted) }
    return {
      test: (row) => value(row) !== '' && fold(value(row)) === wanted,
      find: () => find(wanted),
    }
  }
}

/** A number or a time, with comparators. `read` gives NaN for an invalid value. */
export function ordered(
  value: (row: number) => number,
  read: (text: string) => number,
): SearchField {
  return (term) => {
    const wanted = read(term.value)
    if (Number.isNaN(wanted)) return null
    const compare: Record<Term['comparator'], (row: number) => boolean> = {
      '=': (row) => value(row) === wanted,
      '<': (row) => value(row) < wanted,
      '<=': (row) => value(row) <= wanted,
      '>': (row) => value(row) > wanted,
      '>=': (row) => value(row) >= wanted,
    }
    return { test: compare[term.comparator] }
  }
}

/** `field:*` matches every row that has a value. */
const isPresence = (term: Term) => term.prefix && term.value === ''
