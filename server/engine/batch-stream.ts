// Gathers a stream into groups of at most `size`. No element waits longer than `ms` for others.

/**
 * Groups the elements of a source. Reads ahead of the consumer, so that a slow consumer does not
 * stop a source that works in parallel.
 * @throws the error of the source, after the groups before it
 */
export async function* batchStream<T>(
  source: AsyncIterable<T>,
  size: number,
  ms: number,
): AsyncGenerator<T[]> {
  const waiting: T[] = []
  let finished = false
  let failure: { error: unknown } | null = null
  let wake = () => {}
  let oldest = 0
  const pump = (async () => {
    try {
      for await (const value of source) {
        if (waiting.length === 0) oldest = performance.now()
        waiting.push(value)
        if (waiting.length === 1 || waiting.length >= size) wake()
      }
    } catch (error) {
      failure = { error }
    } finally {
      finished = true
      wake()
    }
  })()
  while (true) {
    if (waiting.length === 0 && finished) break
    const left = waiting.length === 0 ? Infinity : oldest + ms - performance.now()
    if (!finished && waiting.length < size && left > 0) {
      await new Promise<void>((resolve) => {
        const timer = left === Infinity ? undefined : setTimeout(resolve, left)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      continue
    }
    yield waiting.splice(0, size)
    oldest = performance.now()
  }
  await pump
  if (failure) throw (failure as { error: unknown }).error
}
