// Runs one call of a function at a time. Callers that arrive before the next run has begun share
// that run.

/** @param work must not reject. */
export function singleFlight(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  const begin = () => {
    next = null
    return work()
  }
  return () => (next ??= running = running.then(begin))
}
