// Work for many rows, usually of different shops, of which one must not stop the others.
import { isDatabaseUnavailable } from './error-classes.ts'

/**
 * Calls `work` for each row, one after another. Throws the first error, but only after the last
 * row, unless the database is unavailable: then the other rows would fail too.
 */
export async function attemptEach<Row>(
  rows: readonly Row[],
  work: (row: Row) => Promise<unknown>,
): Promise<void> {
  const errors: unknown[] = []
  for (const row of rows)
    await work(row).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error
      errors.push(error)
    })
  if (errors.length > 0) throw errors[0]
}
