// The head of an HTTP/1 answer: its status, its headers, and where its body ends. Accepts what curl
// and browsers accept, as long as all of them read the same body from it; a head with a fault is
// marked, since its connection must not be used again.
import type { IncomingHttpHeaders } from 'node:http'
import { invalidAnswer } from './failures.ts'

export interface Head {
  status: number
  headers: IncomingHttpHeaders
}

/** Where a body ends: after so many bytes, after its last chunk, or with the connection. */
export type Framing = number | 'chunks' | 'connection'

export interface ReadHead extends Head {
  framing: Framing
  /** The server will keep the connection open, and the head has no fault. */
  isKept: boolean
}

/** Servers write "HTTP/2" and no reason, and several blanks. */
const STATUS_LINE = /^HTTP\/(?:1\.\d|2(?:\.0)?) +(\d{3})(?!\d)/i
const FAULTLESS_STATUS_LINE = /^HTTP\/1\.1 \d{3}(?: |$)/
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/g
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
/** Their lines form one list. Of other headers that occur several times, the first is valid. */
const LISTS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
])
const NO_CODING = new Set(['', 'identity'])
/** Of the body inside its chunks, or up to its length. */
const COMPRESSION = /^(?:(?:x-)?(?:gzip|compress)|deflate|br|zstd)$/

/**
 * @param lines the lines without their ends, the status line first
 * @param idleMs how long a connection is kept for another request
 * @throws `PortError` for a head that is read in different ways by different programs
 */
export function readHead(
  lines: readonly string[],
  hasFaultyLine: boolean,
  idleMs: number,
): ReadHead {
  const [first = '', ...rest] = lines
  const status = STATUS_LINE.exec(first)?.[1]
  if (status === undefined) throw invalidAnswer('noHttp')
  const { headers, hasFault } = headersOf(unfolded(rest))
  const { framing, isDoubtful } = framingOf(headers)
  const isFaulty = hasFaultyLine || hasFault || isDoubtful || rest.some(isFolded)
  return {
    status: Number(status),
    headers,
    framing,
    isKept: !isFaulty && FAULTLESS_STATUS_LINE.test(first) && isKeptAlive(headers, idleMs),
  }
}

const isFolded = (line: string): boolean => /^[ \t]/.test(line)

/** Joins the lines of headers that continue on the next one (RFC 9112, 5.2). */
function unfolded(lines: readonly string[]): string[] {
  const headers: string[] = []
  for (const line of lines)
    if (isFolded(line) && headers.length > 0) headers.push(`${headers.pop()} ${line.trim()}`)
    else headers.push(line)
  return headers
}

function headersOf(lines: readonly string[]): { headers: IncomingHttpHeaders; hasFault: boolean } {
  const values = new Map<string, string>()
  const cookies: string[] = []
  let hasFault = false
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 0 || line.includes('\0')) throw invalidAnswer('header')
    const stated = line.slice(0, colon)
    const name = stated.trimEnd().toLowerCase()
    // Control characters would be sent back to the server in a cookie.
    const value = line
      .slice(colon + 1)
      .replaceAll(CONTROL, ' ')
      .trim()
    // Some programs ignore such a name, and others read it.
    if (name !== stated.toLowerCase() && name === 'transfer-encoding') throw invalidAnswer('length')
    hasFault ||= name.length !== stated.length || line.search(CONTROL) >= 0
    if (!TOKEN.test(name)) hasFault = true
    else if (name === 'set-cookie') cookies.push(value)
    else values.set(name, joinedValue(name, values.get(name), value))
  }
  const headers: IncomingHttpHeaders = Object.fromEntries(values)
  if (cookies.length > 0) headers['set-cookie'] = cookies
  return { headers, hasFault }
}

function joinedValue(name: string, before: string | undefined, value: string): string {
  if (before === undefined) return value
  return LISTS.has(name) ? `${before}, ${value}` : before
}

/** The names in a list, in lower case. */
const namesIn = (list: string | undefined): string[] =>
  (list ?? '').split(',').map((name) => name.trim().toLowerCase())

/**
 * Where the body ends (RFC 9112, 6.3). Sets the length to one number, and removes it where it does
 * not count.
 */
function framingOf(headers: IncomingHttpHeaders): { framing: Framing; isDoubtful: boolean } {
  const transfer = headers['transfer-encoding']
  const stated = headers['content-length']
  const codings = namesIn(transfer).filter((name) => !NO_CODING.has(name))
  if (codings.some((name) => name !== 'chunked' && !COMPRESSION.test(name)))
    throw invalidAnswer('length')
  if (codings.includes('chunked')) {
    const at = codings.indexOf('chunked')
    if (codings.slice(at).some((name) => name !== 'chunked')) throw invalidAnswer('length')
    delete headers['content-length']
    const isDoubtful = stated !== undefined || transfer?.toLowerCase() !== 'chunked'
    return { framing: 'chunks', isDoubtful }
  }
  if (stated === undefined) return { framing: 'connection', isDoubtful: transfer !== undefined }
  const length = lengthOf(stated)
  headers['content-length'] = String(length)
  return { framing: length, isDoubtful: transfer !== undefined || stated !== String(length) }
}

function lengthOf(stated: string): number {
  const lengths = new Set(
    namesIn(stated)
      .filter((one) => one !== '')
      .map(bytesOf),
  )
  const [length] = lengths
  if (length === undefined || lengths.size > 1) throw invalidAnswer('length')
  return length
}

function bytesOf(digits: string): number {
  const bytes = /^\d+$/.test(digits) ? Number(digits) : Infinity
  if (!Number.isSafeInteger(bytes)) throw invalidAnswer('length')
  return bytes
}

function isKeptAlive(headers: IncomingHttpHeaders, idleMs: number): boolean {
  const [, seconds] = /\btimeout\s*=\s*(\d{1,9})/i.exec(String(headers['keep-alive'] ?? '')) ?? []
  if (seconds !== undefined && Number(seconds) * 1000 <= idleMs) return false
  return !namesIn(headers.connection).some((name) => name === 'close' || name === 'upgrade')
}
