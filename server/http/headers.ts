// The headers of file responses: always an attachment, never a type that a browser would run.
import type { IncomingMessage } from 'node:http'
import { MAX_NAME_LENGTH } from '../files/rules.ts'
import { firstOf } from '../core/lazy.ts'

/** Headers of every response: no type sniffing, no referrer, no indexing. */
const SAFE: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'X-Robots-Tag',
  'noindex, nofollow',
]

/** Who may cache a response, and which sites may embed it. */
export type Audience = readonly string[]

/** Headers for one buyer: not cached, not embedded by other sites. */
export const PRIVATE: Audience = [
  'Cache-Control',
  'private, no-store, no-transform',
  'Cross-Origin-Resource-Policy',
  'same-origin',
]

/**
 * A redirect to a public file: not cached, because each is counted; any site may embed its target.
 */
export const REDIRECT: Audience = [
  'Cache-Control',
  'private, no-store, no-transform',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
]

/** Headers for everyone. `no-transform`: proxies must not change the uploaded bytes. */
const publicly = (cacheControl: string): Audience => [
  'Cache-Control',
  `public, ${cacheControl}, no-transform`,
  'Cross-Origin-Resource-Policy',
  'cross-origin',
]

/**
 * At an address whose bytes may change: revalidated on each use, so that a file made private stops
 * immediately.
 */
export const PUBLIC: Audience = publicly('max-age=0, must-revalidate')

/** Headers at an address that names the version: cached until the address expires. */
export const immutableFor = (seconds: number): Audience => publicly(`max-age=${seconds}, immutable`)

/** Headers of every page. */
export const PAGE_HEADERS: readonly string[] = [...PRIVATE, ...SAFE]

const FILE_HEADERS: readonly string[] = [
  ...SAFE,
  'Content-Security-Policy',
  "sandbox; default-src 'none'",
]

const OPAQUE = 'application/octet-stream'
// Types that some browser runs, applies or opens as a page.
const RUN =
  /(html|xml|xhtml|svg|script|json\+ld|css|flash|mathml|java|multipart|message\/|x-ms|hta|webbundle)/i
const OFFICE = /^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument|ms-)/i
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/i

/**
 * The file's own type where it is harmless, `application/octet-stream` otherwise. Parameters are
 * dropped.
 */
export function safeType(type: string): string {
  const bare = firstOf(type.split(';', 1)).trim().toLowerCase()
  if (!TYPE.test(bare)) return OPAQUE
  return OFFICE.test(bare) || !RUN.test(bare) ? bare : OPAQUE
}

const EXTENSION = /\.[^.\s]{1,16}$/u
// Control characters break headers; direction marks make the shown name differ from the saved one.
const INVISIBLE = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu
const NOT_PLAIN = /[^\x20-\x7e]|["\\%/:*?<>|]/gu

/**
 * RFC 6266: `filename` in plain ASCII for all, `filename*` (RFC 8187) with the true name where that
 * differs.
 * @param kind `inline`: only for types that run no scripts.
 */
export function contentDisposition(
  filename: string,
  kind: 'attachment' | 'inline' = 'attachment',
): string {
  const name =
    shortened(filename.toWellFormed().replace(INVISIBLE, '').replace(/[/\\]/g, '_').trim()) ||
    'download'
  // A name of combining marks alone becomes empty.
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').replace(NOT_PLAIN, '_') || 'download'
  if (plain === name) return `${kind}; filename="${plain}"`
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** Cuts the name to the longest that a file may have: clients refuse very long headers. */
function shortened(name: string): string {
  const characters = Array.from(name)
  if (characters.length <= MAX_NAME_LENGTH) return name
  const extension = EXTENSION.exec(name)?.[0] ?? ''
  return characters.slice(0, MAX_NAME_LENGTH - Array.from(extension).length).join('') + extension
}

export interface FileDescription {
  filename: string
  contentType: string
  etag: string
  modifiedMs: number
  /** The SHA-256 digest of all bytes, as hex digits. Null: not known. */
  sha256?: string | null
}

/**
 * RFC 9530. The digest is that of the whole file, also where a part of it is sent; an empty list if
 * it is not known.
 */
export const digestHeaders = (sha256: string | null | undefined): string[] =>
  sha256 ? ['Repr-Digest', `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`] : []

const ASKED = /\bsha-256\s*=\s*([1-9]|10)\b/i

/** Does a request prefer to get the digest (RFC 9530, `Want-Repr-Digest: sha-256=10`)? */
export const asksForDigest = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  ASKED.test(String(headers['want-repr-digest'] ?? ''))

/** All headers of a file except its length, as the flat list that `writeHead` takes fastest. */
export const fileHeaders = (file: FileDescription, audience: Audience = PRIVATE): string[] => [
  'Accept-Ranges',
  'bytes',
  ...nginxHeaders(file, audience),
]

/** The headers of a file without Accept-Ranges, which nginx adds itself. */
export function nginxHeaders(file: FileDescription, audience: Audience): string[] {
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
    ...digestHeaders(file.sha256),
  ]
}
