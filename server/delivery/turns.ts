// Work of which one run at a time is enough: whoever asks while a run has not begun shares it.

/** `work` never rejects. */
export function takeTurns(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  const begin = () => {
    next = null
    return work()
  }
  return () => (next ??= running = running.then(begin))
}
