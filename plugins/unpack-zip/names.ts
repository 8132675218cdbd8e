// The names of an archive's files as files of the shop: without folders, each once, and without what
// no name may contain.
import {
  isSystemFile,
  nameKey,
  say,
  sayPlain,
  textOf,
  UNSAFE_CHARACTERS,
  type AnyText,
  type Warning,
} from '../contract/index.ts'
import type { ListedEntry } from './tasks.ts'

/** A file of the archive, with its path as text. */
export type NamedEntry = Pick<ListedEntry, 'at' | 'size_bytes' | 'refused'> & { path: string }

export interface ChosenFile {
  at: number
  size_bytes: number
  /** Its path in the archive, without what no name may contain. */
  path: string
  filename: string
  /** Whether its name is another one than in the archive. */
  cleaned: boolean
}

export interface Choice {
  files: readonly ChosenFile[]
  refused: readonly { path: string; reason: AnyText; code: string }[]
  /** Files that an operating system left: nobody misses them. */
  system: number
}

const MAX_NAME = 255
const UNSAFE = new RegExp(UNSAFE_CHARACTERS, 'gu')
/** `C:`, as in `C:\files\guide.pdf`. */
const DRIVE = /^[a-z]:/i

const REASONS: Readonly<
  Record<NonNullable<ListedEntry['refused']>, { code: string; text: AnyText }>
> = {
  encrypted: { code: 'zip_encrypted', text: sayPlain('a password protects it') },
  link: { code: 'zip_unsafe', text: sayPlain('it is a link to another file') },
  special: { code: 'zip_unsafe', text: sayPlain('it is no file but a device') },
  method: {
    code: 'zip_unsupported',
    text: sayPlain('it is packed in a way that cannot be read: use Deflate'),
  },
  long_name: { code: 'zip_unsafe', text: sayPlain('it has no usable name') },
}

/** Decides which files of an archive are imported, and under which names. The same for equal archives. */
export function chooseFiles(entries: readonly NamedEntry[], most: { file_bytes: number }): Choice {
  const refused: Choice['refused'][number][] = []
  const byPath = new Map<string, NamedEntry>()
  let system = 0
  for (const entry of entries) {
    // Programs for Windows write backslashes between folders.
    const path = entry.path.replaceAll('\\', '/').normalize('NFC')
    const refuse = (code: string, reason: AnyText) => refused.push({ path, code, reason })
    const known = entry.refused && REASONS[entry.refused]
    if (isSystemFile(path)) system++
    else if (known) refuse(known.code, known.text)
    else if (path.startsWith('/') || DRIVE.test(path) || path.split('/').includes('..'))
      refuse('zip_unsafe', sayPlain('its path leads out of the archive'))
    else if (entry.size_bytes > most.file_bytes)
      refuse('file_too_large', sayPlain('it is larger than a file may be'))
    // The last of several, as when they are unpacked over one another.
    else byPath.set(path, entry)
  }
  const taken = new Set<string>()
  const files = [...byPath].flatMap(([path, { at, size_bytes }]): ChosenFile[] => {
    const parts = path.split('/').map(cleanedName)
    const own = parts.at(-1) ?? ''
    if (own === '') {
      refused.push({ path, code: 'zip_unsafe', reason: REASONS.long_name.text })
      return []
    }
    const filename = freeName(own, taken)
    taken.add(nameKey(filename))
    const cleaned = filename !== path.slice(path.lastIndexOf('/') + 1)
    return [
      { at, size_bytes, path: parts.filter((part) => part !== '').join('/'), filename, cleaned },
    ]
  })
  return { files, refused, system }
}

/** Without control characters and marks of direction, and not longer than a name may be. */
function cleanedName(part: string): string {
  const clean = part.replaceAll(UNSAFE, '').toWellFormed().trim()
  return clean === '.' ? '' : numbered(clean, '')
}

/** The name, with a number if a file of another folder has it. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2, free = name; ; free = numbered(name, ` (${number++})`))
    if (!taken.has(nameKey(free))) return free
}

/** The name with this text before its extension, cut to the longest name. */
function numbered(name: string, number: string): string {
  const at = name.lastIndexOf('.')
  const [stem, end] = at > 0 ? [name.slice(0, at), name.slice(at)] : [name, '']
  const suffix = number + end
  const room = MAX_NAME - [...suffix].length
  // An "extension" of hundreds of letters is none.
  if (room < 1) return [...(name + number)].slice(-MAX_NAME).join('').trim()
  return [...stem].slice(0, room).join('').trim() + suffix
}

/** At most this many entries are named one by one. */
const NAMED = 10
const MAX_PATH = 200

/** The warning about an entry that was left out. */
export const leftOut = ({ path, reason, code }: Choice['refused'][number]): Warning => ({
  code,
  message: say('{path} was left out: {reason}', { path: shown(path), reason: textOf(reason) }),
})

export function leftOutWarnings(refused: Choice['refused']): Warning[] {
  const named = refused.slice(0, NAMED).map(leftOut)
  const more = refused.length - named.length
  const rest = {
    code: 'zip_unsafe',
    message: say('{count, plural, one {# more entry was} other {# more entries were}} left out', {
      count: more,
    }),
  }
  return more > 0 ? [...named, rest] : named
}

const shown = (path: string) => [...path.replaceAll(UNSAFE, '')].slice(0, MAX_PATH).join('')
