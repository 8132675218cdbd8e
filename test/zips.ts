// ZIP archives as programs write them that do not run here (Windows Explorer, the archive utility of
// macOS), and archives with faults. APPNOTE 4.3.
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipPart {
  /** Its path; bytes in another encoding than ASCII or UTF-8. */
  name: string | Buffer
  bytes?: Buffer | string
  /** 0x800: the name is UTF-8; 1: it is encrypted; 8: sizes follow the bytes. */
  flags?: number
  method?: number
  /** The system that wrote it: 0 FAT, 3 Unix. */
  system?: number
  /** Of Unix in the upper half. */
  attributes?: number
  /** Further fields, with their headers. */
  extra?: Buffer
  /** What the directory says instead of the truth. */
  says?: { crc?: number; size?: number }
}

const DEFLATED = 8
const SIZES_FOLLOW = 8

/** The archive with these files, in this order. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const part of parts) {
    const {
      flags = 0,
      method = DEFLATED,
      system = 0,
      attributes = 0,
      extra = Buffer.alloc(0),
    } = part
    const name = Buffer.from(part.name)
    const bytes = Buffer.from(part.bytes ?? '')
    const packed = method === DEFLATED ? deflateRawSync(bytes) : bytes
    const { crc = crc32(bytes), size = bytes.length } = part.says ?? {}
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt16LE(flags, 2)
    about.writeUInt16LE(method, 4)
    about.writeUInt32LE(crc, 10)
    about.writeUInt32LE(packed.length, 14)
    about.writeUInt32LE(size, 18)
    about.writeUInt16LE(name.length, 22)
    about.writeUInt16LE(extra.length, 24)
    const inFile = Buffer.from(about)
    const follows = Buffer.concat([Buffer.from('PK\x07\x08', 'latin1'), about.subarray(10, 22)])
    if (flags & SIZES_FOLLOW) inFile.fill(0, 10, 22)
    const start = Buffer.from('PK\x03\x04', 'latin1')
    const rest = flags & SIZES_FOLLOW ? [follows] : []
    const local = Buffer.concat([start, inFile, name, extra, packed, ...rest])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(attributes >>> 0, 6)
    place.writeUInt32LE(offset, 10)
    const made = Buffer.from([20, system])
    const signature = Buffer.from('PK\x01\x02', 'latin1')
    directory.push(Buffer.concat([signature, made, about, place, name, extra]))
    files.push(local)
    offset += local.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    12,
  )
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, ...directory, end])
}

/** Info-ZIP's Unicode Path for an entry whose own name is `raw`. */
export function unicodePath(raw: Buffer, path: string): Buffer {
  const name = Buffer.from(path)
  const field = Buffer.alloc(9)
  field.writeUInt16LE(0x7075, 0)
  field.writeUInt16LE(name.length + 5, 2)
  field[4] = 1
  field.writeUInt32LE(crc32(raw), 5)
  return Buffer.concat([field, name])
}

export const LINK = 0o120777 << 16
export const FILE = 0o100644 << 16
