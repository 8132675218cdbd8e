// The state of a list in the address, declared once: search, filters, order and page. Names are the
// API's.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { toQuery } from '../client/client.ts'
import { type Query } from '../client/endpoints.ts'

export interface PagePosition {
  /** The number of the page that `cursor` leads to, from 1. */
  page: number
  cursor: string
}

/**
 * Reads one value; the empty text gives its default. Invalid values give the default too, because
 * anybody can write an address.
 */
type Field<Value> = (text: string) => Value

type Fields = Record<string, Field<Query[string]>>

type StateOf<Declared extends Fields> = {
  [Name in keyof Declared]: ReturnType<Declared[Name]>
} & PagePosition

/** The two directions for `useUrlState`. Defaults are not written. */
export function listState<Declared extends Fields>(fields: Declared) {
  const names = Object.keys(fields)
  return {
    read: (address: string): StateOf<Declared> => {
      const params = new URLSearchParams(address)
      const values = names.map((name) => [name, ownValue(fields, name)?.(params.get(name) ?? '')])
      return { ...Object.fromEntries(values), ...readPosition(params) } as StateOf<Declared>
    },
    write: (state: StateOf<Declared>): string => {
      const values = names.map((name) => {
        const value: Query[string] = ownValue(state, name)
        return [name, value === ownValue(fields, name)?.('') ? null : value]
      })
      const { page, cursor } = state
      return toQuery({ ...Object.fromEntries(values), page: cursor === '' ? null : page, cursor })
    },
  }
}

function readPosition(params: URLSearchParams): PagePosition {
  const cursor = params.get('cursor')?.trim() ?? ''
  const page = params.get('page') ?? ''
  return {
    page: cursor === '' ? 1 : Math.max(2, /^\d{1,9}$/.test(page) ? Number(page) : 2),
    cursor,
  }
}

/** A list without search and filters. */
export const PAGED = listState({})

/** A text as it is being typed, with its spaces. */
export const typed: Field<string> = (text) => text

export const trimmed: Field<string> = (text) => text.trim()

/** A trimmed text that matches; any other one is the empty string. */
export const matching =
  (pattern: RegExp): Field<string> =>
  (text) =>
    pattern.test(text.trim()) ? text.trim() : ''

/** YYYY-MM-DD, or the empty string. */
export const day = matching(/^\d{4}-\d{2}-\d{2}$/)

/** An id of the API. */
export const word = matching(/^[\w-]{1,100}$/)

/** A number whose digits match; any other text is null. */
export const whole =
  (pattern: RegExp): Field<number | null> =>
  (text) =>
    pattern.test(text.trim()) ? Number(text) : null

export const flag: Field<boolean> = (text) => text.trim() === 'true'

/** `true` or `false`; any other text is null. */
export const flagOrNone: Field<boolean | null> = (text) =>
  text.trim() === 'true' ? true : text.trim() === 'false' ? false : null

/** One of the values; any other text is `none`. */
export const oneOf =
  <Value extends string, None>(values: readonly Value[], none: None): Field<Value | None> =>
  (text) =>
    values.find((value) => value === text.trim()) ?? none

/** The words of a comma-separated list, each once. */
export const words: Field<string[]> = (text) => [
  ...new Set(
    text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  ),
]
