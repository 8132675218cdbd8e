// A column that contains sealed values. A value whose column is stated nowhere could not be opened
// any more after APP_SECRET was replaced; a test compares the places with the code that seals.

/** A row of a place. `shop` is 0, and `name` empty, in tables without them. */
export interface SealedRow {
  shop: number
  name: string
}

export interface SealedPlace {
  table: string
  column: string
  /**
   * `bytes`: the value itself. `text`: in base64. `json`: in base64, under the names `sealed` and
   * `…_sealed`, at any depth.
   */
  format: 'bytes' | 'text' | 'json'
  /** The context that the value is sealed for. */
  about(row: SealedRow): string
  /** The column that is part of it. */
  name?: string
  /** The table has no shops. */
  global?: true
}

/** Columns of a shop's table, all sealed for one context. */
export const sealedBytes = (
  table: string,
  columns: readonly string[],
  place: (shop: number) => string,
): SealedPlace[] =>
  columns.map((column) => ({ table, column, format: 'bytes', about: ({ shop }) => place(shop) }))
