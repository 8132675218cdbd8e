// Do the addresses of a CSV file answer? Many are requested concurrently, few of one host, within a
// time limit. A host that asks for fewer requests gets fewer, a host that never answers is not
// requested thousands of times, and addresses that were not requested in time are no errors of the
// file.
import { PortError, type Probe } from '../../../plugins/contract.ts'
import { ERRORS } from '../../errors.ts'
import { Throttled } from '../../ports/failures.ts'
import { createHostScheduler, type Host, type ScheduledRequest } from './host-scheduler.ts'
import type { CellProblem } from './row-values.ts'

export type ProbeAddress = (url: string, signal: AbortSignal) => Promise<Probe>

export interface Probed {
  url: string
  problem: Pick<CellProblem, 'severity' | 'code' | 'message' | 'detail'> | null
}

export interface SizeLimits {
  file_bytes: number
  /** A larger file is imported with a warning. */
  large_file_bytes: number
}

/** Times are milliseconds. */
export interface HostLimits {
  at_once?: number
  at_once_per_host?: number
  /** The delay before a temporary failure is retried. */
  again_after?: number
  /** The time limit for all addresses: the remaining ones are not requested. */
  within?: number
}

const USUAL: Required<HostLimits> = {
  at_once: 32,
  at_once_per_host: 4,
  again_after: 2000,
  within: 10 * 60_000,
}
/**
 * After this many consecutive failures that are not about a single file, the host's other addresses
 * count as failed too.
 */
const GIVEN_UP_AFTER = 12
/** A host that asks for a longer pause, or for this many in a row, is not requested any more. */
const LONGEST_REST_MS = 60_000
const MAX_RESTS = 6
const MB = 1024 ** 2

/** One result for each address, as they come. Throws the signal's reason when it aborts. */
export async function* probeAddresses(
  urls: readonly string[],
  probe: ProbeAddress,
  { signal, limits }: { signal: AbortSignal; limits: SizeLimits },
  politeness: HostLimits = {},
): AsyncGenerator<Probed> {
  const { at_once, at_once_per_host, again_after, within } = { ...USUAL, ...politeness }
  const late = AbortSignal.timeout(within)
  const asking: Asking = {
    probe,
    signal,
    late,
    either: AbortSignal.any([signal, late]),
    limits,
    again_after,
  }
  const results: Probed[] = []
  let wake = () => {}
  const onChange = () => wake()
  const scheduler = createHostScheduler(urls, { at_once, at_once_per_host }, onChange)
  const ask = async ({ host, url }: ScheduledRequest) => {
    const answer = await probeOne(url, host, asking)
    if ('rest' in answer) scheduler.rest(host, url, answer.rest)
    else {
      scheduler.ended(host)
      results.push(answer)
    }
    wake()
  }
  asking.either.addEventListener('abort', onChange)
  try {
    for (let left = urls.length; left > 0;) {
      signal.throwIfAborted()
      if (late.aborted) for (const url of scheduler.drop()) results.push({ url, problem: TOO_LATE })
      for (let turn = scheduler.next(); turn; turn = scheduler.next()) void ask(turn)
      const change = new Promise<void>((resolve) => (wake = resolve))
      if (results.length === 0) await change
      for (const result of results.splice(0)) {
        left--
        yield result
      }
    }
  } finally {
    scheduler.close()
    asking.either.removeEventListener('abort', onChange)
  }
}

interface Asking {
  probe: ProbeAddress
  signal: AbortSignal
  /** Aborts when the time limit is reached. */
  late: AbortSignal
  either: AbortSignal
  limits: SizeLimits
  again_after: number
}

/** The result of the address, or how long its host must rest first. */
async function probeOne(
  url: string,
  host: Host,
  asking: Asking,
): Promise<Probed | { rest: number }> {
  const { probe, signal, late, either, limits, again_after } = asking
  for (let attempt = 1; ; attempt++) {
    if (host.rests > MAX_RESTS) return { url, problem: HOST_LIMITED }
    if (host.failures >= GIVEN_UP_AFTER) return { url, problem: GIVEN_UP }
    try {
      const { size_bytes, content_type } = await probe(url, either)
      host.failures = 0
      host.rests = 0
      return { url, problem: sizeProblem(size_bytes, limits) ?? pageProblem(url, content_type) }
    } catch (error) {
      if (signal.aborted) return { url, problem: null }
      if (late.aborted) return { url, problem: TOO_LATE }
      if (error instanceof Throttled) return throttled(url, host, error, again_after)
      const failure = error instanceof PortError ? error : null
      if (failure && !failure.retryable) {
        host.failures = 0
        return { url, problem: notAccessible(failure.code, failure.detail) }
      }
      if (attempt > 1 || !failure) {
        host.failures++
        return { url, problem: notAccessible('url_not_accessible', failure?.detail) }
      }
      await pause(again_after, either)
    }
  }
}

/**
 * Limits the host to one request at a time. Several concurrent answers of this kind count as one.
 */
function throttled(
  url: string,
  host: Host,
  { retryAfter }: Throttled,
  least: number,
): Probed | { rest: number } {
  const ms = retryAfter === undefined ? least * 2 ** host.rests : Math.max(least, retryAfter * 1000)
  host.room = 1
  if (host.resting === null) host.rests = ms > LONGEST_REST_MS ? Infinity : host.rests + 1
  return host.rests > MAX_RESTS ? { url, problem: HOST_LIMITED } : { rest: ms }
}

type ProbeProblem = NonNullable<Probed['problem']>

function notAccessible(code: string, detail: string | undefined): ProbeProblem {
  const known = code === 'file_too_large' || code === 'empty_file' ? code : 'url_not_accessible'
  return {
    severity: 'error',
    code: known,
    message: ERRORS[known].message,
    ...(detail ? { detail } : {}),
  }
}

const GIVEN_UP = notAccessible(
  'url_not_accessible',
  'Its host did not answer other requests, so it was not checked',
)

const notAsked = (why: string): ProbeProblem => ({
  severity: 'warning',
  code: 'not_asked',
  message: 'The URL was not checked',
  detail: `${why}: problems will show during the import`,
})
const HOST_LIMITED = notAsked('Its host limits the rate of requests')
const TOO_LATE = notAsked('Checking the others took too long')

function sizeProblem(
  size: number | null,
  { file_bytes, large_file_bytes }: SizeLimits,
): ProbeProblem | null {
  if (size === 0) return notAccessible('empty_file', 'The URL returns no bytes')
  if (size === null || size <= large_file_bytes) return null
  if (size > file_bytes) return notAccessible('file_too_large', undefined)
  return {
    severity: 'warning',
    code: 'large_file',
    message: `The file has ${Math.round(size / MB)} MB: up to ${Math.round(large_file_bytes / MB)} MB are recommended`,
  }
}

/**
 * A page where the address promises something else: what servers give to those who are not signed
 * in.
 */
function pageProblem(url: string, type: string | null): ProbeProblem | null {
  if (!/^(text\/html|application\/xhtml\+xml)\b/i.test(type ?? '')) return null
  return /\.x?html?$/i.test(URL.parse(url)?.pathname ?? '') ? null : WEB_PAGE
}

const WEB_PAGE: ProbeProblem = {
  severity: 'warning',
  code: 'web_page',
  message: 'The URL returns a web page',
  detail: 'It may be a sign-in page instead of the file: open the address without being signed in',
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
