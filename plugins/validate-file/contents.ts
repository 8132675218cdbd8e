// Compares a file's content with its name. Only reliable types are compared: many formats are ZIP
// archives or text inside.
import { isPageType, sayPlain } from '../contract.ts'
import mime from 'mime-types'

/** A kind of content with its article, for a sentence. */
type Kind =
  | 'a PDF document'
  | 'a web page'
  | 'a program'
  | 'an image'
  | 'an audio or video file'
  | 'a message of a server'

const PROGRAMS =
  /x-msdownload|x-msdos-program|x-elf|x-mach-binary|x-dosexec|vnd\.microsoft\.portable-executable/

function kindOf(type: string): Kind | null {
  if (type === 'application/pdf') return sayPlain('a PDF document')
  if (isPageType(type)) return sayPlain('a web page')
  if (PROGRAMS.test(type)) return sayPlain('a program')
  if (type.startsWith('image/')) return sayPlain('an image')
  if (/^(application|text)\/(json|xml)$/.test(type)) return sayPlain('a message of a server')
  return /^(audio|video)\//.test(type) ? sayPlain('an audio or video file') : null
}

/** Archives and books: JSON or XML under their names is an error message. */
const ARCHIVE =
  /^application\/(zip|epub\+zip|x-7z-compressed|vnd\.rar|x-rar-compressed|gzip|vnd\.openxmlformats-)/

/**
 * Whether it is a type of text, or a container that several formats share: a name cannot contradict
 * it.
 */
const isShared = (type: string) =>
  /^(text\/|image\/(svg|vnd\.))/.test(type) && kindOf(type) !== 'a web page'

/**
 * Compares the detected type with the name.
 * @returns the detected kind and the extension that contradicts it; null: there is no contradiction
 */
export function mismatchOf(
  filename: string,
  found: string | undefined,
): { is: Kind; not: string } | null {
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase()
  if (found === undefined || extension === undefined) return null
  const is = kindOf(found)
  const promised = mime.lookup(extension)
  if (is === null || promised === false || isShared(found) || isShared(promised)) return null
  // JSON and XML are what servers send instead of a file, and what many formats are made of.
  // Files other than images, audio, pages or documents may contain anything except a web page or
  // a program.
  const kind = kindOf(promised)
  if (is === 'a message of a server' && kind === null && !ARCHIVE.test(promised)) return null
  if (is === 'a message of a server' && is !== kind) return { is, not: extension.toUpperCase() }
  if (kind === is || (kind === null && is !== 'a web page' && is !== 'a program')) return null
  if (kind === null && promised === 'application/octet-stream') return null
  return { is, not: extension.toUpperCase() }
}
