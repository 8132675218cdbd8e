// Reads and writes the part of ICU messages that the page's texts use: arguments, numbers, plurals,
// ordinals, choices, tags and quotes. The library that knows all of ICU is a tenth of the script
// that the first page waits for; icu.test.ts compares both on every text.

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

/**
 * The parts of a message. Throws a SyntaxError if it is not one.
 * @param tags whether `<` begins a tag
 */
export function parseIcu(message: string, tags: boolean): IcuPart[] {
  let at = 0
  const fail = (): never => {
    throw new SyntaxError(`Not a message: ${message}`)
  }
  const take = (pattern: RegExp): RegExpExecArray => {
    pattern.lastIndex = at
    const found = pattern.exec(message) ?? fail()
    at = pattern.lastIndex
    return found
  }
  const skip = (text: string) => (message.startsWith(text, at) ? (at += text.length) : fail())
  const space = () => take(/\s*/y)

  /** `counted`: the argument that `#` stands for. */
  const parts = (end: string, counted: string | null): IcuPart[] => {
    const found: IcuPart[] = []
    let text = ''
    const add = (part: IcuPart) => {
      if (text !== '') found.push(text)
      text = ''
      found.push(part)
    }
    while (at < message.length && !(end !== '' && message.startsWith(end, at))) {
      const character = message[at]!
      if (character === "'") text += quoted(counted !== null)
      else if (character === '{') add(argument())
      else if (character === '}' && end !== '') fail()
      else if (character === '#' && counted !== null) add(count(counted))
      else if (character === '<' && tags && /[a-z/]/i.test(message[at + 1] ?? '')) add(tag(counted))
      else {
        text += character
        at++
      }
    }
    skip(end)
    if (text !== '') found.push(text)
    return found
  }
  const count = (name: string): IcuPart => {
    at++
    return { type: 'count', name }
  }
  /** An apostrophe is one unless it quotes a character with a meaning; two are always one. */
  const quoted = (counting: boolean): string => {
    const special = counting
      ? /'(?:'|([{}<>#](?:[^']|'')*)'?)?/y
      : /'(?:'|([{}<>](?:[^']|'')*)'?)?/y
    const [, inside] = take(special)
    return inside === undefined ? "'" : inside.replaceAll("''", "'")
  }
  const tag = (counted: string | null): IcuPart => {
    const name = take(TAG)[1]!
    return { type: 'tag', name, parts: parts(`</${name}>`, counted) }
  }
  const word = (pattern: RegExp): string => {
    space()
    const [found] = take(pattern)
    space()
    return found
  }
  const argument = (): IcuPart => {
    at++
    const name = word(NAME)
    if (message[at] === '}') {
      at++
      return { type: 'argument', name }
    }
    skip(',')
    const type = word(NAME)
    if (type === 'number') {
      skip('}')
      return { type: 'number', name }
    }
    if (type !== 'plural' && type !== 'selectordinal' && type !== 'select') return fail()
    skip(',')
    const options = choices(type === 'select' ? null : name)
    return 'other' in options ? { type, name, options } : fail()
  }
  const choices = (counted: string | null): Options => {
    const options: Record<string, IcuPart[]> = {}
    space()
    while (message[at] !== '}') {
      const key = word(KEY)
      skip('{')
      options[key] = parts('}', counted)
      space()
    }
    at++
    return options
  }
  return parts('', null)
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
  const own = type === 'select' ? options[value] : options[`=${value}`]
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
