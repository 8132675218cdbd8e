// One run of rclone: a child with a clean environment, limits of time and memory, fixed arguments,
// and the remote `src:` defined by environment variables only. It ends with its parent and within a
// second of an abort.
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { OWN_GROUP } from '../../../ports/children/launch.ts'
import { CloudError, cloudError } from './errors.ts'

/** The name of the only remote of a run. */
export const REMOTE = 'src:'

/** A line of rclone's JSON log. */
export interface LogEvent {
  level: string
  msg: string
  object?: string
  stats?: { bytes: number; transferring?: { name: string; bytes: number }[] }
}

export interface Run {
  /** Fixed options and the command, never text from a merchant. */
  command: readonly string[]
  /** Remotes and paths, passed after `--`. */
  paths: readonly string[]
  /** Settings of the remote: `TYPE` becomes RCLONE_CONFIG_SRC_TYPE. */
  remote: Readonly<Record<string, string>>
  /** Other variables: the proxy, certificates. */
  environment: Readonly<Record<string, string>>
  /** The text for the standard input of rclone. */
  input?: string
  timeoutMs: number
  signal: AbortSignal
  /** Called for each line of the standard output; reading waits for the result. */
  onLine?(line: string): void | Promise<void>
  onLog?(event: LogEvent): void
}

const MEMORY_BYTES = 1024 ** 3
/** Above this size of the heap, Go collects garbage more often. */
const SOFT_MEMORY = '256MiB'
const MAX_KEPT = 16_384
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find((file) => existsSync(file))

const LOG_OPTIONS = ['--use-json-log', '--log-level', 'INFO', '--stats', '1s', '--retries', '1']

/**
 * Runs rclone until it succeeds. Throws `CloudError`, or the reason of `signal`; also if only some
 * objects failed, which `onLog` reports.
 */
export async function runRclone(program: string, run: Run): Promise<void> {
  run.signal.throwIfAborted()
  const child = start(program, run)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(new CloudError('cloud_unavailable', null, { cause })))
    child.once('close', (code) => resolve(code))
  })
  ended.catch(() => {})
  const kill = () => child.kill('SIGKILL')
  let late = false
  const timer = setTimeout(() => {
    late = true
    kill()
  }, run.timeoutMs)
  run.signal.addEventListener('abort', kill, { once: true })
  if (run.signal.aborted) kill()
  const errors = readLog(child.stderr, run)
  try {
    child.stdin.on('error', () => {})
    child.stdin.end(run.input ?? '')
    await readLines(child.stdout, run)
    const code = await ended
    run.signal.throwIfAborted()
    if (late) throw new CloudError('cloud_unreachable')
    const text = errors.text() || (code === 3 ? 'directory not found' : '')
    if (code !== 0) throw cloudError(text, run.remote)
  } finally {
    clearTimeout(timer)
    run.signal.removeEventListener('abort', kill)
    kill()
    await ended.catch(() => {})
  }
}

type Rclone = ChildProcessByStdio<Writable, Readable, Readable>

function start(program: string, { command, paths, remote, environment }: Run): Rclone {
  const args = [program, ...LOG_OPTIONS, ...command, '--', ...paths] as const
  // The child ends with this process, even if this process is killed.
  const parented: readonly string[] = SETPRIV ? [SETPRIV, '--pdeathsig', 'KILL', ...args] : args
  const limited = `ulimit -c 0 2>/dev/null; ulimit -d ${MEMORY_BYTES / 1024} 2>/dev/null; exec "$@"`
  const [file, ...rest] =
    process.platform === 'win32' ? args : (['/bin/sh', '-c', limited, 'sh', ...parented] as const)
  return spawn(file, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: tmpdir(),
    env: {
      // No configuration file, and none of our environment.
      RCLONE_CONFIG: '',
      GOMEMLIMIT: SOFT_MEMORY,
      ...environment,
      ...Object.fromEntries(
        Object.entries(remote).map(([name, value]) => [`RCLONE_CONFIG_SRC_${name}`, value]),
      ),
    },
    windowsHide: true,
    ...OWN_GROUP,
  })
}

async function readLines(output: Readable, { onLine, signal }: Run): Promise<void> {
  if (!onLine) return void output.resume()
  try {
    for await (const line of createInterface({ input: output, crlfDelay: Infinity }))
      await onLine(line)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Collects the error messages of rclone, only for `cloudError`. */
function readLog(stream: Readable, { onLog }: Run): { text(): string } {
  let text = ''
  const keep = (message: string) => (text = `${text}\n${message}`.slice(-MAX_KEPT))
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
    const event = parsed(line)
    if (!event) return void keep(line)
    if (event.level === 'error' || event.level === 'critical') keep(event.msg)
    onLog?.(event)
  })
  return { text: () => text }
}

function parsed(line: string): LogEvent | null {
  try {
    const value = JSON.parse(line) as LogEvent
    return typeof value.msg === 'string' ? value : null
  } catch {
    return null
  }
}
