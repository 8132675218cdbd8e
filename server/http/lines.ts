// A body of lines (NDJSON): one JSON value in each line. It is checked line by line as it arrives and
// spooled to a temporary file, so that its length is not limited by memory; nothing of it is used
// unless all of it is valid.
import { createHash, randomUUID } from 'node:crypto'
import { open, unlink, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { textOf, type Text } from '../../plugins/contract/index.ts'
import { AppError, MAX_DETAILS, type ErrorDetail } from '../core/errors.ts'
import { readBodyPieces } from '../core/request-body.ts'
import { present } from '../core/lazy.ts'
import { nextTurn } from '../core/turn.ts'
import { shapeCounter, tokenOffset } from './body.ts'
import { checked } from './validate.ts'

// Only programs send lines: the messages are not translated.

/** The media types of such a body; the first one is documented. */
export const LINE_TYPES = [
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
] as const

/**
 * What such a body takes in memory. A shop's share of all bodies is two of these: as many temporary
 * files can one shop have.
 */
const STREAMED_BYTES = 16 * 1024 ** 2
/** The maximum length of a line in bytes: more than any entry needs. */
const MAX_LINE = 1024 ** 2
/** How many lines are validated before other requests are answered: a few milliseconds. */
const CHECKED_AT_ONCE = 200
/** How many lines a batch has. */
const BATCH = 1000

/** A body of lines whose lines are all valid. */
export interface ReceivedLines<About = unknown, Line = unknown> {
  /** What the first line says about the others. */
  about: About
  count: number
  /** The hash of the body, in hex. */
  sha256: string
  /** The lines in their order, a thousand at a time. */
  batches(): AsyncGenerator<Line[]>
}

/** The lines that an endpoint takes. */
export interface LinesSchema<About = unknown, Line = unknown> {
  /** The only field of a first line that is about all others: `import`. */
  name: string
  /** What it contains. Without such a line it is {}. */
  about: z.ZodType<About>
  line: z.ZodType<Line>
  /** The maximum number of lines. */
  most: number
  maxBytes: number
}

/**
 * Calls `work` with the lines of a request; they are removed afterwards. Throws `validation_failed`
 * with the first hundred problems, each with the number of its line, `payload_too_large`,
 * `storage_full`, and what `readBodyPieces` throws.
 */
export async function withLines<T>(
  request: IncomingMessage,
  schema: LinesSchema,
  work: (lines: ReceivedLines) => Promise<T>,
): Promise<T> {
  const spool = await openSpool()
  try {
    const check = new LinesCheck(schema, spool)
    const hash = createHash('sha256')
    const splitter = new LineSplitter()
    let bytes = 0
    const pieces = readBodyPieces(request, { countsAs: STREAMED_BYTES, inflates: true })
    for await (const piece of pieces) {
      bytes += piece.length
      if (bytes > schema.maxBytes) throw new AppError('payload_too_large')
      hash.update(piece)
      for (const line of splitter.take(piece)) await check.take(line)
    }
    await check.take(splitter.rest())
    const { about, count } = await check.end()
    return await work({
      about,
      count,
      sha256: hash.digest('hex'),
      batches: () => batchesOf(spool),
    })
  } finally {
    await spool.close()
  }
}

/** A file without a name: nothing of it is left after a crash, and nobody else can open it. */
async function openSpool(): Promise<FileHandle> {
  const place = path.join(tmpdir(), `stevedore-lines-${randomUUID()}`)
  const spool = await open(place, 'wx+', 0o600)
  await unlink(place)
  return spool
}

class LineSplitter {
  readonly #parts: Buffer[] = []
  #length = 0

  /** What follows the last line end. */
  rest(): Buffer {
    const line = Buffer.concat(this.#parts.splice(0))
    this.#length = 0
    return line
  }

  /** The lines that end in this piece. Throws `payload_too_large` for a line that is too long. */
  *take(piece: Buffer): Generator<Buffer> {
    let start = 0
    for (let end = piece.indexOf(LINE_END); end >= 0; end = piece.indexOf(LINE_END, start)) {
      this.#keep(piece.subarray(start, end))
      yield this.rest()
      start = end + 1
    }
    this.#keep(piece.subarray(start))
  }

  #keep(part: Buffer): void {
    this.#length += part.length
    if (this.#length > MAX_LINE)
      throw new AppError('payload_too_large', {
        message: textOf(`A line is longer than ${MAX_LINE} bytes`),
      })
    if (part.length > 0) this.#parts.push(part)
  }
}

const LINE_END = 0x0a

/** A value, and where it is in the body. */
interface PlacedValue {
  /** Counted from 0, among the lines that are not blank. */
  index: number
  /** Counted from 1, among all lines. */
  line: number
  value: unknown
}

class LinesCheck {
  readonly #schema: LinesSchema
  readonly #list: z.ZodArray
  readonly #spool: FileHandle
  readonly #problems: ErrorDetail[] = []
  #total = 0
  #about: unknown
  /** Values that are parsed but not validated yet. */
  #waiting: PlacedValue[] = []
  #line = 0
  #count = 0

  constructor(schema: LinesSchema, spool: FileHandle) {
    this.#schema = schema
    this.#list = z.array(schema.line)
    this.#spool = spool
  }

  /** Blank lines are counted, and otherwise ignored. Throws `validation_failed` for too many lines. */
  async take(bytes: Buffer): Promise<void> {
    const line = ++this.#line
    const parsed = parsedLine(bytes)
    if (parsed === null) return
    if (line === 1 && 'value' in parsed && isAbout(parsed.value, this.#schema.name))
      return this.#takeAbout(parsed.value)
    const index = this.#count++
    if (this.#count > this.#schema.most) throw tooManyLines(this.#schema.most)
    if ('problem' in parsed) {
      await this.#validate()
      this.#add([{ index, line, param: '', code: 'malformed_request', message: parsed.problem }])
    } else if (this.#waiting.push({ index, line, value: parsed.value }) >= CHECKED_AT_ONCE)
      await this.#validate()
  }

  /** Throws `validation_failed` if a line is invalid, or if there is none. */
  async end(): Promise<{ about: unknown; count: number }> {
    await this.#validate()
    if (this.#about === undefined) this.#takeAbout({ [this.#schema.name]: {} })
    if (this.#total > 0)
      throw new AppError('validation_failed', {
        details: this.#problems,
        detailsTotal: this.#total,
      })
    if (this.#count === 0) throw noLines()
    return { about: this.#about, count: this.#count }
  }

  #add(details: readonly ErrorDetail[], total = details.length): void {
    this.#total += total
    this.#problems.push(...details.slice(0, MAX_DETAILS - this.#problems.length))
  }

  #takeAbout(value: object): void {
    const { name, about } = this.#schema
    const { data, details, total } = checked(z.strictObject({ [name]: about }), value)
    this.#about = data?.[name] ?? {}
    this.#add(
      details.map((detail) => ({ ...detail, line: 1 })),
      total,
    )
  }

  async #validate(): Promise<void> {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    const values = waiting.map(({ value }) => value)
    const { data, details, total } = checked(this.#list, values)
    const placed = details.map((detail) => {
      const { index, line } = present(waiting[detail.index ?? 0], 'The line of a problem')
      return { ...detail, index, line }
    })
    this.#add(placed, total)
    if (data && this.#total === 0)
      await this.#spool.write(data.map((each) => `${JSON.stringify(each)}\n`).join(''))
    await nextTurn()
  }
}

const isAbout = (value: unknown, name: string): value is object =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Null: the line is blank. A byte-order mark is left out. */
function parsedLine(bytes: Buffer): { value: unknown } | { problem: Text } | null {
  let text: string | undefined
  try {
    text = decoder.decode(bytes)
    if (text.trim() === '') return null
    shapeCounter()(bytes)
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    if (error instanceof AppError) return { problem: error.text }
    if (text === undefined) return { problem: textOf('This line is not valid UTF-8') }
    const column = tokenOffset(text)
    return {
      problem: column
        ? textOf(`This line is not valid JSON: column ${column}`)
        : textOf('This line is not valid JSON'),
    }
  }
}

const tooManyLines = (most: number) =>
  new AppError('validation_failed', {
    details: [
      {
        param: '',
        code: 'too_many',
        message: textOf(`At most ${most} lines: send several bodies`),
      },
    ],
  })

const noLines = () =>
  new AppError('validation_failed', {
    details: [{ param: '', code: 'too_few', message: textOf('The body has no line') }],
  })

async function* batchesOf(spool: FileHandle): AsyncGenerator<unknown[]> {
  const splitter = new LineSplitter()
  let batch: unknown[] = []
  for await (const piece of spool.createReadStream({ start: 0, autoClose: false }))
    for (const line of splitter.take(piece as Buffer)) {
      batch.push(JSON.parse(line.toString()))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
  if (batch.length > 0) yield batch
}
