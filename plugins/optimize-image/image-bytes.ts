// What the bytes of an image say that sharp does not: formats that it does not open, further
// pictures behind the first, and the transparency of an animation.

/** Beginnings of formats that stay as they are; a dot is any byte. */
const OTHERS: readonly (readonly [type: string, beginning: string])[] = [
  ['JXL', '\xff\x0a'],
  ['JXL', '\0\0\0\x0cJXL \r\n\x87\n'],
  ['JP2', '\0\0\0\x0cjP  \r\n\x87\n'],
  ['JP2', '\xff\x4f\xff\x51'],
  ['JXR', 'II\xbc\x01'],
  ['CR2', 'II*\0....CR\x02'],
  ['BMP', 'BM....\0\0\0\0'],
  ['ICO', '\0\0\x01\0.\0'],
  ['ICO', '\0\0\x02\0.\0'],
  ['PSD', '8BPS\0'],
  ['XCF', 'gimp xcf'],
  ['EXR', 'v/1\x01'],
  ['HDR', '#?RADIANCE'],
  ['QOI', 'qoif'],
  ['RAF', 'FUJIFILMCCD-RAW'],
  ['RW2', 'IIU\0'],
  ['ORF', 'IIRO'],
  ['ORF', 'IIRS'],
]
/** Brands of the container that video has too. AVIF is opened. */
const BRANDS =
  /^....ftyp(heic|heix|heim|heis|hevc|hevx|hevm|hevs|mif1|msf1|mif2|miaf|1pic|avci|avcs|j2ki|jpeg|crx )/s

/** The type of an image in a format that is not opened; null: it is opened, or no image. */
export function otherFormat(source: Buffer): string | null {
  const start = source.toString('latin1', 0, 256)
  const [type] = OTHERS.find(([, beginning]) => beginsWith(start, beginning)) ?? []
  if (type !== undefined) return type
  if (/^P[1-7]\s/.test(start)) return 'PNM'
  const brand = BRANDS.exec(start)?.[1]
  if (brand === undefined) return null
  if (brand === 'crx ') return 'CR3'
  const compatible = start.slice(8, source.readUInt32BE(0) || 8)
  return /avi[fs]/.test(compatible) ? null : 'HEIC'
}

const beginsWith = (start: string, beginning: string): boolean =>
  [...beginning].every((char, at) => char === '.' || start[at] === char)

const MULTI_PICTURE = Buffer.from('MPF\0')
const IFD_ENTRY = 12
const PICTURE_ENTRY = 16
/** Panoramas, stereo pairs and views from several angles; thumbnails have other types. */
const VIEWS = 0x02

/** Whether other views follow the first picture of a JPEG, as stereo cameras store them. */
export function hasSeveralPictures(jpeg: Buffer): boolean {
  const at = jpeg.subarray(0, 2 ** 16).indexOf(MULTI_PICTURE)
  if (at < 0) return false
  const body = jpeg.subarray(at + MULTI_PICTURE.length)
  try {
    return viewsIn(body) > 1
  } catch {
    // Offsets outside the file: no reader finds the other pictures.
    return false
  }
}

function viewsIn(body: Buffer): number {
  const little = body.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (little ? body.readUInt16LE(at) : body.readUInt16BE(at))
  const long = (at: number) => (little ? body.readUInt32LE(at) : body.readUInt32BE(at))
  const first = long(4)
  for (let number = 0; number < short(first); number++) {
    const entry = first + 2 + number * IFD_ENTRY
    if (short(entry) !== 0xb0_02) continue
    const [size, list] = [long(entry + 4), long(entry + 8)]
    const types = Array.from(
      { length: Math.min(size / PICTURE_ENTRY, 64) },
      (_, at) => (long(list + at * PICTURE_ENTRY) >> 16) & 0xff,
    )
    return types.filter((type) => type === VIEWS).length
  }
  return 0
}

const ALPHA = 0x10

/**
 * An animated WebP that is declared as transparent. The encoder stores the changed part of each frame,
 * and declares it as opaque if all parts are: then browsers show black where no frame draws.
 */
export function withTransparency(webp: Buffer): Buffer {
  const isExtended = webp.toString('latin1', 12, 16) === 'VP8X'
  if (!isExtended || webp.toString('latin1', 30, 34) !== 'ANIM') return webp
  const made = Buffer.from(webp)
  made.writeUInt8(made.readUInt8(20) | ALPHA, 20)
  // The background colour, which some readers show behind the frames.
  made.fill(0, 38, 42)
  return made
}
