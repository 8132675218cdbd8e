// The hidden sheets of an .ods file, which the library reads like others. Runs only in the sandbox.
import { ownValue } from '../../../plugins/contract.ts'
import { inflateRawSync } from 'node:zlib'

const MAX_XML_BYTES = 500 * 1024 ** 2
const END = Buffer.from('PK\x05\x06', 'latin1')
const ENTRY = 0x02014b50
const DEFLATED = 8

/** Styles with what is in them; some are empty tags. */
const STYLES = /<style:style\s(?:[^<>]*\/>|[^<>]*>(?:(?!<\/style:style>)[^])*)/g

/**
 * The names of the sheets that are hidden; none if the archive's directory has another form, such as
 * ZIP64: the library may read it nevertheless.
 */
export function hiddenSheets(ods: Buffer): ReadonlySet<string> {
  try {
    return hiddenIn(entryOf(ods, 'content.xml')?.toString('utf8') ?? '')
  } catch {
    return new Set()
  }
}

function hiddenIn(xml: string): ReadonlySet<string> {
  const hidden = new Set<string>()
  for (const [style] of xml.matchAll(STYLES))
    if (/\bstyle:family="table"/.test(style) && /\btable:display="false"/.test(style))
      hidden.add(attribute(style, 'style:name'))
  const tables = Array.from(xml.matchAll(/<table:table\s[^>]*>/g), ([tag]) => tag)
  return new Set(
    tables
      .filter((tag) => hidden.has(attribute(tag, 'table:style-name')))
      .map((tag) => attribute(tag, 'table:name')),
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

function attribute(tag: string, name: string): string {
  const [, value = ''] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? []
  return value.replaceAll(
    /&(\w+);/g,
    (written, entity: string) => ownValue(ENTITIES, entity) ?? written,
  )
}

/** The bytes of a file in a ZIP archive (APPNOTE 4.3); null: there is none. */
function entryOf(zip: Buffer, name: string): Buffer | null {
  const end = zip.lastIndexOf(END)
  if (end < 0) return null
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== ENTRY) return null
    const nameEnd = at + 46 + zip.readUInt16LE(at + 28)
    if (zip.toString('utf8', at + 46, nameEnd) === name) return bytesOf(zip, at)
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return null
}

function bytesOf(zip: Buffer, entry: number): Buffer {
  const local = zip.readUInt32LE(entry + 42)
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
  const bytes = zip.subarray(start, start + zip.readUInt32LE(entry + 20))
  return zip.readUInt16LE(entry + 10) === DEFLATED
    ? inflateRawSync(bytes, { maxOutputLength: MAX_XML_BYTES })
    : bytes
}
