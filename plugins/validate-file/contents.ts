// Compares a file's content with what its name promises: its format, if the extension stands for
// one whose bytes have a signature. Other extensions promise nothing, because many formats are ZIP
// archives, XML or text inside.
import mime from 'mime-types'
import { isPageType, say, sayPlain, textOf, type Text } from '../contract.ts'
import { FORMATS, type Format } from './formats.ts'

export interface Mismatch {
  /** What the content is, with its article. */
  is: Text
  /** The extension that contradicts it, in capitals. */
  not: string
  /**
   * `page`, `message` and `text` are what servers send instead of a file; `other`: it is another
   * file, or may be meant.
   */
  kind: 'page' | 'message' | 'text' | 'other'
}

const PROGRAMS =
  /x-msdownload|x-msdos-program|x-elf|x-mach-binary|x-dosexec|vnd\.microsoft\.portable-executable/

/** What servers send instead of a file, by its media type. */
function answerOf(type: string): { kind: 'page' | 'message' | 'text'; is: Text } | null {
  if (isPageType(type)) return { kind: 'page', is: textOf(sayPlain('a web page')) }
  if (/^(application|text)\/(json|xml)$/.test(type))
    return { kind: 'message', is: textOf(sayPlain('a message of a server')) }
  return type === 'text/plain' ? { kind: 'text', is: textOf(sayPlain('plain text')) } : null
}

const formatOf = (type: string): Format | null => {
  const plain = type.replaceAll(' ', '')
  return FORMATS.find(({ types }) => types.has(plain)) ?? null
}

/** What the content of this type is called, with its article. Null: its type says nothing. */
function nameOf(type: string): Text | null {
  const format = formatOf(type)
  if (format) return say('a {format} file', { format: format.name })
  if (PROGRAMS.test(type)) return textOf(sayPlain('a program'))
  if (type === 'image/svg+xml') return say('a {format} file', { format: 'SVG' })
  if (type === 'application/octet-stream') return null
  const extension = mime.extension(type) || type.replace(/^[^/]*\/(?:x-|vnd\.)?/, '')
  return say('a {format} file', { format: extension.toUpperCase() })
}

/**
 * Compares the detected type with the name.
 * @returns what it is and the extension that contradicts it; null: there is no contradiction
 */
export function mismatchOf(filename: string, found: string | undefined): Mismatch | null {
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase()
  if (found === undefined || extension === undefined) return null
  const not = extension.toUpperCase()
  const promised = FORMATS.filter(({ extensions }) => extensions.has(extension))
  const answer = answerOf(found)
  if (promised.length === 0) {
    // Files of other formats may contain anything except a web page or a program.
    if (!isOtherFile(extension)) return null
    if (answer?.kind === 'page') return { ...answer, not }
    return PROGRAMS.test(found) ? { is: textOf(sayPlain('a program')), not, kind: 'other' } : null
  }
  if (answer)
    return {
      ...answer,
      not,
      ...(promised.every(({ mayBeText }) => mayBeText) ? { kind: 'other' } : {}),
    }
  const format = formatOf(found)
  if (format && promised.includes(format)) return null
  const is = nameOf(found)
  return is && { is, not, kind: 'other' }
}

/** Whether the extension is that of a known format other than text, drawings and programs. */
function isOtherFile(extension: string): boolean {
  const promised = mime.lookup(extension)
  return (
    promised !== false &&
    promised !== 'application/octet-stream' &&
    !PROGRAMS.test(promised) &&
    !isPageType(promised) &&
    !/^(text\/|image\/(svg|vnd\.))/.test(promised)
  )
}
