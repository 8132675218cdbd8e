// Calls to the API: each carries a session token; a call whose token has expired is repeated once
// with a fresh one.
import { loadServerTexts } from '../messages/load-texts.ts'
import { hasBridge, sessionToken } from './bridge.ts'
import {
  adminSilent,
  ApiError,
  errorFrom,
  isGone,
  noAnswer,
  notSignedIn,
  offline,
} from './error.ts'
import {
  type Answer,
  type AnyParams,
  type Endpoint,
  type Params,
  pathOf,
  type Query,
} from './endpoints.ts'

/** Options of every call, in addition to the parameters of its endpoint. */
export interface CallOptions {
  /** Sent as it is, instead of a JSON body. */
  file?: { bytes: Blob; type: string }
  signal?: AbortSignal
  /** The ETag of the record that the call changes, as the form knows it. */
  ifMatch?: string | undefined
  /** Changes nothing, although it is a POST. */
  reads?: boolean
}

interface Request extends CallOptions {
  method?: string
  query?: Query | undefined
  /** Sent as JSON. */
  body?: unknown
  /** The expected media type; absent: JSON. */
  accept?: string
  /** The ETag of the known answer: if it is unchanged, the answer is 304 without a body. */
  etag?: string | undefined
}

/**
 * The last answers to GET, by address, so that an unchanged answer is not sent again. In memory
 * only, since answers contain links' keys.
 */
const answers = new Map<string, { etag: string; json: unknown }>()
const MAX_ANSWERS = 100

/** The answer's JSON; undefined for an empty one (204). Throws `ApiError`. */
export async function call<E extends Endpoint>(
  endpoint: E,
  ...[options]: object extends Params<E> ? [(Params<E> & CallOptions)?] : [Params<E> & CallOptions]
): Promise<Answer<E>> {
  return (await callAny(endpoint, options)) as Answer<E>
}

/**
 * `call` for an endpoint that is known only while the page runs. An unchanged answer to GET is not
 * sent again. Throws `ApiError`.
 */
export async function callAny(endpoint: Endpoint, options: AnyParams & CallOptions = {}) {
  const [method = 'GET'] = endpoint.split(' ')
  const path = pathOf(endpoint, options)
  if (method !== 'GET')
    return inTime(path, { ...options, method }, async (request) =>
      jsonOf(await send(path, request)),
    ).catch((error: unknown) => {
      // What is to be deleted has been deleted by somebody else.
      if (method === 'DELETE' && endpoint.endsWith('}') && isGone(error)) return undefined
      throw error
    })
  return inTime(path, { ...options, method }, (request) => read(path, request))
}

/** The answer to GET; the one before if it is unchanged. */
async function read(path: string, request: Request): Promise<unknown> {
  const address = path + toQuery(request.query ?? {})
  const before = answers.get(address)
  const response = await send(path, { ...request, etag: before?.etag })
  if (response.status === 304 && before) return before.json
  const json = await jsonOf(response)
  answers.delete(address)
  const etag = response.headers.get('etag')
  if (etag !== null) answers.set(address, { etag, json })
  // Drops the oldest answer.
  const [oldest] = answers.keys()
  if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest)
  return json
}

/** How long an answer is waited for. */
const PATIENCE_MS = 60_000
/** Of calls that ask another server, or that process files before they answer. */
const LONG_PATIENCE_MS = 180_000
const LONG =
  /^\/api\/(connections|csv|files\/[^/]+\/versions|moves|plan|settings\/mail|workflows\/try)\b/
/** An upload is given up if it is slower, in bytes in a millisecond. */
const SLOWEST_UPLOAD = 20

/**
 * Ends a call that is never answered, so that its button can be used again. Throws `ApiError`; what
 * a change asked for may have been done nevertheless.
 */
async function inTime<Answered>(
  path: string,
  request: Request & { method: string },
  run: (request: Request) => Promise<Answered>,
): Promise<Answered> {
  const { method, file, signal, reads = method === 'GET' } = request
  const ended = new AbortController()
  let isLate = false
  const patience =
    (LONG.test(path) ? LONG_PATIENCE_MS : PATIENCE_MS) + (file?.bytes.size ?? 0) / SLOWEST_UPLOAD
  const timer = setTimeout(() => {
    isLate = true
    ended.abort()
  }, patience)
  // AbortSignal.any is missing on phones with iOS 16.
  const leave = () => ended.abort(signal?.reason)
  signal?.addEventListener('abort', leave)
  if (signal?.aborted) leave()
  try {
    return await run({ ...request, signal: ended.signal })
  } catch (error) {
    throw isLate ? noAnswer(!reads, error) : error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
  }
}

const jsonOf = async (response: Response) =>
  response.status === 204 ? undefined : withEtag(response, await parsed(response))

/** The ETag of a record that a form can edit is kept with it, also by copies. */
function withEtag(response: Response, json: unknown): unknown {
  const etag = response.headers.get('etag')
  const isEditable = etag?.includes('.') && typeof json === 'object' && !Array.isArray(json)
  return isEditable ? { ...json, etag } : json
}

/** The ETag with which a record was read, for If-Match; undefined: it is not editable. */
export const etagOf = (record: object | undefined): string | undefined =>
  (record as { etag?: string } | undefined)?.etag

/** The answer's text as it arrives, until the server ends it. Throws `ApiError`. */
export async function* callForText(path: string, options: Request): AsyncGenerator<string> {
  const response = await send(path, options)
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } catch (error) {
    throw unlessAborted(error)
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** The answer's bytes. Throws `ApiError`. */
export async function callForBytes(path: string, signal?: AbortSignal): Promise<Blob> {
  const response = await send(path, { signal })
  try {
    return await response.blob()
  } catch (error) {
    throw unlessAborted(error)
  }
}

/** `?a=1&b=x,y`, without empty values; the empty string if there are none. */
export function toQuery(query: Query): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.join(',') : String(value ?? '')
    if (text !== '') params.set(name, text)
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** Answers without texts of the server, which the list of files shows first. */
const TEXTLESS = /^\/api\/(activity|files|session|views)(\?|$)/

async function send(path: string, options: Request): Promise<Response> {
  let response = await attempt(path, options)
  if (response.status === 401) response = await attempt(path, options)
  if (!response.ok || !TEXTLESS.test(path)) await loadServerTexts()
  if (!response.ok && response.status !== 304)
    throw errorFrom(
      response.status,
      await parsed(response).catch(() => null),
      response.headers.get('retry-after'),
    )
  return response
}

async function attempt(path: string, options: Request): Promise<Response> {
  const { method = 'GET', query = {}, body, file, signal, etag, ifMatch } = options
  const { accept = 'application/json' } = options
  const token = await sessionToken().catch((error: unknown) => {
    throw hasBridge() ? adminSilent(error) : notSignedIn({ cause: error })
  })
  try {
    return await fetch(path + toQuery(query), {
      method,
      signal: signal ?? null,
      headers: {
        authorization: `Bearer ${token}`,
        accept,
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        ...(file || body !== undefined ? { 'content-type': file?.type ?? 'application/json' } : {}),
      },
      body: file ? file.bytes : body === undefined ? null : JSON.stringify(body),
    })
  } catch (error) {
    throw unlessAborted(error)
  }
}

async function parsed(response: Response): Promise<unknown> {
  let text: string
  try {
    text = await response.text()
  } catch (error) {
    throw unlessAborted(error)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw errorFrom(response.status, null)
  }
}

const unlessAborted = (error: unknown): unknown =>
  error instanceof ApiError || (error instanceof DOMException && error.name === 'AbortError')
    ? error
    : offline(error)
