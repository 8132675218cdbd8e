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
} from '../../../plugins/contract/index.ts'
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
/** The addresses of a host that asks for a longer pause than this are not checked. */
const MAX_REST_SECONDS = 60
const MAX_TRIES = 3
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
    refusals: new Map(),
  }
  const results: ProbeResult[] = []
  let wake = () => {}
  const onChange = () => wake()
  const scheduler = createHostScheduler(urls, { concurrency, perHost })
  const ask = async ({ host, url }: ScheduledRequest) => {
    const answer = await probeOne(url, host, context)
    if (answer === 'again') scheduler.again(host, url)
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
  /** How often each address was refused for the limits of a host that served no other. */
  refusals: Map<string, number>
}

/** Requests the address. Returns its result, or `again` if its host refused it for its limits. */
async function probeOne(
  url: string,
  host: Host,
  context: ProbeContext,
): Promise<ProbeResult | 'again'> {
  const { probe, signal, late, either, limits, retryMs, refusals } = context
  for (let attempt = 1; ; attempt++) {
    if (host.failures >= MAX_HOST_FAILURES) return { url, problem: HOST_FAILED }
    try {
      const { size_bytes, ...content } = await probe(url, either)
      host.failures = 0
      return { url, problem: sizeProblem(size_bytes, limits) ?? pageProblem(url, content) }
    } catch (error) {
      if (signal.aborted) return { url, problem: null }
      if (late.aborted) return { url, problem: TOO_LATE }
      const failure = error instanceof PortError ? error : null
      const isLong = (failure?.retryAfter ?? 0) > MAX_REST_SECONDS
      if (failure?.uncounted && !isLong) return 'again'
      if (failure instanceof ThrottledAnswer)
        return isLong || !mayTryAgain(url, refusals) ? { url, problem: HOST_LIMITED } : 'again'
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

function mayTryAgain(url: string, refusals: Map<string, number>): boolean {
  const count = (refusals.get(url) ?? 0) + 1
  refusals.set(url, count)
  return count < MAX_TRIES
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

/** A web page, a message of a server, or text. */
function pageProblem(
  url: string,
  content: Pick<Probe, 'content_type' | 'found_type'>,
): ProbeProblem | null {
  const { content_type, found_type } = content
  const isMessage = MESSAGE_TYPE.test(found_type ?? '')
  const isText = found_type === 'text/plain'
  if (!isMessage && !isText && !isPageType(found_type ?? content_type)) return null
  const problem = { severity: 'error', code: 'web_page', content } as const
  if (!isMessage && !isText)
    return { ...problem, message: sayPlain('The URL returns a web page'), detail: pageAdvice(url) }
  return {
    ...problem,
    message: isText
      ? say('It is text instead of the file.')
      : say('It is a message of a server (JSON or XML) instead of the file.'),
    detail: say('Open the address in a browser: it may have expired, or need a sign-in'),
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
