// The parts of a response that do not depend on who sends the bytes: its headers, and answers
// without a body.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ByteRange } from '../../core/store/store.ts'
import type { Answer } from '../../http/conditions.ts'
import { fileHeaders, PRIVATE, type Audience, type FileDescription } from '../../http/headers.ts'
import { refuse, type RefusalContext } from './refusal.ts'
import type { Permit } from './revocation.ts'
import type { FileTarget } from './targets.ts'

export interface Visit {
  request: IncomingMessage
  response: ServerResponse
  now: Date
}

export interface Part {
  target: FileTarget
  /** The part to send; null for the whole file. */
  range: ByteRange | null
  audience?: Audience
  /** The headers of a redirect to the bucket; absent: the bytes must not be redirected. */
  redirectHeaders?: Audience
  /** The transfer is ended when this permit is withdrawn. */
  permit?: Permit
}

export const isWholeFile = ({ target: { size }, range }: Part): boolean =>
  range === null || (range.start === 0 && range.end === size - 1)

export const lengthOf = ({ target, range }: Part): number =>
  range ? range.end - range.start + 1 : target.size

/** Sends a body that is in memory; HEAD gets its headers alone. */
export function sendBody(
  { request, response }: Visit,
  headers: readonly string[],
  body: string | Buffer,
): void {
  if (response.destroyed) return
  response.writeHead(200, [...headers, 'Content-Length', String(Buffer.byteLength(body))])
  response.end(request.method === 'HEAD' ? undefined : body)
}

/**
 * Answers without the file's bytes: to HEAD, or if the request's conditions require it (412 and 416
 * send a page).
 */
export function withoutBody(
  visit: Visit,
  part: Part,
  { status }: Answer,
  refused: RefusalContext,
): void {
  const { request, response } = visit
  const { target, audience } = part
  if (status === 412) return refuse(request, response, 'precondition_failed', refused)
  if (status === 416)
    return refuse(request, response, 'range_not_satisfiable', {
      ...refused,
      headers: ['Content-Range', `bytes */${target.size}`, 'Accept-Ranges', 'bytes'],
    })
  response.writeHead(status, [
    ...describe(target, audience),
    ...(status === 304 ? [] : lengthHeaders({ target, range: null })),
  ])
  response.end()
}

export const isBodiless = ({ status }: Answer): boolean =>
  status === 304 || status === 412 || status === 416

export const rangeOfAnswer = (answer: Answer): ByteRange | null =>
  'range' in answer ? answer.range : null

const etagOf = (target: FileTarget) => `"${target.hash}"`

export const representation = (target: FileTarget) => ({
  etag: etagOf(target),
  modifiedMs: target.modifiedMs,
  size: target.size,
})

/** Computes headers once per target: a cached link's target is served many times. */
export function memoizedHeaders(
  make: (target: FileTarget & FileDescription, audience: Audience) => string[],
) {
  const computed = new WeakMap<
    FileTarget,
    { audience: Audience; sha256: string | null; headers: string[] }
  >()
  return (target: FileTarget, audience: Audience = PRIVATE): string[] => {
    const before = computed.get(target)
    const { sha256 } = target
    if (before?.audience === audience && before.sha256 === sha256) return before.headers
    const headers = make({ ...target, etag: etagOf(target) }, audience)
    computed.set(target, { audience, sha256, headers })
    return headers
  }
}

const describe = memoizedHeaders(fileHeaders)

export const describePart = (part: Part): string[] => [
  ...describe(part.target, part.audience),
  ...lengthHeaders(part),
]

function lengthHeaders(part: Part): string[] {
  const { target, range } = part
  const all = ['Content-Length', String(lengthOf(part))]
  return range ? [...all, 'Content-Range', `bytes ${range.start}-${range.end}/${target.size}`] : all
}
