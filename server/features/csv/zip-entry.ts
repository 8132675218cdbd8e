// Single files of a ZIP archive in memory. Runs only in the sandbox.
import { inflateRawSync } from 'node:zlib'

const MAX_XML_BYTES = 500 * 1024 ** 2
const END = Buffer.from('PK\x05\x06', 'latin1')
const ENTRY = 0x02014b50
const DEFLATED = 8

/** Names of parts ignore case (ECMA-376 part 2), and some programs begin them with a slash. */
const isNamed = (entry: string, name: string): boolean =>
  entry.replace(/^\//, '').toLowerCase() === name.toLowerCase()

/** The bytes of a file in a ZIP archive (APPNOTE 4.3); null: there is none. */
export function entryOf(zip: Buffer, name: string): Buffer | null {
  const end = zip.lastIndexOf(END)
  if (end < 0) return null
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== ENTRY) return null
    const nameEnd = at + 46 + zip.readUInt16LE(at + 28)
    if (isNamed(zip.toString('utf8', at + 46, nameEnd), name)) return bytesOf(zip, at)
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
