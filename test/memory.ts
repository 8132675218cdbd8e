// What a test holds in memory: bytes that are still referenced, whenever the collector would run.
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
 * Yields `count` new buffers of 64 KiB, and tells `onHeld` now and then how many bytes of buffers
 * are still referenced.
 */
export async function* watchedBuffers(
  count: number,
  onHeld: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < count; at += 1) {
    yield Buffer.allocUnsafeSlow(65_536)
    if (at % 100 === 99) onHeld(heldBytes())
  }
}
