// Checks whether the addresses of a CSV file answer. Many are requested concurrently, but few of
// one host, within a time limit. A host that limits requests gets fewer, a host that never answers
// is given up, and addresses that were not requested in time are warnings, not errors.
import {
  type AnyText,
  isPageType,
  pageAdvice,
  PortError,
  type Probe,
  say,
  sayPlain,
} from '../../../plugins/contract.ts'
import { isUnexpectedPage, isUnnamedPage } from '../../../plugins/validate-file/pages.ts'
import { ERRORS } from '../../core/errors.ts'
import { ThrottledAnswer } from '../../ports/failures.ts'
import { createHostScheduler, type Host, type ScheduledRequest } from './host-scheduler.ts'
import type { CellProblem } from './row-values.ts'

export type ProbeAddress = (url: string, signal: AbortSignal) => Promise<Probe>

export interface ProbeResult {
  url: string
  problem: AddressProblem
}

/** The problem of an address; null: none. */
export type AddressProblem =
  | (Pick<CellProblem, 'severity' | 'code' | 'message' | 'detail'> & {
      /** A page or a message: whether it is a problem depends on the name of the file. */
      content?: Pick<Probe, 'content_type' | 'found_type'>
    })
  | null

export interface SizeLimits {
  file_bytes: number
  /** Above this size a file is imported with a warning. */
  large_file_bytes: number
}

/** Limits of requests to one host. Times are milliseconds. */
export interface HostLimits {
  concurrency?: number
  perHost?: number
  /** The delay before a temporary failure is retried. */
  retryMs?: number
  /** The time limit for all addresses: the remaining ones are not requested. */
  timeLimitMs?: number
}

const DEFAULT_LIMITS: Required<HostLimits> = {
  concurrency: 32,
  perHost: 4,
  retryMs: 2000,
  timeLimitMs: 10 * 60_000,
}
/**
 * After this many consecutive failures of the host itself, its other addresses count as failed too.
 */
const MAX_HOST_FAILURES = 12
/**
 * A host that asks for a longer pause than this, or for too many in a row, is not requested any
 * more.
 */
const MAX_REST_MS = 60_000
const MAX_RESTS = 6
const MB = 1024 ** 2

/** Yields one result for each address, in no order. Throws the signal's reason when it aborts. */
export async function* probeAddresses(
  urls: readonly string[],
  probe: ProbeAddress,
  { signal, limits }: { signal: AbortSignal; limits: SizeLimits },
  hostLimits: HostLimits = {},
): AsyncGenerator<ProbeResult> {
  const { concurrency, perHost, retryMs, timeLimitMs } = { ...DEFAULT_LIMITS, ...hostLimits }
  const late = AbortSignal.timeout(timeLimitMs)
  const context: ProbeContext = {
    probe,
    signal,
    late,
    either: AbortSignal.any([signal, late]),
    limits,
    retryMs,
  }
  const results: ProbeResult[] = []
  let wake = () => {}
  const onChange = () => wake()
  const scheduler = createHostScheduler(urls, { concurrency, perHost }, onChange)
  const ask = async ({ host, url }: ScheduledRequest) => {
    const answer = await probeOne(url, host, context)
    if ('rest' in answer) scheduler.rest(host, url, answer.rest)
    else {
      scheduler.ended(host)
      results.push(answer)
    }
    wake()
  }
  context.either.addEventListener('abort', onChange)
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
    context.either.removeEventListener('abort', onChange)
  }
}

interface ProbeContext {
  probe: ProbeAddress
  signal: AbortSignal
  /** The signal that aborts when the time limit is reached. */
  late: AbortSignal
  either: AbortSignal
  limits: SizeLimits
  retryMs: number
}

/**
 * Requests the address. Returns its result, or the milliseconds for which its host must rest first.
 */
