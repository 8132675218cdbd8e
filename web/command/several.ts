// Work on several values: in groups, or some at a time.

export function chunks<Value>(values: readonly Value[], size: number): Value[][] {
  const found: Value[][] = []
  for (let at = 0; at < values.length; at += size) found.push(values.slice(at, at + size))
  return found
}

/** Runs this for all values, `limit` of them concurrently. */
export async function pooled<Value>(
  limit: number,
  values: readonly Value[],
  run: (value: Value) => Promise<void>,
): Promise<void> {
  const rest = [...values]
  const worker = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await run(next)
  }
  await Promise.all(Array.from({ length: Math.min(limit, values.length) }, worker))
}
