// Single files of a ZIP archive in memory. Runs only in the sandbox.
import { crc32, inflateRawSync } from 'node:zlib'

const MAX_XML_BYTES = 500 * 1024 ** 2
const END = Buffer.from('PK\x05\x06', 'latin1')
const ENTRY = 0x02014b50
const DEFLATED = 8

/** Names of parts ignore case (ECMA-376 part 2), and some programs begin them with a slash. */
const isNamed = (entry: string, name: string): boolean =>
  entry.replace(/^\//, '').toLowerCase() === name.toLowerCase()

/** The bytes of a file in a ZIP archive (APPNOTE 4.3); null: there is none. */
export function entryOf(zip: Buffer, name: string): Buffer | null {
  for (const entry of entriesOf(zip)) if (isNamed(entry.name, name)) return bytesOf(zip, entry.at)
  return null
}

function* entriesOf(zip: Buffer): Generator<{ name: string; at: number }> {
  const end = zip.lastIndexOf(END)
  if (end < 0) return
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== ENTRY) return
    const nameEnd = at + 46 + zip.readUInt16LE(at + 28)
    yield { name: zip.toString('utf8', at + 46, nameEnd), at }
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
}

/** An archive of the files for which `change` gives another name and content. */
export function changedArchive(
  zip: Buffer,
  change: (name: string, read: () => Buffer) => { name: string; content: Buffer } | null,
): Buffer {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const { name, at } of entriesOf(zip)) {
    const changed = change(name, () => bytesOf(zip, at))
    if (changed === null) continue
    const [named, { content }] = [Buffer.from(changed.name), changed]
    // The fields that both records have: version, flags, method, time, checksum, sizes, lengths.
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt32LE(crc32(content), 10)
    about.writeUInt32LE(content.length, 14)
    about.writeUInt32LE(content.length, 18)
    about.writeUInt16LE(named.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), about, named])
    files.push(local, content)
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), about, place, named)
    offset += local.length + content.length
  }
  const count = directory.length / 4
  const end = Buffer.alloc(22)
  END.copy(end)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    12,
  )
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, ...directory, end])
}

function bytesOf(zip: Buffer, entry: number): Buffer {
  const local = zip.readUInt32LE(entry + 42)
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
  const bytes = zip.subarray(start, start + zip.readUInt32LE(entry + 20))
  return zip.readUInt16LE(entry + 10) === DEFLATED
    ? inflateRawSync(bytes, { maxOutputLength: MAX_XML_BYTES })
    : bytes
}
