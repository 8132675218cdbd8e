// A queue between producers and one reader. Nothing is lost, and producers never wait.

export interface AsyncQueue<T> extends AsyncIterable<T> {
  push(value: T): void
  /**
   * Ends the queue; elements that have arrived are still read. With an error, reading then throws
   * it.
   */
  end(error?: unknown): void
}

/** Creates an open queue for one reader. A second reader would get only some of the elements. */
export function createAsyncQueue<T>(): AsyncQueue<T> {
  const waiting: T[] = []
  let ended: { error?: unknown } | null = null
  let wake = () => {}
  return {
    push: (value) => {
      waiting.push(value)
      wake()
    },
    end: (error) => {
      ended ??= error === undefined ? {} : { error }
      wake()
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        while (waiting.length > 0) yield* waiting.splice(0, 1)
        if (ended) {
          if ('error' in ended) throw ended.error
          return
        }
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}
