// The head of an HTTP/1 answer: its status, its headers, and where its body ends. Accepts what curl
// and browsers accept, as long as all of them read the same body from it; a head with a fault is
// marked, since its connection must not be used again.
import type { IncomingHttpHeaders } from 'node:http'
import { invalidAnswer, connectionLost, surplusError } from './failures.ts'

export interface Head {
  status: number
  headers: IncomingHttpHeaders
}

/** Where a body ends: after so many bytes, after its last chunk, or with the connection. */
type Framing = number | 'chunks' | 'connection'

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
function readHead(lines: readonly string[], hasFaultyLine: boolean, idleMs: number): ReadHead {
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

// Reads one HTTP/1 answer from the bytes of its connection. Written instead of a library's parser,
// which refuses faults that curl and browsers read, or accepts all of them: docs/decisions/0121.

/** Heads, trailers, and the lines of chunks above this are refused; curl allows 300 KB. */
const MAX_HEAD = 256 * 1024
const MAX_CHUNK_LINE = 4096
const LF = 10
const PREFIX = 'http/'
/** A chunk's size, then its extensions, which are ignored. Ten digits are a terabyte. */
const CHUNK_SIZE = /^0{0,6}([\da-f]{1,10})[ \t]*(?:;.*)?$/i

export interface AnswerReader {
  /** The final answer begins. */
  onHead(head: ReadHead): void
  onData(bytes: Buffer): void
  /** The answer is complete. Bytes that follow it make `read` throw. */
  onComplete(): void
}

type State = 'head' | 'size' | 'bytes' | 'after-chunk' | 'trailers' | 'complete'

export class AnswerParser {
  readonly #reader: AnswerReader
  readonly #idleMs: number
  /** HEAD: the answer has no body, also if its headers state a length. */
  readonly #isHeadOnly: boolean
  #state: State = 'head'
  #framing: Framing = 0
  #left = 0
  #isKept = false
  #hasBody = true
  #line: Buffer[] = []
  #lines: string[] = []
  #lineBytes = 0
  #hasFault = false

  /** @param idleMs how long a connection is kept for another request */
  constructor(method: string, idleMs: number, reader: AnswerReader) {
    this.#isHeadOnly = method === 'HEAD'
    this.#idleMs = idleMs
    this.#reader = reader
  }

  /** After a complete answer: whether the connection can be used for another request. */
  get isReusable(): boolean {
    return this.#state === 'complete' && this.#isKept && !this.#hasFault
  }

  /**
   * Reads the next bytes of the connection.
   * @throws `PortError` if they are no valid answer
   */
  read(bytes: Buffer): void {
    let rest = bytes
    while (rest.length > 0) {
      if (this.#state === 'complete') {
        this.#isKept = false
        if (this.#hasBody) throw surplusError()
        return
      }
      rest = this.#state === 'bytes' ? this.#readBytes(rest) : this.#readLine(rest)
    }
  }

  /**
   * The server closed the connection.
   * @throws `PortError` if the answer is not complete
   */
  end(): void {
    this.#isKept = false
    if (this.#state === 'complete') return
    if (this.#state !== 'bytes' || this.#framing !== 'connection') throw connectionLost()
    this.#complete()
  }

  #readBytes(bytes: Buffer): Buffer {
    const part = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
    this.#left -= part.length
    this.#reader.onData(part)
    if (this.#left === 0) {
      if (this.#framing === 'chunks') this.#state = 'after-chunk'
      else this.#complete()
    }
    return bytes.subarray(part.length)
  }

  /** Takes the bytes of one line, or of its part that has arrived. */
  #readLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(LF)
    const part = end < 0 ? bytes : bytes.subarray(0, end + 1)
    this.#lineBytes += part.length
    if (this.#lineBytes > (this.#state === 'size' ? MAX_CHUNK_LINE : MAX_HEAD))
      throw invalidAnswer(this.#state === 'size' ? 'chunk' : 'tooLong')
    // The bytes may be freed while the rest of the line is awaited.
    this.#line.push(end < 0 ? Buffer.from(part) : part)
    const isStart = this.#lines.length === 0 && this.#lineBytes - part.length < PREFIX.length
    if (this.#state === 'head' && isStart) this.#checkPrefix()
    if (end < 0) return bytes.subarray(part.length)
    const text = Buffer.concat(this.#line).toString('latin1')
    this.#line = []
    const line = text.replace(/\r*\n$/, '')
    if (text !== `${line}\r\n`) this.#hasFault = true
    this.#useLine(line)
    return bytes.subarray(part.length)
  }

  /** Other services than HTTP often send no line, and do not close the connection. */
  #checkPrefix(): void {
    const start = Buffer.concat(this.#line).toString('latin1', 0, PREFIX.length).toLowerCase()
    if (!PREFIX.startsWith(start)) throw invalidAnswer('noHttp')
  }

  #useLine(line: string): void {
    if (this.#state === 'head') return line === '' ? this.#useHead() : void this.#lines.push(line)
    if (this.#state === 'trailers') return line === '' ? this.#complete() : undefined
    this.#lineBytes = 0
    if (this.#state === 'size') return this.#useSize(line)
    if (line !== '') throw invalidAnswer('chunk')
    this.#state = 'size'
  }

  #useHead(): void {
    const head = readHead(this.#lines, this.#hasFault, this.#idleMs)
    const { status, framing, isKept } = head
    this.#lines = []
    // 101 is final: the server speaks another protocol after it.
    if (status < 200 && status !== 101) return
    this.#lineBytes = 0
    this.#isKept = isKept && status !== 101
    this.#hasBody = !this.#isHeadOnly && status >= 200 && status !== 204 && status !== 304
    this.#framing = framing
    this.#reader.onHead(head)
    if (!this.#hasBody || framing === 0) return this.#complete()
    this.#state = framing === 'chunks' ? 'size' : 'bytes'
    this.#left = typeof framing === 'number' ? framing : Infinity
  }

  #useSize(line: string): void {
    const size = CHUNK_SIZE.exec(line)?.[1]
    if (size === undefined) throw invalidAnswer('chunk')
    if (/[ \t]/.test(line)) this.#hasFault = true
    this.#left = Number.parseInt(size, 16)
    this.#state = this.#left === 0 ? 'trailers' : 'bytes'
  }

  #complete(): void {
    this.#state = 'complete'
    this.#reader.onComplete()
  }
}
