// The errors of the client, from the body that all refused requests have.
import type { Answered, StevedoreError as Declared } from './types.ts'

export class StevedoreError extends Error implements Declared {
  readonly code: string
  readonly status: number
  readonly details: Declared['details']
  readonly requestId: string | null

  constructor(
    code: string,
    message: string,
    about: Partial<Pick<Declared, 'status' | 'details' | 'requestId' | 'cause'>> = {},
  ) {
    super(message, { cause: about.cause })
    this.name = 'StevedoreError'
    this.code = code
    this.status = about.status ?? 0
    this.details = about.details ?? []
    this.requestId = about.requestId ?? null
  }
}

interface ErrorBody {
  error?: {
    code?: unknown
    message?: unknown
    details?: unknown
    request_id?: unknown
  }
}

/** `body`: the answer's JSON, or what a proxy in front of the installation answered. */
export function errorOf(status: number, body: unknown): StevedoreError {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody
  if (typeof error?.code !== 'string' || typeof error.message !== 'string')
    return new StevedoreError('unexpected', `The server answered with status ${status}`, { status })
  return new StevedoreError(error.code, error.message, {
    status,
    details: Array.isArray(error.details) ? (error.details as Declared['details']) : [],
    requestId: typeof error.request_id === 'string' ? error.request_id : null,
  })
}

/** The data of an answer. Throws `StevedoreError`. */
export function dataOf<Data>({ data, error, response }: Answered<Data>): NonNullable<Data> {
  if (error !== undefined || !response.ok) throw errorOf(response.status, error)
  return data as NonNullable<Data>
}

/** The error of a raw answer. */
export async function errorFrom(response: Response): Promise<StevedoreError> {
  const text = await response.text().catch(() => '')
  return errorOf(response.status, parsed(text))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The reason of a failed `fetch`, which hides it in its cause: `ECONNREFUSED 127.0.0.1:80`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0])
  return cause instanceof Error ? reasonOf(cause) : error.message
}
