// The error of every failed call to the API: refused, unreadable, or without an answer.
import { type ErrorDetail } from './types.ts'
import { messageText, type ServerText } from '../messages/server-text.ts'
import { durationText } from '../messages/duration.ts'
import { t } from '../messages/t.ts'

const ADMIN_SILENT = 'admin_silent'

export class ApiError extends Error {
  readonly code: string
  /** 0 if there was no answer. */
  readonly status: number
  readonly details: readonly ErrorDetail[]
  readonly requestId: string | null
  /** The record as it is now, if the code is `changed_meanwhile`. */
  readonly current: Readonly<Record<string, unknown>> | null
  /** How long the server wants to be left alone; 0: it did not say. */
  readonly retryAfterMs: number

  constructor(
    code: string,
    message: string,
    about: {
      status?: number
      details?: readonly ErrorDetail[]
      requestId?: string | null
      current?: Readonly<Record<string, unknown>> | null
      retryAfterMs?: number
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: about.cause })
    this.name = 'ApiError'
    this.code = code
    this.status = about.status ?? 0
    this.details = about.details ?? []
    this.requestId = about.requestId ?? null
    this.current = about.current ?? null
    this.retryAfterMs = about.retryAfterMs ?? 0
  }

  /** May the same call succeed a moment later? */
  get passing(): boolean {
    if (this.status === 0) return this.code === 'offline' || this.code === ADMIN_SILENT
    return this.status === 429 || this.status >= 502
  }
}

/** It was waited for long enough: the call is not repeated before the next time that the data is polled. */
export const isAdminSilent = (error: unknown): boolean =>
  error instanceof ApiError && error.code === ADMIN_SILENT

/**
 * How long requests would be refused after this one, in milliseconds. A server that is not available
 * may be back sooner than it says.
 */
export const waitOf = (error: Error | null): number =>
  error instanceof ApiError && error.status === 429 ? error.retryAfterMs : 0

/** What was asked for does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404

export const offline = (cause: unknown) =>
  new ApiError('offline', t('Stevedore can’t be reached. Check your connection and try again.'), {
    cause,
  })

/** The admin gives no session token: mostly, there is no connection. */
export const adminSilent = (cause: unknown) =>
  new ApiError(
    ADMIN_SILENT,
    t(
      'Your store’s admin does not answer. Check your connection, or open Stevedore again from the admin.',
    ),
    { cause },
  )

export const notSignedIn = (about: ConstructorParameters<typeof ApiError>[2]) =>
  new ApiError(
    'not_signed_in',
    t('You are not signed in. Open Stevedore again from your store’s admin.'),
    about,
  )

/**
 * The error in an answer's body; a proxy's page instead of our JSON still gives a usable sentence.
 * `retryAfter`: the header, in seconds.
 */
export function errorFrom(status: number, body: unknown, retryAfter?: string | null): ApiError {
  const retryAfterMs = Math.max(0, Number(retryAfter ?? 0) || 0) * 1000
  const error = (body as { error?: Record<string, unknown> } | null)?.error
  if (error && typeof error.code === 'string' && typeof error.message === 'string') {
    const requestId = typeof error.request_id === 'string' ? error.request_id : null
    // The API's message is about API keys, which the page has none of.
    if (status === 401) return notSignedIn({ status, requestId })
    const details = Array.isArray(error.details) ? (error.details as ErrorDetail[]) : []
    const stated = error as unknown as StatedMessage
    const message = commonText(error.code, stated, retryAfterMs) ?? messageText(stated)
    return new ApiError(error.code, message, {
      status,
      retryAfterMs,
      details: details.map(inLanguage),
      requestId,
      current: (error.current as Record<string, unknown> | undefined) ?? null,
    })
  }
  const message = status === 429 ? busyText(retryAfterMs) : unreadableText(status)
  return new ApiError('unexpected', message, { status, retryAfterMs })
}

/** What a person can do about errors whose message in the API is for programs. */
function commonText(code: string, { message }: StatedMessage, retryAfterMs: number): string | null {
  // Other limits say what is limited, such as mails to one buyer.
  if (code === 'rate_limited' && message.includes('Retry-After')) return busyText(retryAfterMs)
  return code === 'internal'
    ? t('Something went wrong on our side. Try again. If it happens again, write to support.')
    : null
}

const busyText = (retryAfterMs: number): string =>
  retryAfterMs > 0
    ? t('Too many requests. Try again in {duration}.', {
        duration: durationText(Math.ceil(retryAfterMs / 1000)),
      })
    : t('Too many requests. Wait a moment, then try again.')

/** What an answer means that is none of ours: a proxy's in front of the server. */
function unreadableText(status: number): string {
  if (status === 413)
    return t('This is more than the server accepts at a time (status {status}).', { status })
  return status >= 502 && status <= 504
    ? t('Stevedore is not available at the moment. Try again in a minute (status {status}).', {
        status,
      })
    : t('The server sent an unexpected response (status {status}).', { status })
}

interface StatedMessage {
  message: string
  message_text?: ServerText
}

const inLanguage = (detail: ErrorDetail): ErrorDetail => ({
  ...detail,
  message: messageText(detail),
})
