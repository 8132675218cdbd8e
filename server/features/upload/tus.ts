// The tus 1.0 protocol for one request: a server whose store knows one shop only.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { ERRORS, Server, type Locker } from '@tus/server'
import { type Entry, say, textOf } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { LockTimeout, type Locks } from '../../core/db/locks.ts'
import { AppError, type ErrorCode } from '../../core/errors.ts'
import { cleanName, nameKey } from '../../files/rules.ts'
import type { ShopQuotas } from '../../files/quotas.ts'
import { toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import {
  type DirectParts,
  invalid,
  keptMetadata,
  nameTaken,
  readConflict,
  readMetadata,
} from './direct.ts'
import { CHECKSUMS, readChecksum } from './receive.ts'
import { readUploadState, type UploadQuotas, type UploadChoices } from './rows.ts'
import { ShopUploads } from './store.ts'

export const UPLOADS_PATH = '/api/uploads'
/**
 * How long a request may continue after another request for the same upload has arrived: the client
 * of the first is probably gone.
 */
const DRAIN_MS = 500

export interface TusParts extends DirectParts {
  locks: Locks
  fileBytes: number
  quotas: UploadQuotas & Partial<ShopQuotas>
}

export interface TusCaller {
  scope: ShopScope
  name: string
  /** Throws if an upload of this kind needs a scope that the caller lacks. */
  permit(onConflict: Entry['on_conflict']): void
}

/** Answers the request, or throws an `AppError` before it has answered anything. */
export async function handleTus(
  parts: TusParts,
  caller: TusCaller,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { scope, name: requestedBy } = caller
  const { method, headers } = request
  requireProtocol(request, response)
  const onConflict =
    method === 'PATCH' ? readConflict(String(headers['upload-on-conflict'] ?? '')) : null
  if (onConflict) caller.permit(onConflict)
  const checksum = readChecksum(String(request.headers['upload-checksum'] ?? ''))
  const { fileBytes, quotas } = parts
  const stop = new AbortController()
  const bytes = untilStopped(request, stop.signal)
  const datastore = new ShopUploads(parts, scope, {
    requestedBy,
    bytes,
    checksum,
    onConflict,
    fileBytes,
    quotas,
  })
  response.setHeader('Tus-Checksum-Algorithm', CHECKSUMS.join(','))
  const server = new Server({
    path: UPLOADS_PATH,
    datastore,
    relativeLocation: true,
    allowedOrigins: [],
    lockDrainTimeout: DRAIN_MS,
    maxSize: fileBytes,
    locker: lockerOf(
      parts.locks,
      scope.shop,
      present(request.method, 'The method'),
      () => void setTimeout(() => stop.abort(), DRAIN_MS),
    ),
    namingFunction: (_, metadata = {}) => {
      const choices = readMetadata(metadata, Number(request.headers['upload-length']), fileBytes)
      caller.permit(choices.on_conflict)
      return admit(scope, choices)
    },
    onUploadCreate: async (_, upload) => ({ metadata: keptMetadata(upload.metadata ?? {}) }),
    onUploadFinish: async (_, upload) => {
      await datastore.finish(upload.id)
      return {}
    },
    onResponseError: (_, error) => {
      throw toAppError(error)
    },
  })
  const answer = await server.handleWeb(withoutBody(request))
  if (datastore.isDirect) response.setHeader('Upload-Direct', '1')
  await send(request, response, answer)
}

export const TUS_VERSION = '1.0.0'
const BYTES_TYPE = 'application/offset+octet-stream'

/**
 * The protocol requires 412 with the versions of the server, and 415 for bytes of another type. The
 * library answers 400.
 */
function requireProtocol({ method, headers }: IncomingMessage, response: ServerResponse): void {
  if (headers['tus-resumable'] !== TUS_VERSION) {
    response.setHeader('Tus-Version', TUS_VERSION)
    throw new AppError('precondition_failed', {
      message: say('Uploads speak tus {version}', { version: TUS_VERSION }),
    })
  }
  if (method === 'PATCH' && headers['content-type'] !== BYTES_TYPE)
    throw new AppError('unsupported_media_type', {
      message: textOf(`Send the bytes with Content-Type: ${BYTES_TYPE}`),
    })
}

/** The request for tus, without its bytes, which the store reads directly. */
function withoutBody(request: IncomingMessage): Parameters<Server['handleWeb']>[0] {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value))
  // Spaces around commas are allowed in lists of HTTP, and arise where several headers are joined.
  const metadata = headers.get('upload-metadata')
  if (metadata !== null) headers.set('upload-metadata', metadata.replaceAll(/(?<!\s)\s*,\s*/g, ','))
  const { method, url } = request
  return {
    method,
    url: new URL(present(url, 'The address'), 'http://upload').href,
    headers,
    body: null,
  } as Parameters<Server['handleWeb']>[0]
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Response,
): Promise<void> {
  // The rest of an interrupted chunk must not be read as the next request.
  if (request.method === 'PATCH' && !request.complete) response.setHeader('Connection', 'close')
  const body = await answer.text()
  if (answer.status < 400)
    return void response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body)
  // The protocol's headers are kept; its text body becomes a JSON error.
  for (const [name, value] of answer.headers)
    if (!OF_BODY.has(name)) response.setHeader(name, value)
  throw toAppError({ status_code: answer.status, body })
}

