// The one place that turns errors into responses: the standard error body, and a log entry for
// errors that operators should know.
import { randomUUID } from 'node:crypto'
import type { Text } from '../../plugins/contract/index.ts'
import type { Context, Next } from 'koa'
import {
  databaseReason,
  hasNoRoom,
  isDatabaseFull,
  isDatabaseUnavailable,
  isRollback,
} from '../core/db/error-classes.ts'
import { AppError, ERRORS, type ErrorCode } from '../core/errors.ts'
import { storedMessage } from '../core/texts.ts'
import { errorFields, type LogFields, type Logger } from '../core/log.ts'

export interface ErrorBody {
  error: {
    type: string
    code: ErrorCode
    message: string
    /** Absent: the message has no values. */
    message_text?: Text
    status: number
    param: string | null
    details: readonly object[]
    details_total: number
    request_id: string
    /** The current record, after `changed_meanwhile`. */
    current?: object
  }
}

export const requestId = (): string => `req_${randomUUID().replaceAll('-', '')}`

function errorBody(error: AppError, id: string): ErrorBody {
  return {
    error: {
      type: ERRORS[error.code].type,
      code: error.code,
      ...storedMessage(error.text),
      status: error.status,
      param: error.param,
      details: error.details,
      details_total: error.detailsTotal,
      request_id: id,
      ...(error.current ? { current: error.current } : {}),
    },
  }
}

/** The body of what was thrown, for an answer with another form than the API's. */
export const answeredError = (thrown: unknown, id: string): ErrorBody =>
  errorBody(toAppError(thrown), id)

/** The body of an error that no request of the app caused. */
export const standaloneBody = (error: AppError): ErrorBody => errorBody(error, requestId())

export function errorResponses(log: Logger) {
  const refusals = new Set<string>()
  return async (ctx: Context, next: Next): Promise<void> => {
    const id = requestId()
    ctx.state.requestId = id
    ctx.set('X-Request-Id', id)
    try {
      await next()
    } catch (thrown) {
      const error = toAppError(thrown)
      if (error.status >= 500)
        report(log, refusals, thrown, { request_id: id, method: ctx.method, path: ctx.path })
      if (error.retryAfter !== null) ctx.set('Retry-After', String(error.retryAfter))
      if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer realm="Stevedore"')
      ctx.status = error.status
      ctx.body = errorBody(error, id)
    }
  }
}

/**
 * While the database is unavailable, every request fails for this reason: stacks do not help.
 * @param refusals why this process refused a probe of its readiness: each reason is logged once
 */
function report(log: Logger, refusals: Set<string>, thrown: unknown, about: LogFields): void {
  const cause = thrown instanceof AppError ? (thrown.cause ?? thrown) : thrown
  const { error, stack } = errorFields(cause)
  if (cause instanceof AppError && cause.code === 'unavailable') {
    // The probes repeat every few seconds while a process starts or stops.
    const repeats = about['path'] === '/readyz' && refusals.has(cause.message)
    if (about['path'] === '/readyz') refusals.add(cause.message)
    log[repeats ? 'debug' : 'info']('a request was answered: not available', { ...about, error })
  } else if (isDatabaseFull(cause))
    log.error('a request failed: the disk of the database is full', { ...about, error })
  else if (isDatabaseUnavailable(cause))
    log.error('a request failed: the database cannot be reached', {
      ...about,
      error: databaseReason(cause),
    })
  else log.error('a request failed', { ...about, error, stack })
}

/** `methods`: the methods that the address supports. */
export function notAllowed(ctx: Context, methods: readonly string[]): AppError {
  ctx.set('Allow', [...new Set(methods)].join(', '))
  return new AppError('method_not_allowed')
}

/**
 * Maps errors of libraries to our codes. Their texts may contain secrets, so they are not shown.
 */
function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const { status } = (thrown ?? {}) as { status?: unknown }
  if (status === 413) return new AppError('payload_too_large', { cause: thrown })
  if (status === 415) return new AppError('unsupported_media_type', { cause: thrown })
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new AppError('malformed_request', { cause: thrown })
  if (hasNoRoom(thrown)) return new AppError('storage_full', { cause: thrown })
  if (isRollback(thrown)) return new AppError('unavailable', { retryAfter: 1, cause: thrown })
  if (isDatabaseUnavailable(thrown))
    return new AppError('unavailable', { retryAfter: 5, cause: thrown })
  return new AppError('internal', { cause: thrown })
}
