// Lays out a ZIP file whose entries are stored without compression. The layout is known before the
// first byte is sent, so the file has a length and supports ranges. After APPNOTE.TXT 6.3.10: UTF-8
// names (bit 11), ZIP64 records where 32 bits are too few. Sizes and CRC precede each entry,
// because the unpackers of Windows and macOS need them there.
import { createHash } from 'node:crypto'
import { present } from '../../core/lazy.ts'

export interface ZipEntry {
  /** The file's name; the layout makes it safe for every system. */
  filename: string
  size: number
  crc32: number
  modifiedMs: number
  /** The hash of the bytes. */
  hash: string
}

/** A run of bytes of the ZIP file: its own records, or an entry's bytes. */
export type ZipSegment<Entry> = { at: number; length: number } & (
  | { bytes: Buffer }
  | { entry: Entry }
)

export interface ZipLayout<Entry> {
  segments: readonly ZipSegment<Entry>[]
  size: number
  /** The same for the same entries. */
  tag: string
}

const MAX32 = 0xffffffff
const MAX16 = 0xffff
const UTF8_NAMES = 0x0800
const VERSION = { plain: 20, zip64: 45 }
/** Unix, so that unpackers set the usual permissions there. */
const MADE_BY = (3 << 8) | 63
const REGULAR_FILE = (0o100644 << 16) >>> 0

export function layoutZip<Entry extends ZipEntry>(entries: readonly Entry[]): ZipLayout<Entry> {
  const names = safeNames(entries.map(({ filename }) => filename))
  const segments: ZipSegment<Entry>[] = []
  const central: Buffer[] = []
  let at = 0
  const add = (bytes: Buffer) => {
    segments.push({ at, length: bytes.length, bytes })
    at += bytes.length
  }
  entries.forEach((entry, place) => {
    const name = Buffer.from(present(names[place], 'The name of the entry'))
    central.push(centralHeader(entry, name, at))
    add(localHeader(entry, name))
    if (entry.size > 0) segments.push({ at, length: entry.size, entry })
    at += entry.size
  })
  const directory = Buffer.concat(central)
  add(Buffer.concat([directory, endRecords(entries.length, directory.length, at)]))
  const identity = entries.map(({ hash, size, crc32 }, place) => [names[place], hash, size, crc32])
  const tag = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 40)
  return { segments, size: at, tag }
}

function localHeader({ size, crc32, modifiedMs }: ZipEntry, name: Buffer): Buffer {
  const large = size >= MAX32
  const extra = large ? zip64Extra([size, size]) : Buffer.alloc(0)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(large ? VERSION.zip64 : VERSION.plain, 4)
  header.writeUInt16LE(UTF8_NAMES, 6)
  header.writeUInt32LE(dosTime(modifiedMs), 10)
  header.writeUInt32LE(crc32, 14)
  header.writeUInt32LE(large ? MAX32 : size, 18)
  header.writeUInt32LE(large ? MAX32 : size, 22)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, name, extra])
}

function centralHeader({ size, crc32, modifiedMs }: ZipEntry, name: Buffer, offset: number) {
  const large = size >= MAX32
  const far = offset >= MAX32
  const values = [...(large ? [size, size] : []), ...(far ? [offset] : [])]
  const extra = values.length > 0 ? zip64Extra(values) : Buffer.alloc(0)
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(MADE_BY, 4)
  header.writeUInt16LE(values.length > 0 ? VERSION.zip64 : VERSION.plain, 6)
  header.writeUInt16LE(UTF8_NAMES, 8)
  header.writeUInt32LE(dosTime(modifiedMs), 12)
  header.writeUInt32LE(crc32, 16)
  header.writeUInt32LE(large ? MAX32 : size, 20)
  header.writeUInt32LE(large ? MAX32 : size, 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt16LE(extra.length, 30)
  header.writeUInt32LE(REGULAR_FILE, 38)
  header.writeUInt32LE(far ? MAX32 : offset, 42)
  return Buffer.concat([header, name, extra])
}

function zip64Extra(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + values.length * 8)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(values.length * 8, 2)
  values.forEach((value, place) => extra.writeBigUInt64LE(BigInt(value), 4 + place * 8))
  return extra
}

/** @param start where the central directory begins. */
function endRecords(count: number, length: number, start: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, MAX16), 8)
  end.writeUInt16LE(Math.min(count, MAX16), 10)
  end.writeUInt32LE(Math.min(length, MAX32), 12)
  end.writeUInt32LE(Math.min(start, MAX32), 16)
  if (count < MAX16 && length < MAX32 && start < MAX32) return end
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE(MADE_BY, 12)
  record.writeUInt16LE(VERSION.zip64, 14)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(length), 40)
  record.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(start + length), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([record, locator, end])
}

/** Time in the low half, date in the high half; in steps of two seconds since 1980, in UTC. */
function dosTime(ms: number): number {
  const at = new Date(Math.max(ms, Date.UTC(1980, 0, 1)))
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  const year = Math.min(at.getUTCFullYear() - 1980, 127)
  const date = (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  return ((date << 16) | time) >>> 0
}

// What Windows refuses in a name; control characters; marks that change the shown order of letters.
const REFUSED = /[<>:"/\\|?*\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
/** Also with spaces before the point, and with raised digits. */
const DEVICES = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³]) *(\.|$)/i
const MAX_NAME_BYTES = 240

/** Names that every system can unpack, unique without regard to case. */
export function safeNames(filenames: readonly string[]): string[] {
  const taken = new Set<string>()
  return filenames.map((filename) => {
    const plain = safeName(filename)
    const dot = plain.lastIndexOf('.')
    const [stem, extension] = dot > 0 ? [plain.slice(0, dot), plain.slice(dot)] : [plain, '']
    let name = plain
    for (let copy = 2; taken.has(keyOf(name)); copy++) name = `${stem} (${copy})${extension}`
    taken.add(keyOf(name))
    return name
  })
}

const keyOf = (name: string) => name.normalize('NFC').toLowerCase()

function safeName(filename: string): string {
  const name = withoutEnd(filename.toWellFormed().normalize('NFC').replace(REFUSED, '_'))
  const kept = name.trim() === '' ? 'file' : name
  const free = DEVICES.test(kept) ? `_${kept}` : kept
  return withoutEnd(shortened(free))
}

/** Windows drops dots and spaces at the end. */
const withoutEnd = (name: string): string => name.replace(/[. ]+$/, '')

/** Cuts the name between characters, never within one. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : ''
  let stem = Array.from(name.slice(0, name.length - extension.length))
  while (Buffer.byteLength(stem.join('') + extension) > MAX_NAME_BYTES) stem = stem.slice(0, -1)
  return stem.join('') + extension
}
