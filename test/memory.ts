// Memory held by a test: bytes that are still referenced after a full garbage collection.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The bytes of buffers that are still referenced, after a full collection. */
export function heldBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

/**
 * Yields `count` new buffers of 64 KiB, and regularly passes the number of still referenced buffer
 * bytes to `onHeld`.
 */
export async function* watchedBuffers(
  count: number,
  onHeld: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < count; at += 1) {
    yield Buffer.allocUnsafeSlow(65_536)
    // A full collection takes a third of a second in a process that has run other tests.
    if (at % 250 === 249) onHeld(heldBytes())
  }
}
