// Reads one HTTP/1 answer from the bytes of its connection. Written instead of a library's parser,
// which refuses faults that curl and browsers read, or accepts all of them: docs/decisions/0121.
import { readHead, type Framing, type ReadHead } from './answer-head.ts'
import { connectionLost, invalidAnswer, surplusError } from './failures.ts'

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
