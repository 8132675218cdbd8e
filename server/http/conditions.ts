// Evaluates a request's conditions and Range for the current file (RFC 9110 §13 and §14), before
// anything is counted. All values are bytes and milliseconds.
import { ownValue } from '../../plugins/contract/index.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { ByteRange } from '../core/store/store.ts'

export interface Representation {
  /** The strong ETag, with its quotes. */
  etag: string
  modifiedMs: number
  size: number
}

export type Answer =
  | { status: 200 }
  | { status: 206; range: ByteRange }
  | { status: 304 }
  | { status: 412 }
  | { status: 416 }

export function evaluateConditions(
  method: string,
  headers: IncomingHttpHeaders,
  file: Representation,
): Answer {
  if (headers['if-match'] !== undefined) {
    if (!lists(headers['if-match'], file.etag, false)) return { status: 412 }
  } else if (later(file, headers['if-unmodified-since']) === true) return { status: 412 }
  if (headers['if-none-match'] !== undefined) {
    if (lists(headers['if-none-match'], file.etag, true)) return { status: 304 }
  } else if (later(file, headers['if-modified-since']) === false) return { status: 304 }
  // A Range is defined for GET alone.
  if (method !== 'GET' || headers.range === undefined || !isSameVersion(headers['if-range'], file))
    return { status: 200 }
  return parseRange(headers.range, file.size)
}

/**
 * Does the request name the version of which it has the beginning? Without such a condition a later
 * part may belong to another version than the client's copy.
 */
export const namesVersion = (headers: IncomingHttpHeaders): boolean =>
  ['if-range', 'if-match', 'if-unmodified-since'].some(
    (name) => ownValue(headers, name) !== undefined,
  )

/**
 * A range that does not parse, has another unit or lists several gets the whole file, as the
 * standard allows.
 */
function parseRange(header: string, size: number): Answer {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header)
  if (!match || (match[1] === '' && match[2] === '')) return { status: 200 }
  const [first, last] = [Number(match[1]), Number(match[2])]
  if (match[1] === '') {
    if (last === 0 || size === 0) return { status: 416 }
    return { status: 206, range: { start: Math.max(0, size - last), end: size - 1 } }
  }
  if (match[2] !== '' && last < first) return { status: 200 }
  if (first >= size) return { status: 416 }
  return {
    status: 206,
    range: { start: first, end: match[2] === '' ? size - 1 : Math.min(last, size - 1) },
  }
}

const PROBE_BYTES = 2

/**
 * The request of a player or download program that only asks whether parts are served: iOS sends
 * `bytes=0-1` before each file. Like HEAD it is not counted, or such a buyer would need two
 * downloads for each file.
 */
export const isProbe = (range: ByteRange | null, size: number): boolean =>
  range !== null && range.start === 0 && range.end < PROBE_BYTES && size > PROBE_BYTES

/**
 * If-Range: the exact strong tag or the exact date. Otherwise the client's part is of another
 * version.
 */
function isSameVersion(condition: string | string[] | undefined, file: Representation): boolean {
  if (condition === undefined) return true
  const text = String(condition).trim()
  return text === file.etag || Date.parse(text) === seconds(file.modifiedMs)
}

/** Was the file changed after the date? Null without a valid date. */
function later(file: Representation, date: string | undefined): boolean | null {
  const at = date === undefined ? NaN : Date.parse(date)
  return Number.isNaN(at) ? null : seconds(file.modifiedMs) > at
}

function lists(header: string, etag: string, weak: boolean): boolean {
  if (header.trim() === '*') return true
  return header
    .split(',')
    .some((item) => (weak ? item.trim().replace(/^W\//, '') : item.trim()) === etag)
}

const seconds = (ms: number) => Math.floor(ms / 1000) * 1000
