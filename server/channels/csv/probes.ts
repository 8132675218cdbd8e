// Do the addresses of a CSV file answer? Many at once, few to one host, and a host that does not answer at all is not asked
// tens of thousands of times.
import { PortError, type Probe } from '../../../plugins/contract.ts'
import { ERRORS } from '../../errors.ts'
import type { CellProblem } from './row-values.ts'

export type ProbeAddress = (url: string, signal: AbortSignal) => Promise<Probe>

export interface Probed {
  url: string
  problem: Pick<CellProblem, 'severity' | 'code' | 'message' | 'detail'> | null
}

export interface SizeLimits {
  file_bytes: number
  /** Above it, a file is imported with a warning. */
  large_file_bytes: number
}

export interface Politeness {
  at_once?: number
  at_once_per_host?: number
  /** Milliseconds until what may pass is asked once more. */
  again_after?: number
}

const AT_ONCE = 32
const AT_ONCE_PER_HOST = 4
const AGAIN_AFTER_MS = 2000
/** So many failures in a row that say nothing about a single file: the host's other addresses share their fate. */
const GIVEN_UP_AFTER = 12
const MB = 1024 ** 2

interface Host {
  waiting: string[]
  running: number
  /** Failures in a row of which another try might have helped. */
  failures: number
}

/** One result for each address, as they come. Throws the signal's reason when it aborts. */
export async function* probeAddresses(
  urls: readonly string[],
  probe: ProbeAddress,
  { signal, limits }: { signal: AbortSignal; limits: SizeLimits },
  { at_once = AT_ONCE, at_once_per_host = AT_ONCE_PER_HOST, again_after = AGAIN_AFTER_MS }: Politeness = {},
): AsyncGenerator<Probed> {
  const hosts = hostsOf(urls)
  /** Hosts that have addresses left and room for another request. */
  const ready = [...hosts.values()]
  const results: Probed[] = []
  let running = 0
  let left = urls.length
  let wake = () => {}
  const ask = async (host: Host, url: string) => {
    const result = await probeOne(url, host, probe, { signal, limits, again_after })
    running--
    if (host.running-- === at_once_per_host && host.waiting.length > 0) ready.push(host)
    results.push(result)
    wake()
  }
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  try {
    while (left > 0) {
      signal.throwIfAborted()
      while (running < at_once && ready.length > 0) {
        const host = ready.shift()!
        running++
        host.running++
        void ask(host, host.waiting.pop()!)
        // Hosts take turns.
        if (host.waiting.length > 0 && host.running < at_once_per_host) ready.push(host)
      }
      const come = new Promise<void>((resolve) => (wake = resolve))
      if (results.length === 0) await come
      for (const result of results.splice(0)) {
        left--
        yield result
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function hostsOf(urls: readonly string[]): Map<string, Host> {
  const hosts = new Map<string, Host>()
  // From the end, so that the first of the file is the first to be popped.
  for (const url of urls.toReversed()) {
    const name = URL.parse(url)?.host ?? ''
    const host = hosts.get(name) ?? { waiting: [], running: 0, failures: 0 }
    host.waiting.push(url)
    hosts.set(name, host)
  }
  return hosts
}

async function probeOne(
  url: string,
  host: Host,
  probe: ProbeAddress,
  { signal, limits, again_after }: { signal: AbortSignal; limits: SizeLimits; again_after: number },
): Promise<Probed> {
  for (let attempt = 1; ; attempt++) {
    if (host.failures >= GIVEN_UP_AFTER) return { url, problem: GIVEN_UP }
    try {
      const { size_bytes } = await probe(url, signal)
      host.failures = 0
      return { url, problem: sizeProblem(size_bytes, limits) }
    } catch (error) {
      if (signal.aborted) return { url, problem: null }
      const failure = error instanceof PortError ? error : null
      if (failure && !failure.retryable) {
        host.failures = 0
        return { url, problem: notAccessible(failure.code, failure.detail) }
      }
      if (attempt > 1 || !failure) {
        host.failures++
        return { url, problem: notAccessible('url_not_accessible', failure?.detail) }
      }
      await pause(again_after, signal)
    }
  }
}

type ProbeProblem = NonNullable<Probed['problem']>

function notAccessible(code: string, detail: string | undefined): ProbeProblem {
  const known = code === 'file_too_large' ? code : 'url_not_accessible'
  return { severity: 'error', code: known, message: ERRORS[known].message, ...(detail ? { detail } : {}) }
}

const GIVEN_UP = notAccessible('url_not_accessible', 'Its host did not answer for other addresses, so it was not asked')

function sizeProblem(size: number | null, { file_bytes, large_file_bytes }: SizeLimits): ProbeProblem | null {
  if (size === null || size <= large_file_bytes) return null
  if (size > file_bytes) return notAccessible('file_too_large', undefined)
  return {
    severity: 'warning',
    code: 'large_file',
    message: `The file has ${Math.round(size / MB)} MB: up to ${Math.round(large_file_bytes / MB)} MB are recommended`,
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
