// A stream of bytes that a signal can end.

/**
 * The chunks of a source, ended by `signal` even while the source gives none. One listener for the
 * whole stream: a race with a promise for each chunk would leak memory with each of them.
 */
export function abortable(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> {
  if (!signal) return bytes
  return {
    [Symbol.asyncIterator]: () => {
      signal.throwIfAborted()
      const source = bytes[Symbol.asyncIterator]()
      let onAbort = () => {}
      const listener = () => onAbort()
      signal.addEventListener('abort', listener)
      const release = () => signal.removeEventListener('abort', listener)
      return {
        next: () =>
          new Promise((resolve, reject) => {
            onAbort = () => {
              release()
              reject(signal.reason as Error)
              // The end is not awaited: a generator that waits for its source would not return.
              source.return?.().catch(() => {})
            }
            if (signal.aborted) return onAbort()
            source.next().then(
              (result) => {
                if (result.done) release()
                resolve(result)
              },
              (error: unknown) => {
                release()
                reject(error as Error)
              },
            )
          }),
        return: async () => {
          release()
          await source.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** The bytes as a Buffer over the same memory, for the hasher. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
