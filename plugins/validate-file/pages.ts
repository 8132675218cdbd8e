// Web pages and messages that servers send instead of a file. The check of a CSV file has the same rules, so
// that it says what the import will do.
import mime from 'mime-types'
import { hasExtension, isPageType, say, sayPlain, textOf, type Text } from '../contract/index.ts'

/** A web page under a name that promises nothing: from an address, likely a sign-in page. */
export const isUnnamedPage = (filename: string, found: string | undefined): boolean =>
  found === 'text/html' && !hasExtension(filename)

/**
 * Whether it is a web page, a message or text instead of the expected file: servers send one to clients
 * that are not signed in, or for an address that has expired.
 * @param type as the server claims
 * @param found by the first bytes; absent: not known
 */
export function isUnexpectedPage(
  filename: string,
  type: string | null,
  found: string | undefined,
): boolean {
  if (found !== undefined) {
    const kind = mismatchOf(filename, found)?.kind
    return kind !== undefined && kind !== 'other'
  }
  if (!isPageType(type)) return false
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase()
  return extension !== undefined && !['html', 'htm', 'xhtml'].includes(extension)
}

// Compares a file's content with what its name promises: its format, if the extension stands for
// one whose bytes have a signature. Other extensions promise nothing, because many formats are ZIP
// archives, XML or text inside.

export interface Mismatch {
  /** What the content is, with its article. */
  is: Text
  /** The extension that contradicts it, in capitals. */
  not: string
  /**
   * `page`, `message` and `text` are what servers send instead of a file; `other`: it is another
   * file, or may be meant.
   */
  kind: 'page' | 'message' | 'text' | 'other'
}

const PROGRAMS =
  /x-msdownload|x-msdos-program|x-elf|x-mach-binary|x-dosexec|vnd\.microsoft\.portable-executable/

/** What servers send instead of a file, by its media type. */
function answerOf(type: string): { kind: 'page' | 'message' | 'text'; is: Text } | null {
  if (isPageType(type)) return { kind: 'page', is: textOf(sayPlain('a web page')) }
  if (/^(application|text)\/(json|xml)$/.test(type))
    return { kind: 'message', is: textOf(sayPlain('a message of a server')) }
  return type === 'text/plain' ? { kind: 'text', is: textOf(sayPlain('plain text')) } : null
}

const formatOf = (type: string): Format | null => {
  const plain = type.replaceAll(' ', '')
  return FORMATS.find(({ types }) => types.has(plain)) ?? null
}

/** What the content of this type is called, with its article. Null: its type says nothing. */
function nameOf(type: string): Text | null {
  const format = formatOf(type)
  if (format) return say('a {format} file', { format: format.name })
  if (PROGRAMS.test(type)) return textOf(sayPlain('a program'))
  if (type === 'image/svg+xml') return say('a {format} file', { format: 'SVG' })
  if (type === 'application/octet-stream') return null
  const extension = mime.extension(type) || type.replace(/^[^/]*\/(?:x-|vnd\.)?/, '')
  return say('a {format} file', { format: extension.toUpperCase() })
}

/**
 * Compares the detected type with the name.
 * @returns what it is and the extension that contradicts it; null: there is no contradiction
 */
export function mismatchOf(filename: string, found: string | undefined): Mismatch | null {
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase()
  if (found === undefined || extension === undefined) return null
  const not = extension.toUpperCase()
  const promised = FORMATS.filter(({ extensions }) => extensions.has(extension))
  const answer = answerOf(found)
  if (promised.length === 0) {
    // Files of other formats may contain anything except a web page or a program.
    if (answer && NEVER_TEXT.has(extension)) return { ...answer, not }
    if (answer?.kind === 'page' && (NEVER_PAGES.has(extension) || isOtherFile(extension)))
      return { ...answer, not }
    if (!isOtherFile(extension)) return null
    return PROGRAMS.test(found) ? { is: textOf(sayPlain('a program')), not, kind: 'other' } : null
  }
  if (answer) {
    const isMeant =
      promised.every(({ mayBe }) => mayBe !== null) &&
      (answer.kind === 'text' || promised.some(({ mayBe }) => mayBe === 'any text'))
    return { ...answer, not, ...(isMeant ? { kind: 'other' } : {}) }
  }
  const format = formatOf(found)
  if (format && promised.includes(format)) return null
  const is = nameOf(found)
  return is && { is, not, kind: 'other' }
}