async function probeOne(
  url: string,
  host: Host,
  context: ProbeContext,
): Promise<ProbeResult | { rest: number }> {
  const { probe, signal, late, either, limits, retryMs } = context
  for (let attempt = 1; ; attempt++) {
    if (host.rests > MAX_RESTS) return { url, problem: HOST_LIMITED }
    if (host.failures >= MAX_HOST_FAILURES) return { url, problem: HOST_FAILED }
    try {
      const { size_bytes, ...content } = await probe(url, either)
      host.failures = 0
      host.rests = 0
      return { url, problem: sizeProblem(size_bytes, limits) ?? pageProblem(url, content) }
    } catch (error) {
      if (signal.aborted) return { url, problem: null }
      if (late.aborted) return { url, problem: TOO_LATE }
      if (error instanceof ThrottledAnswer) return throttled(url, host, error, retryMs)
      const failure = error instanceof PortError ? error : null
      if (failure && !failure.retryable) {
        host.failures = 0
        return { url, problem: notAccessible(failure.code, failure.texts.detail) }
      }
      if (attempt > 1 || !failure) {
        host.failures++
        return { url, problem: notAccessible('url_not_accessible', failure?.texts.detail) }
      }
      await pause(retryMs, either)
    }
  }
}

/**
 * Limits the host to one request at a time. Several concurrent answers of this kind count as one.
 */
function throttled(
  url: string,
  host: Host,
  { retryAfter }: ThrottledAnswer,
  least: number,
): ProbeResult | { rest: number } {
  const ms = retryAfter === undefined ? least * 2 ** host.rests : Math.max(least, retryAfter * 1000)
  host.room = 1
  if (host.resting === null) host.rests = ms > MAX_REST_MS ? Infinity : host.rests + 1
  return host.rests > MAX_RESTS ? { url, problem: HOST_LIMITED } : { rest: ms }
}

type ProbeProblem = NonNullable<ProbeResult['problem']>

function notAccessible(code: string, detail: AnyText | undefined): ProbeProblem {
  const known = code === 'file_too_large' || code === 'empty_file' ? code : 'url_not_accessible'
  return {
    severity: 'error',
    code: known,
    message: ERRORS[known].message,
    ...(detail ? { detail } : {}),
  }
}

const HOST_FAILED = notAccessible(
  'url_not_accessible',
  sayPlain('Its host did not answer other requests, so it was not checked'),
)

const notChecked = (detail: string): ProbeProblem => ({
  severity: 'warning',
  code: 'not_asked',
  message: sayPlain('The URL was not checked'),
  detail,
})
const HOST_LIMITED = notChecked(
  sayPlain('Its host limits the rate of requests: problems will show during the import'),
)
const TOO_LATE = notChecked(
  sayPlain('Checking the others took too long: problems will show during the import'),
)

function sizeProblem(
  size: number | null,
  { file_bytes, large_file_bytes }: SizeLimits,
): ProbeProblem | null {
  if (size === 0) return notAccessible('empty_file', sayPlain('The URL returns no bytes'))
  if (size === null || size <= large_file_bytes) return null
  if (size > file_bytes) return notAccessible('file_too_large', undefined)
  return {
    severity: 'warning',
    code: 'large_file',
    message: say('The file has {size} MB: up to {most} MB are recommended', {
      size: Math.round(size / MB),
      most: Math.round(large_file_bytes / MB),
    }),
  }
}

const MESSAGE_TYPE = /^(?:application|text)\/(?:json|xml)$/

/** A web page, or a message of a server. */
function pageProblem(
  url: string,
  content: Pick<Probe, 'content_type' | 'found_type'>,
): ProbeProblem | null {
  const { content_type, found_type } = content
  const isMessage = MESSAGE_TYPE.test(found_type ?? '')
  if (!isMessage && !isPageType(found_type ?? content_type)) return null
  return {
    severity: 'error',
    code: 'web_page',
    message: isMessage
      ? say('It is a message of a server (JSON or XML) instead of the file.')
      : sayPlain('The URL returns a web page'),
    detail: isMessage
      ? say('Open the address in a browser: it may have expired, or need a sign-in')
      : pageAdvice(url),
    content,
  }
}

/** The address's problem for a file of this name: what the import would say of its bytes. */
export function problemForName(problem: AddressProblem, filename: string): AddressProblem {
  if (!problem?.content) return problem
  const { content_type, found_type } = problem.content
  if (isUnexpectedPage(filename, content_type, found_type)) return problem
  return isUnnamedPage(filename, found_type) ? { ...problem, severity: 'warning' } : null
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
