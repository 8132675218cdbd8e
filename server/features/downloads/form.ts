// The forms of buyers' pages: their fields, also as JSON, and the error that ends a request.
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { AppError, type ErrorCode } from '../../core/errors.ts'
import { readRequest } from '../../core/request-body.ts'
import type { Client } from '../../core/client-address.ts'
import type { KnownLink } from './counting/known-link.ts'
import type { LinkCounter } from './counting/link-counter.ts'
import { refuse, type RefusalContext } from './refusal.ts'
import { isKey, viewerIn } from './request.ts'
import type { Visit } from './response.ts'

export const MAX_FORM_BYTES = 16 * 1024

/** Ends the handling of a request with an error response. */
export class FormRefusal extends Error {
  readonly code: ErrorCode
  readonly about: RefusalContext
  constructor(code: ErrorCode, about: RefusalContext = {}) {
    super(code)
    this.code = code
    this.about = about
  }
}

const typeOf = ({ headers }: IncomingMessage): string | undefined =>
  headers['content-type']?.replace(/;.*/, '').trim().toLowerCase()

/** Is the body JSON, which only programs send? */
export const isJson = (request: IncomingMessage): boolean => typeOf(request) === 'application/json'

/** PostgreSQL cannot store the character 0. */
const storable = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '') : value

/** The fields of a form or of a JSON object. Throws `FormRefusal`. */
export async function readForm(request: IncomingMessage): Promise<Record<string, unknown>> {
  const json = isJson(request)
  if (!json && typeOf(request) !== 'application/x-www-form-urlencoded')
    throw new FormRefusal('unsupported_media_type')
  const bytes = await readRequest(request, MAX_FORM_BYTES).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    const retry = error.retryAfter === null ? [] : ['Retry-After', String(error.retryAfter)]
    // The rest is unread, so the connection cannot be used again.
    throw new FormRefusal(error.code, { headers: ['Connection', 'close', ...retry] })
  })
  const fields = Object.entries(json ? readJson(bytes) : formOf(bytes))
  return Object.fromEntries(fields.map(([name, value]) => [name, storable(value)]))
}

const formOf = (bytes: Buffer) => Object.fromEntries(new URLSearchParams(bytes.toString()))

function readJson(bytes: Buffer): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(bytes.toString()))
  } catch {
    throw new FormRefusal('malformed_request')
  }
}

/** Answers a form that is sent by POST; a `FormRefusal` of `handle` becomes the answer. */
export async function answerForm(
  { request, response }: Visit,
  handle: () => Promise<void>,
): Promise<void> {
  try {
    if (request.method !== 'POST')
      throw new FormRefusal('method_not_allowed', { headers: ['Allow', 'POST'] })
    await handle()
  } catch (error) {
    if (!(error instanceof FormRefusal)) throw error
    refuse(request, response, error.code, error.about)
  }
}

/** The link whose key a form contains. Throws `FormRefusal`. */
export async function readFormLink(
  counter: Pick<LinkCounter, 'lookUp'>,
  form: Record<string, unknown>,
  { request, now, client }: Pick<Visit, 'request' | 'now'> & { client: Client },
): Promise<{ key: string; link: KnownLink }> {
  const key = String(form.key ?? '')
  const asker = { key, client, sites: null, now, viewer: viewerIn(request) }
  const link = isKey(key) ? await counter.lookUp(asker) : null
  if (!link || link.uninstalled) throw new FormRefusal('link_unavailable')
  return { key, link }
}