/** Whether the extension is that of a known format other than text, drawings and programs. */
function isOtherFile(extension: string): boolean {
  const promised = mime.lookup(extension)
  return (
    promised !== false &&
    promised !== 'application/octet-stream' &&
    !PROGRAMS.test(promised) &&
    !isPageType(promised) &&
    !/^(text\/|image\/(svg|vnd\.))/.test(promised)
  )
}

// The formats whose bytes begin with a signature: what each is called, the extensions that promise
// it, and the media types by which it is detected. Formats that share a signature are one entry.

interface Format {
  name: string
  extensions: ReadonlySet<string>
  types: ReadonlySet<string>
  /**
   * Which text under its extensions may be meant. `any text`: web pages and XML too, since programs export
   * tables and pages as `.xls` and `.doc`.
   */
  mayBe: 'text' | 'any text' | null
}

const words = (text: string): Set<string> =>
  new Set(text.split(/\s+/).filter((word) => word !== ''))

const format = (
  name: string,
  extensions: string,
  types: string,
  mayBe: Format['mayBe'] = null,
): Format => ({
  name,
  extensions: words(extensions),
  types: words(types),
  mayBe,
})

const OFFICE = 'application/vnd.openxmlformats-officedocument.'
const OPEN = 'application/vnd.oasis.opendocument.'
const office = (kind: string, macros: string) =>
  `${OFFICE}${kind}ml.document ${OFFICE}${kind}ml.sheet ${OFFICE}${kind}ml.presentation
   ${OFFICE}${kind}ml.slideshow ${OFFICE}${kind}ml.template ${macros}`

/** Formats of programs whose content is not detected here, but is never text. */
const NEVER_TEXT = words(`
  pes pec dst jef hus vip vp3 xxx sew dsb dsz emb pcs fcm gsd studio studio3 scut4 scut5
  procreate brush brushset brushlibrary swatches abr atn afdesign afphoto afpub afbrushes afassets
  indd indt idml cdr cmx dwg xd sketch clip sut kra ora xcf pspimage djvu xps oxps vsdx
  aep mogrt ffx prproj skp 3dm f3d sldprt sldasm blend c4d max mb ztl glb usdz unitypackage uasset ctb lys
  mscz mxl sib musx gp3 gp4 gp5 ptb flp als adg adv nki nkm sf2 fxp fxb dcp
  band logicx caf wv ape dsf dff amr ac3 rm rmvb swf cr3 raf rwl x3f erf mrw 3fr iiq jxr exr dds ico icns cur emf wmf
  pages numbers xlsb accdb mdb one kfx kpf lit ibooks eot
  iso dmg msi deb rpm ipa cab lzh lz lz4 sit sitx exe`)

/** Formats of text that no web page has. */
const NEVER_PAGES = words(`
  svg csv tsv dxf plt hpgl gcode nc obj stl ply scad ics vcf srt vtt ass ssa lrc cube 3dl lut xmp lrtemplate
  ly abc musicxml pgn bib`)

/**
 * Archives with other extensions of programs (`.procreate`, `.brushset`, `.sketch`) are not listed:
 * an extension that no entry names promises nothing.
 */
