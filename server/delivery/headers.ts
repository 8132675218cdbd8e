// The headers that bytes leave with: always an attachment, never something that a browser would run.
import { MAX_NAME_LENGTH } from '../files/rules.ts'

/** Of every answer, page or file: its type is not guessed, and nothing leaks. */
const SAFE: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'X-Robots-Tag',
  'noindex, nofollow',
]

/** Who may keep an answer, and which sites may embed it. */
export type Audience = readonly string[]

/** One buyer's: nothing is cached by others, nothing is embedded elsewhere. */
export const PRIVATE: Audience = [
  'Cache-Control',
  'private, no-store, no-transform',
  'Cross-Origin-Resource-Policy',
  'same-origin',
]

/** One that only leads on to a public file: each is counted, and any site may embed what it leads to. */
export const LEADING: Audience = [
  'Cache-Control',
  'private, no-store, no-transform',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
]

/** Anyone's. `no-transform`: what arrives is what was uploaded. */
const publicly = (cacheControl: string): Audience => [
  'Cache-Control',
  `public, ${cacheControl}, no-transform`,
  'Cross-Origin-Resource-Policy',
  'cross-origin',
]

/** At an address that goes on with other bytes: kept, and asked for again each time, so that private again is at once. */
export const PUBLIC: Audience = publicly('max-age=0, must-revalidate')

/** At an address that carries the version, for as long as the address itself is good. */
export const immutableFor = (seconds: number): Audience => publicly(`max-age=${seconds}, immutable`)

/** Of every page. */
export const PAGE_HEADERS: readonly string[] = [...PRIVATE, ...SAFE]

const FILE_HEADERS: readonly string[] = [...SAFE, 'Content-Security-Policy', "sandbox; default-src 'none'"]

const OPAQUE = 'application/octet-stream'
// Types that some browser runs, applies or opens in place of a page.
const RUN = /(html|xml|xhtml|svg|script|json\+ld|css|flash|mathml|java|multipart|message\/|x-ms|hta|webbundle)/i
const OFFICE = /^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument|ms-)/i
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i

/** The file's own type where it is harmless, `application/octet-stream` otherwise. Parameters are dropped. */
export function safeType(type: string): string {
  const bare = type.split(';', 1)[0]!.trim().toLowerCase()
  if (!TYPE.test(bare)) return OPAQUE
  return OFFICE.test(bare) || !RUN.test(bare) ? bare : OPAQUE
}

const EXTENSION = /\.[^.\s]{1,16}$/u
// Control characters break headers; marks of direction show a name other than the one that is saved.
const UNSEEN = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu
const NOT_PLAIN = /[^\x20-\x7e]|["\\%/:*?<>|]/gu

/** RFC 6266: `filename` in plain ASCII for all, `filename*` (RFC 8187) with the true name where that differs. */
export function contentDisposition(filename: string): string {
  const name = shortened(filename.toWellFormed().replace(UNSEEN, '').replace(/[/\\]/g, '_').trim()) || 'download'
  // A name of marks alone leaves nothing.
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').replace(NOT_PLAIN, '_') || 'download'
  if (plain === name) return `attachment; filename="${plain}"`
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** No file has a longer name: what comes from elsewhere must not make a header that clients refuse. */
function shortened(name: string): string {
  const characters = Array.from(name)
  if (characters.length <= MAX_NAME_LENGTH) return name
  const extension = EXTENSION.exec(name)?.[0] ?? ''
  return characters.slice(0, MAX_NAME_LENGTH - Array.from(extension).length).join('') + extension
}

export interface Described {
  filename: string
  contentType: string
  etag: string
  modifiedMs: number
}

/** All headers of a file but its length, flat as `writeHead` takes them fastest. */
export const fileHeaders = (file: Described, audience: Audience = PRIVATE): string[] => [
  'Accept-Ranges',
  'bytes',
  ...handedHeaders(file, audience),
]

/** The same for a server that sends the file in our place: it says itself that it takes ranges. */
export function handedHeaders(file: Described, audience: Audience): string[] {
  return [
    ...audience,
    ...FILE_HEADERS,
    'Content-Type',
    safeType(file.contentType),
    'Content-Disposition',
    contentDisposition(file.filename),
    'ETag',
    file.etag,
    'Last-Modified',
    new Date(file.modifiedMs).toUTCString(),
  ]
}
