// Frees the buffers of sockets soon. V8 sees each as a small young object and starts no young
// collection; their bytes then cause a full collection about every 20 MB, which costs more than
// receiving them.
import v8 from 'node:v8'
import vm from 'node:vm'

/** The maximum number of received bytes whose buffers wait to be freed. */
const MAX_UNFREED_BYTES = 2 * 1024 * 1024

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc') as (how: { type: 'minor' }) => void

let waiting = 0

/** Counts bytes that were received in buffers that are no longer used. */
export function freeYoungBuffers(bytes: number): void {
  waiting += bytes
  if (waiting < MAX_UNFREED_BYTES) return
  waiting = 0
  collect({ type: 'minor' })
}
