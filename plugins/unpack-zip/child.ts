// Opens ZIP archives in the sandbox: lists their files, and writes some of them into a folder.
import { isAscii, isUtf8 } from 'node:buffer'
import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { Refusal, say, sayPlain, serveRequests } from '../contract/sandbox.ts'
import type { ListedEntry, ZipTask } from './tasks.ts'

/** Smaller archives may be packed as tightly as they are. */
const FREE_BYTES = 100 * 1024 ** 2
/** Texts are packed up to 20 times, and tables of equal rows up to 100 times. */
const MAX_RATIO = 200
const MAX_NAME_BYTES = 4096

serveRequests((task: ZipTask) => inArchive(task.archive, (zip) => work(zip, task)))

const work = (zip: ZipFile, task: ZipTask): Promise<unknown> =>
  task.do === 'list' ? list(zip, task) : extract(zip, task)

async function inArchive<T>(archive: string, use: (zip: ZipFile) => Promise<T>): Promise<T> {
  try {
    // Names are read here: the archive may not say how they are written.
    const zip = await openPromise(archive, { autoClose: false, decodeStrings: false })
    try {
      return await use(zip)
    } finally {
      zip.close()
    }
  } catch (error) {
    throw asRefusal(error)
  }
}

/** What the library and zlib throw is about the archive; what the system throws is not. */
function asRefusal(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error
  const system = 'syscall' in error
  if (system && 'code' in error && error.code === 'ENOSPC')
    return new Refusal('storage_full', sayPlain('The storage location is full'), { cause: error })
  if (system) return error
  if (/encrypt/i.test(error.message))
    return new Refusal('zip_encrypted', sayPlain('The ZIP archive is encrypted'), { cause: error })
  return new Refusal(
    'zip_damaged',
    sayPlain('The ZIP archive is damaged or incomplete: nothing of it was imported'),
    { cause: error },
  )
}

async function list(
  zip: ZipFile,
  { archive, most }: ZipTask & { do: 'list' },
): Promise<{ entries: ListedEntry[] }> {
  const { size } = await stat(archive)
  const entries: ListedEntry[] = []
  let [at, packed, bytes] = [0, 0, 0]
  for await (const entry of zip.eachEntry()) {
    const place = at++
    packed += entry.compressedSize
    bytes += entry.uncompressedSize
    // Entries that share their bytes make an archive of any size.
    if (packed > size || (bytes > FREE_BYTES && bytes > size * MAX_RATIO))
      throw new Refusal(
        'zip_limit',
        sayPlain('The ZIP archive would become more than 200 times as large: it is not unpacked'),
      )
    if (isFolder(entry)) continue
    entries.push(listed(entry, place))
    if (entries.length > most)
      throw new Refusal(
        'zip_limit',
        say('The ZIP archive has more than {count} files', { count: most }),
      )
  }
  return { entries }
}

function listed(entry: Entry, at: number): ListedEntry {
  const named = nameOf(entry)
  return {
    at,
    ...named,
    size_bytes: entry.uncompressedSize,
    refused: refusedFor(entry, named.path),
  }
}

const UTF8_FLAG = 0x800
/** The Unicode Path of Info-ZIP. */
const UNICODE_PATH = 0x7075

function nameOf({ fileNameRaw: raw, generalPurposeBitFlag, extraFields }: Entry) {
  const field = extraFields.find(({ id }) => id === UNICODE_PATH)?.data
  // It is for the name of which it has the checksum: other programs may have renamed the entry.
  const isOwn = field && field.length > 5 && field[0] === 1 && field.readUInt32LE(1) === crc32(raw)
  const written = isOwn ? field.subarray(5) : raw
  const said = isOwn || (generalPurposeBitFlag & UTF8_FLAG) > 0 || isAscii(raw)
  return said && isUtf8(written)
    ? { path: written.toString().slice(0, MAX_NAME_BYTES), base64: false }
    : { path: raw.subarray(0, MAX_NAME_BYTES).toString('base64'), base64: true }
}

// Of Unix, in the upper half of the attributes; 0: the program does not say it.
const TYPE = 0o170000
const [FOLDER, FILE, LINK] = [0o040000, 0o100000, 0o120000]
const typeOf = ({ externalFileAttributes }: Entry) => (externalFileAttributes >>> 16) & TYPE
const DOS_FOLDER = 0x10

const isFolder = (entry: Entry): boolean =>
  [0x2f, 0x5c].includes(entry.fileNameRaw.at(-1) ?? 0) ||
  typeOf(entry) === FOLDER ||
  (entry.uncompressedSize === 0 && (entry.externalFileAttributes & DOS_FOLDER) > 0)

const STORED_OR_DEFLATED = [0, 8]

function refusedFor(entry: Entry, name: string): ListedEntry['refused'] {
  const type = typeOf(entry)
  if (entry.isEncrypted()) return 'encrypted'
  if (type === LINK) return 'link'
  if (type !== 0 && type !== FILE) return 'special'
  if (!STORED_OR_DEFLATED.includes(entry.compressionMethod)) return 'method'
  return name === '' || entry.fileNameRaw.length > MAX_NAME_BYTES ? 'long_name' : null
}

/** Writes files of the archive. The library compares their sizes. */
async function extract(
  zip: ZipFile,
  { folder, files }: ZipTask & { do: 'extract' },
): Promise<{ done: true }> {
  const names = new Map(files.map(({ at, to }) => [at, to]))
  let at = 0
  for await (const entry of zip.eachEntry()) {
    const to = names.get(at++)
    if (to === undefined) continue
    const file = createWriteStream(path.join(folder, to), { flags: 'wx' })
    await pipeline(await zip.openReadStreamPromise(entry), checked(entry), file)
    names.delete(at - 1)
    if (names.size === 0) break
  }
  return { done: true }
}

/** Passes bytes on, and fails at their end if they have another checksum. */
function checked(entry: Entry): Transform {
  let sum = 0
  return new Transform({
    transform: (bytes: Buffer, _, done) => {
      sum = crc32(bytes, sum)
      done(null, bytes)
    },
    flush: (done) => done(sum === entry.crc32 ? null : new Error('the checksum differs')),
  })
}
