// A limited child that makes previews, one after another: of an image, of the first page of a PDF
// document, of the cover or the waveform of an audio file. The bytes are in two files of a private folder.
import { readFile, writeFile } from 'node:fs/promises'
import type { PDFiumLibrary } from '@hyzyla/pdfium'
import sharp, { type Sharp } from 'sharp'
import { isOutOfMemory, Refusal, serveRequests } from '../../../plugins/contract/sandbox.ts'
import { prepareSharp } from '../../../plugins/contract/sharp.ts'
import { drawWaveform } from './waveform.ts'

const LONGER_SIDE = 160
const MAX_PIXELS = 100_000_000
/** Pages are drawn larger than they are shown, and then made smaller, so that text stays clear. */
const DRAWN_SIDE = 480
/** The longest side of a page that is drawn. */
const MAX_POINTS = 20_000
/** Time to send the answer. */
const EXIT_MS = 50

interface PreviewTask {
  kind: 'image' | 'document' | 'audio'
  from: string
  to: string
}

prepareSharp()

serveRequests(async ({ kind, from, to }: PreviewTask) => {
  const drawn =
    kind === 'document'
      ? await drawPage(from)
      : kind === 'audio'
        ? await drawAudio(from)
        : opened(await readFile(from))
  await writeFile(to, await small(drawn))
  return true
})

/** Of an animation the first frame. */
const small = (picture: Sharp): Promise<Buffer> =>
  picture
    .rotate()
    .resize({ width: LONGER_SIDE, height: LONGER_SIDE, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer()
    .catch((cause: unknown) => {
      throw new Refusal('image_damaged', 'The image cannot be opened', { cause })
    })

let loading: Promise<PDFiumLibrary> | undefined
const pdfium = () =>
  (loading ??= import('@hyzyla/pdfium').then(({ PDFiumLibrary }) => PDFiumLibrary.init()))

async function drawPage(from: string): Promise<Sharp> {
  const bytes = await readFile(from)
  // PDFium looks for it there too. Other files with this ending need neither it nor a new process.
  if (!bytes.subarray(0, 1024).includes('%PDF-'))
    throw new Refusal('pdf_damaged', 'The file is not a PDF document')
  try {
    return await drawFirst(await pdfium(), bytes)
  } catch (cause) {
    // The document may have filled or broken the memory: the next one gets another process.
    setTimeout(() => process.exit(), EXIT_MS)
    if (cause instanceof Error && isOutOfMemory(cause.message)) throw cause
    throw new Refusal('pdf_damaged', 'The first page cannot be drawn', { cause })
  }
}

async function drawFirst(library: PDFiumLibrary, bytes: Buffer): Promise<Sharp> {
  const document = await library.loadDocument(bytes)
  try {
    const page = document.getPage(0)
    const { originalWidth, originalHeight } = page.getOriginalSize()
    const longer = Math.max(originalWidth, originalHeight)
    // Written so that a size that is not a number is refused too.
    if (!(Math.min(originalWidth, originalHeight) > 0 && longer <= MAX_POINTS))
      throw new Error(`the page has ${originalWidth} × ${originalHeight} points`)
    const drawn = (side: number) => Math.max(1, Math.round((side * DRAWN_SIDE) / longer))
    const [width, height] = [drawn(originalWidth), drawn(originalHeight)]
    const { data } = await page.render({ width, height, scale: 1, render: 'bitmap' })
    return sharp(data, { raw: { width, height, channels: 4 } }).flatten({ background: '#fff' })
  } finally {
    document.destroy()
  }
}

const opened = (image: Uint8Array): Sharp => sharp(image, { limitInputPixels: MAX_PIXELS })

/** Its cover; of a WAV file without one, its waveform. */
async function drawAudio(from: string): Promise<Sharp> {
  const cover = await readCover(from)
  const drawn = cover ? opened(cover) : await drawWaveform(from)
  if (!drawn) throw new Refusal('image_damaged', 'The audio file has no cover')
  return drawn
}

/** Null: it has none. */
async function readCover(from: string): Promise<Uint8Array | null> {
  const { parseFile, selectCover } = await import('music-metadata')
  const { common } = await parseFile(from, { duration: false }).catch((cause: unknown) => {
    throw new Refusal('image_damaged', 'The audio file cannot be opened', { cause })
  })
  return selectCover(common.picture)?.data ?? null
}
