// Reads and writes the part of ICU messages that the page's texts use: arguments, numbers, plurals,
// ordinals, choices, tags and quotes. The library that knows all of ICU is a tenth of the script
// that the first page waits for; icu.test.ts compares both on every text.
import { ownValue } from '../../../plugins/_page/own-value.ts'

type Options = Readonly<Record<string, readonly IcuPart[]>>

export type IcuPart =
  | string
  | { type: 'argument'; name: string }
  | { type: 'number'; name: string }
  | { type: 'plural' | 'selectordinal' | 'select'; name: string; options: Options }
  /** The number of the plural around it. */
  | { type: 'count'; name: string }
  | { type: 'tag'; name: string; parts: readonly IcuPart[] }

const NAME = /[^\s{}<>,#']+/y
const KEY = /=\d+|[^\s{}<>,#'=]+/y
const TAG = /<([a-z][\w-]*)>/iy
const SPACE = /\s*/y

/**
 * The parts of a message. Throws a SyntaxError if it is not one.
 * @param tags whether `<` begins a tag
 */
export const parseIcu = (message: string, tags: boolean): IcuPart[] =>
  new Reader(message, tags).parts('', null)

/** Reads a message from left to right. */
class Reader {
  readonly #message: string
  readonly #tags: boolean
  #at = 0

  constructor(message: string, tags: boolean) {
    this.#message = message
    this.#tags = tags
  }

  /**
   * The parts up to `end`, which is skipped.
   * @param end '': the end of the message
   * @param counted the argument that `#` stands for
   */
  parts(end: string, counted: string | null): IcuPart[] {
    const found: IcuPart[] = []
    let text = ''
    while (this.#at < this.#message.length && !(end !== '' && this.#sees(end))) {
      const piece = this.#piece(end, counted)
      if (typeof piece === 'string') text += piece
      else {
        if (text !== '') found.push(text)
        text = ''
        found.push(piece)
      }
    }
    this.#skip(end)
    if (text !== '') found.push(text)
    return found
  }

  #piece(end: string, counted: string | null): IcuPart {
    const character = this.#message[this.#at]!
    if (character === "'") return this.#quoted(counted !== null)
    if (character === '{') return this.#argument()
    if (character === '}' && end !== '') this.#fail()
    const next = this.#message[this.#at + 1] ?? ''
    if (character === '<' && this.#tags && /[a-z/]/i.test(next)) return this.#tag(counted)
    this.#at++
    return character === '#' && counted !== null ? { type: 'count', name: counted } : character
  }

  /** An apostrophe is one unless it quotes a character with a meaning; two are always one. */
  #quoted(counting: boolean): string {
    const special = counting
      ? /'(?:'|([{}<>#](?:[^']|'')*)'?)?/y
      : /'(?:'|([{}<>](?:[^']|'')*)'?)?/y
    const [, inside] = this.#take(special)
    return inside === undefined ? "'" : inside.replaceAll("''", "'")
  }

  #tag(counted: string | null): IcuPart {
    const name = this.#take(TAG)[1]!
    return { type: 'tag', name, parts: this.parts(`</${name}>`, counted) }
  }

  #argument(): IcuPart {
    this.#at++
    const name = this.#word(NAME)
    if (this.#message[this.#at] === '}') {
      this.#at++
      return { type: 'argument', name }
    }
    this.#skip(',')
    const type = this.#word(NAME)
    if (type === 'number') {
      this.#skip('}')
      return { type: 'number', name }
    }
    if (type !== 'plural' && type !== 'selectordinal' && type !== 'select') return this.#fail()
    this.#skip(',')
    const options = this.#options(type === 'select' ? null : name)
    return 'other' in options ? { type, name, options } : this.#fail()
  }

  #options(counted: string | null): Options {
    const options: [string, IcuPart[]][] = []
    this.#take(SPACE)
    while (this.#message[this.#at] !== '}') {
      const key = this.#word(KEY)
      this.#skip('{')
      options.push([key, this.parts('}', counted)])
      this.#take(SPACE)
    }
    this.#at++
    return Object.fromEntries(options)
  }

  /** A word with the space around it. */
  #word(pattern: RegExp): string {
    this.#take(SPACE)
    const [found] = this.#take(pattern)
    this.#take(SPACE)
    return found
  }

  #take(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#message) ?? this.#fail()
    this.#at = pattern.lastIndex
    return found
  }

  #skip(text: string): void {
    if (this.#sees(text)) this.#at += text.length
    else this.#fail()
  }

  #sees(text: string): boolean {
    return this.#message.startsWith(text, this.#at)
  }

  #fail(): never {
    throw new SyntaxError(`Not a message: ${this.#message}`)
  }
}

export interface IcuWriter<T> {
  locale: string
  /** Throws if the argument has no value. */
  value: (name: string) => string | number
  tag: (name: string, inside: string) => T
}

/** Writes the parts; neighbouring texts are joined. */
export function writeIcu<T>(parts: readonly IcuPart[], writer: IcuWriter<T>): (string | T)[] {
  const written: (string | T)[] = []
  const add = (piece: string | T) => {
    const last = written.at(-1)
    if (typeof piece === 'string' && typeof last === 'string')
      written[written.length - 1] = last + piece
    else written.push(piece)
  }
  const { locale, value } = writer
  for (const part of parts) {
    if (typeof part === 'string') add(part)
    else if (part.type === 'argument') add(String(value(part.name)))
    else if (part.type === 'number' || part.type === 'count')
      add(numbers(locale).format(Number(value(part.name))))
    else if (part.type === 'tag') add(writer.tag(part.name, writeIcu(part.parts, writer).join('')))
    else for (const piece of writeIcu(chosen(part, value(part.name), locale), writer)) add(piece)
  }
  return written
}

type Choice = Extract<IcuPart, { options: Options }>

function chosen({ type, options }: Choice, value: string | number, locale: string) {
  const own = type === 'select' ? ownValue(options, value) : options[`=${value}`]
  if (own) return own
  const form = type === 'select' ? 'other' : plurals(locale, type).select(Number(value))
  return options[form] ?? options.other!
}

const formats = new Map<string, Intl.NumberFormat | Intl.PluralRules>()

/** Creating a format costs more than using it a thousand times. */
function kept<Format extends Intl.NumberFormat | Intl.PluralRules>(
  key: string,
  create: () => Format,
): Format {
  const known = formats.get(key) as Format | undefined
  if (known) return known
  const format = create()
  formats.set(key, format)
  return format
}

const numbers = (locale: string) => kept(locale, () => new Intl.NumberFormat(locale))

const plurals = (locale: string, type: Choice['type']) =>
  kept(`${type} ${locale}`, () => {
    const rules = { type: type === 'plural' ? ('cardinal' as const) : ('ordinal' as const) }
    return new Intl.PluralRules(locale, rules)
  })