const FORMATS: readonly Format[] = [
  format('PDF', 'pdf ai', 'application/pdf'),
  format('PostScript', 'ps eps ai', 'application/postscript application/eps', 'text'),
  format('RTF', 'rtf doc dot', 'application/rtf', 'text'),
  // Word, Excel and PowerPoint encrypt their newer documents into the older container.
  format(
    'Office',
    `doc dot xls xlt ppt pps pot msg vsd pub
     docx docm dotx dotm xlsx xlsm xltx xltm pptx pptm ppsx ppsm potx potm`,
    'application/x-cfb application/vnd.ms-outlook',
    'any text',
  ),
  format(
    'Word',
    'docx docm dotx dotm zip',
    office(
      'wordprocessing',
      'application/vnd.ms-word.document.macroenabled.12 application/vnd.ms-word.template.macroenabled.12',
    ),
  ),
  format(
    'Excel',
    'xlsx xlsm xltx xltm zip',
    office(
      'spreadsheet',
      'application/vnd.ms-excel.sheet.macroenabled.12 application/vnd.ms-excel.template.macroenabled.12',
    ),
  ),
  format(
    'PowerPoint',
    'pptx pptm ppsx ppsm potx potm zip',
    office(
      'presentation',
      `application/vnd.ms-powerpoint.presentation.macroenabled.12
       application/vnd.ms-powerpoint.template.macroenabled.12
       application/vnd.ms-powerpoint.slideshow.macroenabled.12`,
    ),
  ),
  format(
    'OpenDocument',
    'odt ott ods ots odp otp odg otg zip',
    `${OPEN}text ${OPEN}text-template ${OPEN}spreadsheet ${OPEN}spreadsheet-template
     ${OPEN}presentation ${OPEN}presentation-template ${OPEN}graphics ${OPEN}graphics-template`,
  ),
  format('EPUB', 'epub kepub zip', 'application/epub+zip'),
  format(
    'ZIP',
    `zip docx docm dotx dotm xlsx xlsm xltx xltm pptx pptm ppsx ppsm potx potm
     odt ott ods ots odp otp odg otg epub kepub apk aab jar war cbz cbr xpi 3mf kmz`,
    `application/zip application/x-xpinstall application/vnd.android.package-archive
     application/java-archive model/3mf`,
  ),
  format('RAR', 'rar cbr cbz', 'application/x-rar-compressed application/vnd.rar'),
  format('7z', '7z cb7', 'application/x-7z-compressed'),
  format('GZIP', 'gz tgz svgz', 'application/gzip'),
  format('BZIP2', 'bz2 tbz tbz2', 'application/x-bzip2'),
  format('XZ', 'xz txz', 'application/x-xz'),
  format('Zstandard', 'zst tzst', 'application/zstd'),
  format('Mobipocket', 'mobi azw azw3 prc', 'application/x-mobipocket-ebook'),

  format('JPEG', 'jpg jpeg jpe jfif mpo', 'image/jpeg'),
  format('PNG', 'png apng', 'image/png image/apng'),
  format('GIF', 'gif', 'image/gif'),
  format('WebP', 'webp', 'image/webp'),
  format('BMP', 'bmp dib', 'image/bmp'),
  // Cameras write their raw pictures as TIFF.
  format(
    'TIFF',
    'tif tiff dng cr2 nef arw orf rw2 pef srw',
    `image/tiff image/x-canon-cr2 image/x-olympus-orf image/x-sony-arw image/x-adobe-dng
     image/x-nikon-nef image/x-panasonic-rw2`,
  ),
  format(
    'HEIF',
    'heic heif hif avif',
    'image/heif image/heif-sequence image/heic image/heic-sequence image/avif',
  ),
  format('JPEG 2000', 'jp2 j2k j2c jpx jpm', 'image/jp2 image/jpx image/jpm image/j2c'),
  format('JPEG XL', 'jxl', 'image/jxl'),
  format('Photoshop', 'psd psb', 'image/vnd.adobe.photoshop'),

  format('MP3', 'mp3 mp2 mpga', 'audio/mpeg'),
  format('WAV', 'wav', 'audio/wav'),
  format('FLAC', 'flac', 'audio/flac'),
  format(
    'Ogg',
    'ogg oga ogv ogx opus spx',
    'audio/ogg audio/ogg;codecs=opus video/ogg application/ogg',
  ),
  format('AIFF', 'aif aiff aifc', 'audio/aiff'),
  format('MIDI', 'mid midi', 'audio/midi'),
  format('AAC', 'aac m4a', 'audio/aac'),
  // QuickTime, MP4 and their relatives are one container.
  format(
    'MP4',
    'mp4 m4v m4a m4b m4p m4r mov qt 3gp 3g2 f4v f4a aac',
    `video/mp4 audio/mp4 audio/x-m4a video/x-m4v video/quicktime video/3gpp video/3gpp2`,
  ),
  format('Matroska', 'mkv mka mk3d webm weba', 'video/matroska video/webm'),
  format('AVI', 'avi', 'video/vnd.avi'),
  format('Windows Media', 'wmv wma asf', 'audio/x-ms-asf video/x-ms-asf application/vnd.ms-asf'),
  format('MPEG', 'mpg mpeg vob m2v mp2 m2ts', 'video/mpeg video/MP1S video/MP2P video/mp2t'),
  // Also a module of TypeScript.
  format('AVCHD', 'mts', 'video/mp2t', 'text'),
  format('Flash Video', 'flv', 'video/x-flv'),

  // A font may have outlines of either kind under either extension.
  format('OpenType', 'ttf otf ttc otc', 'font/ttf font/otf font/collection'),
  format('WOFF', 'woff', 'font/woff'),
  format('WOFF2', 'woff2', 'font/woff2'),
]
