// What the command writes: results to the standard output, everything else to the standard error.
// Names come from other people: characters that steer a terminal are shown, not sent.
import { createInterface } from 'node:readline/promises'
import { sizeParts } from '../../plugins/_page/size-parts.ts'

/** Control characters, also of 8 bits, and those that change the direction of text. */
const STEERING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** A text that changes nothing but the line that it is in: ESC becomes `\u001b`. */
export const safe = (text: string): string =>
  text.replaceAll(
    STEERING,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )

/** JSON in one line, in which such characters are escaped: it means the same. */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(STEERING, (character) =>
    character === '\n' ? character : safe(character),
  )

/** The size as the page writes it in English: 1,550 is `1.5 KB`. */
export function sizeText(bytes: number): string {
  const { value, unit } = sizeParts(bytes)
  return `${value} ${unit}`
}

export interface Streams {
  out: NodeJS.WriteStream
  error: NodeJS.WriteStream
  input: NodeJS.ReadStream
}

const BAR = 24
/** The bar is drawn ten times a second at most. */
const DRAWN_MS = 100

export class Terminal {
  readonly json: boolean
  readonly #streams: Streams
  #bar = ''
  #drawn = 0

  constructor(streams: Streams, json: boolean) {
    this.#streams = streams
    this.json = json
  }

  /** A result: as JSON in one line, or as a text. */
  result(record: object, text: string): void {
    this.#write(this.#streams.out, this.json ? safeJson(record) : safe(text))
  }

  /** A line of text; nothing with `--json`. */
  line(text: string): void {
    if (!this.json) this.#write(this.#streams.out, safe(text))
  }

  /** Something about the run, and not its result. */
  note(text: string): void {
    this.#write(this.#streams.error, safe(text))
  }

  /** Bytes or text as they are: of `api` and documents. */
  raw(bytes: Uint8Array | string): void {
    this.clear()
    this.#streams.out.write(bytes)
  }

  get isOutTerminal(): boolean {
    return this.#streams.out.isTTY
  }

  /** Draws the bar; on a terminal only. */
  progress(done: number, total: number, about: string): void {
    if (!this.#streams.error.isTTY || Date.now() - this.#drawn < DRAWN_MS) return
    this.#drawn = Date.now()
    const part = total > 0 ? Math.min(1, done / total) : 0
    const full = Math.round(part * BAR)
    const bar = `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${Math.floor(part * 100)} %  `
    const width = this.#streams.error.columns || 80
    this.#bar = `${bar}${safe(about)}`.slice(0, width - 1)
    this.#streams.error.write(`\r${this.#bar}\u001b[K`)
  }

  /** Removes the bar. */
  clear(): void {
    if (this.#bar !== '') this.#streams.error.write('\r\u001b[K')
    this.#bar = ''
  }

  /** Asks at a terminal; null: there is nobody to ask. */
  async confirm(question: string, signal: AbortSignal): Promise<boolean | null> {
    const { input, error } = this.#streams
    if (!input.isTTY || !error.isTTY) return null
    this.clear()
    const asked = createInterface({ input, output: error })
    try {
      const answer = await asked.question(`${safe(question)} [y/N] `, { signal })
      return /^y(es)?$/i.test(answer.trim())
    } finally {
      asked.close()
    }
  }

  #write(stream: NodeJS.WriteStream, line: string): void {
    const bar = this.#bar
    this.clear()
    stream.write(`${line}\n`)
    // The next progress draws it again immediately.
    if (bar !== '') this.#drawn = 0
  }
}
