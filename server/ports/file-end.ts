// Whether bytes end before their format does: a client that cancels a transfer may end it like one
// that has sent everything, and a truncated file would be sold. Only formats whose end is known.

export interface FileTail {
  size: number
  /** Reads the bytes from `start` to `end`, both included. */
  read(start: number, end: number): Promise<Buffer>
}

/** A document ends with %%EOF within its last kilobyte; some programs add bytes to it. */
const PDF_TAIL = 4096
/** The directory of an archive ends with this record, and a comment of 64 KB at most. */
const ZIP_TAIL = 65_557
const ZIP_END = Buffer.from('PK\x05\x06', 'latin1')
const MAX_BOXES = 10_000

/** @param head the first bytes, at least 12 unless the file is shorter. */
export async function isCutOff(head: Buffer, ending: FileTail): Promise<boolean> {
  if (head.subarray(0, 1024).includes('%PDF-'))
    return !(await tailOf(ending, PDF_TAIL)).includes('%%EOF')
  if (head.subarray(0, 4).toString('latin1') === 'PK\x03\x04')
    return !(await tailOf(ending, ZIP_TAIL)).includes(ZIP_END)
  if (head.subarray(4, 8).toString('latin1') === 'ftyp') return isFilmCutOff(ending)
  return false
}

const tailOf = ({ size, read }: FileTail, bytes: number): Promise<Buffer> =>
  read(Math.max(0, size - bytes), size - 1)

/** MP4, MOV and M4A are boxes, each with its size in front (ISO 14496-12, 4.2). */
async function isFilmCutOff({ size, read }: FileTail): Promise<boolean> {
  let at = 0
  for (let box = 0; at < size && box < MAX_BOXES; box++) {
    if (at + 8 > size) return true
    const header = await read(at, Math.min(at + 16, size) - 1)
    const short = header.readUInt32BE()
    // A size of 0 means: up to the end of the file.
    if (short === 0) return false
    if (short === 1 && header.length < 16) return true
    const length = short === 1 ? Number(header.readBigUInt64BE(8)) : short
    // These bytes are no box: they follow the film.
    if (length < 8) return false
    at += length
  }
  return at > size
}
