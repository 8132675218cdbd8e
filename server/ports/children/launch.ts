// Starts a Node process that may have so much memory and so much of the processor, and nothing of
// our environment.
import { spawn, type ChildProcess } from 'node:child_process'
import { homedir, tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'

export interface ChildWanted {
  /** The script, as `new URL('./x-child.ts', import.meta.url)`. */
  script: URL
  args?: readonly string[]
  /**
   * What its data may take, the heap included. Enforced by the system where it can be (not on
   * Windows).
   */
  memoryBytes: number
  /** Of the processor, over the child's whole life. */
  cpuSeconds?: number
  /**
   * What a file that it writes may have; more of it is refused to the child as `File too large`.
   */
  fileBytes?: number
}

// V8 sets this many addresses aside for code. They stay empty, but the system counts them as data.
const CODE_RANGE_BYTES = 512 * 1024 ** 2

// What `ulimit -f` counts in. A shell that takes them for larger ones allows twice as much.
const BLOCK_BYTES = 512

export function launch({
  script,
  args = [],
  memoryBytes,
  cpuSeconds,
  fileBytes,
}: ChildWanted): ChildProcess {
  const heap = Math.ceil((memoryBytes * 0.75) / 1024 ** 2)
  const node = [process.execPath, `--max-old-space-size=${heap}`, fileURLToPath(script), ...args]
  // The shell's own `ulimit` is everywhere; where the system lets nobody lower a limit the child
  // still has its heap and its clock.
  const limits = [
    `ulimit -c 0`,
    `ulimit -d ${Math.ceil((memoryBytes + CODE_RANGE_BYTES) / 1024)}`,
    ...(cpuSeconds ? [`ulimit -S -t ${cpuSeconds}`] : []),
    ...(fileBytes ? [`ulimit -f ${Math.ceil(fileBytes / BLOCK_BYTES)}`] : []),
  ]
  const [command, ...rest] =
    process.platform === 'win32'
      ? node
      : [
          '/bin/sh',
          '-c',
          `${limits.map((limit) => `${limit} 2>/dev/null; `).join('')}exec "$@"`,
          'sh',
          ...node,
        ]
  return spawn(command!, rest, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Nothing of our own environment: secrets stand there. One arena keeps its memory from creeping
    // up.
    env: { PATH: process.env.PATH ?? '', HOME: homedir(), TMPDIR: tmpdir(), MALLOC_ARENA_MAX: '2' },
    windowsHide: true,
  })
}