const OF_BODY: ReadonlySet<string> = new Set(['content-length', 'content-type'])

/** Yields the request's bytes, until the connection breaks or another request wants the upload. */
async function* untilStopped(
  request: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const bytes = new PassThrough()
  const end = () => {
    request.unpipe(bytes)
    bytes.end()
  }
  request.once('error', end).once('close', end)
  signal.addEventListener('abort', end, { once: true })
  if (request.destroyed || signal.aborted) end()
  else request.pipe(bytes)
  yield* bytes as AsyncIterable<Buffer>
}

/** Refuses invalid uploads before their bytes are sent; returns the new upload's id. */
async function admit(
  scope: ShopScope,
  { filename, on_conflict, batch }: UploadChoices,
): Promise<string> {
  const found = await readUploadState(scope, nameKey(cleanName(filename)), batch)
  if (batch && !found.batch)
    throw invalid([
      { param: 'batch', code: 'invalid_value', message: say('There is no such batch') },
    ])
  if (on_conflict === 'error' && found.taken) throw nameTaken()
  return toPublicId('upload', found.id)
}

/** The shop's number is part of the lock's name, so no shop can lock another shop's upload. */
function lockerOf(locks: Locks, shop: number, method: string, stop: () => void): Locker {
  return {
    newLock: (id) => {
      // No other request knows the id of an upload that is being created.
      if (method === 'POST') return { lock: async () => {}, unlock: async () => {} }
      let release: (() => Promise<void>) | undefined
      return {
        lock: async (signal, onWanted) => {
          release = await locks.acquire(`upload/${shop}/${id}`, signal, () => {
            stop()
            return onWanted()
          })
        },
        unlock: async () => release?.(),
      }
    },
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  404: 'not_found',
  409: 'conflict',
  410: 'upload_expired',
  412: 'precondition_failed',
  413: 'file_too_large',
  500: 'internal',
}

/** Codes whose errors have the message of the tus server. */
const SHOWN: ReadonlySet<ErrorCode> = new Set(['malformed_request', 'precondition_failed'])

/** Other errors, such as a full disk, are handled with those of all requests. */
function toAppError(error: Error | { status_code: number; body: string }): Error {
  if (error instanceof AppError) return error
  if (error instanceof LockTimeout)
    return new AppError('unavailable', { retryAfter: 1, cause: error })
  if (!('status_code' in error)) return error
  // More bytes than announced; that does not mean that the file is too large.
  if (error.body === ERRORS.ERR_SIZE_EXCEEDED.body)
    return new AppError('payload_too_large', { cause: error })
  const code = CODES[error.status_code] ?? 'malformed_request'
  if (code === 'conflict')
    return new AppError(code, { message: say('The upload is not at this offset') })
  return new AppError(code, {
    ...(SHOWN.has(code) ? { message: textOf(error.body.trim()) } : {}),
    cause: error,
  })
}
