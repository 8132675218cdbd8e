// Sweeps of many rows, in short transactions.

/** More would keep the sweeps that follow waiting; the next run continues. */
const MAX_BATCHES = 200

/**
 * Calls `sweep` until it returns fewer rows than `limit`, but at most 200 times; returns the number
 * of all rows.
 */
export async function inBatches(
  limit: number,
  sweep: (limit: number) => Promise<{ rowCount: number | null }>,
): Promise<number> {
  let swept = 0
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const rowCount = (await sweep(limit)).rowCount ?? 0
    swept += rowCount
    if (rowCount < limit) break
  }
  return swept
}
