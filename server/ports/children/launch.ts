// Starts a Node process with limited memory and processor time, and without our environment.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { homedir, tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'

export interface ChildSpec {
  /** The script, as `new URL('./x-child.ts', import.meta.url)`. */
  script: URL
  args?: readonly string[]
  /**
   * Limit of its data, including the heap. Enforced by the system where possible (not on Windows).
   */
  memoryBytes: number
  /** Processor time over the child's whole life. */
  cpuSeconds?: number
  /** Limit of each file that it writes; the child gets `File too large` beyond it. */
  fileBytes?: number
}

// V8 reserves this many bytes of addresses for code. They stay empty, but the system counts them as
// data.
const CODE_RANGE_BYTES = 512 * 1024 ** 2

// The unit of `ulimit -f`. A shell that uses a larger unit allows twice as much.
const BLOCK_BYTES = 512

export function launch({
  script,
  args = [],
  memoryBytes,
  cpuSeconds,
  fileBytes,
}: ChildSpec): ChildProcess {
  const heap = Math.ceil((memoryBytes * 0.75) / 1024 ** 2)
  const node = [`--max-old-space-size=${heap}`, fileURLToPath(script), ...args]
  // Every shell has `ulimit`. Where the system does not let limits be lowered, the heap and time
  // limits of the child remain.
  const limits = [
    `ulimit -c 0`,
    `ulimit -d ${Math.ceil((memoryBytes + CODE_RANGE_BYTES) / 1024)}`,
    ...(cpuSeconds ? [`ulimit -S -t ${cpuSeconds}`] : []),
    ...(fileBytes ? [`ulimit -f ${Math.ceil(fileBytes / BLOCK_BYTES)}`] : []),
  ]
  const limited = `${limits.map((limit) => `${limit} 2>/dev/null; `).join('')}exec "$@"`
  const [command, rest] =
    process.platform === 'win32'
      ? [process.execPath, node]
      : ['/bin/sh', ['-c', limited, 'sh', process.execPath, ...node]]
  return spawn(command, rest, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Our environment is left out, because it contains secrets. One malloc arena keeps memory from
    // growing slowly.
    env: {
      PATH: process.env.PATH ?? '',
      HOME: homedir(),
      TMPDIR: tmpdir(),
      MALLOC_ARENA_MAX: '2',
      ...compileCache(),
    },
    windowsHide: true,
    ...OWN_GROUP,
  })
}

/**
 * A separate process group: Ctrl-C in a terminal would end the child too, and this process would
 * report the file that the child was processing as failed before it stops itself.
 */
export const OWN_GROUP: Pick<SpawnOptions, 'detached'> = { detached: process.platform !== 'win32' }

/**
 * Compiling the modules of a child takes half of its start. Other processes of this user can write
 * into this folder anyway.
 */
function compileCache(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}
}
