// A limit of concurrent uses, in the order of the requests.

export interface Semaphore {
  /**
   * Resolves in turn, with the function that releases it. Throws the signal's reason if the signal
   * aborts first.
   */
  acquire(signal?: AbortSignal): Promise<() => void>
}

/** Semaphores of `count` uses for each key. `acquire` resolves with the function that releases it. */
export function createSemaphores(count: number) {
  const kept = new Map<string, { semaphore: Semaphore; users: number }>()
  return {
    acquire: async (key: string): Promise<() => void> => {
      const one = kept.get(key) ?? { semaphore: createSemaphore(count), users: 0 }
      kept.set(key, one)
      one.users++
      const release = await one.semaphore.acquire()
      return () => {
        release()
        if (--one.users === 0) kept.delete(key)
      }
    },
  }
}

/** Creates a semaphore. `count`: how many uses may run at the same time */
export function createSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = []
  let free = count
  const release = () => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  const wait = async (signal?: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push(resolve)
    if (!signal) return promise
    const stop = () => {
      const at = waiting.indexOf(resolve)
      // The place has been acquired in the meantime: its holder handles the signal.
      if (at < 0) return
      waiting.splice(at, 1)
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
  return {
    acquire: async (signal) => {
      signal?.throwIfAborted()
      if (free > 0) free--
      else await wait(signal)
      return release
    },
  }
}

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
