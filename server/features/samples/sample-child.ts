// A limited child that cuts the sample of a PDF document, and measures audio files.
import { readFile, writeFile } from 'node:fs/promises'
import { isOutOfMemory, Refusal, serveRequests } from '../../../plugins/contract/sandbox.ts'

type SampleTask =
  | { do: 'cut'; from: string; to: string; pages: number }
  | { do: 'measure'; from: string }

serveRequests(async (task: SampleTask) =>
  task.do === 'cut' ? cutPages(task) : measureSeconds(task.from),
)

/**
 * What leads from a page to others: a copy of the page would contain them. Annotations contain
 * links, and form fields.
 */
const LEADING = ['Annots', 'B', 'AA', 'PieceInfo', 'Metadata', 'StructParents', 'Thumb']

/** Writes the first pages, at most half of them; returns their number. */
async function cutPages(task: Extract<SampleTask, { do: 'cut' }>): Promise<number> {
  try {
    return await cut(task)
  } catch (cause) {
    if (cause instanceof Refusal || (cause instanceof Error && isOutOfMemory(cause.message)))
      throw cause
    const encrypted = cause instanceof Error && cause.message.includes('encrypted')
    throw encrypted
      ? new Refusal('pdf_encrypted', 'The document is encrypted', { cause })
      : new Refusal('pdf_damaged', 'The document cannot be opened', { cause })
  }
}

async function cut({ from, to, pages }: Extract<SampleTask, { do: 'cut' }>): Promise<number> {
  const { PDFDocument, PDFName } = await import('pdf-lib')
  const whole = await PDFDocument.load(await readFile(from), { updateMetadata: false })
  const shown = Math.min(pages, Math.floor(whole.getPageCount() / 2))
  if (shown < 1) throw new Refusal('pdf_page_out_of_range', 'A document of one page has no sample')
  const chosen = Array.from({ length: shown }, (_, at) => at)
  for (const at of chosen)
    for (const name of LEADING) whole.getPage(at).node.delete(PDFName.of(name))
  const sample = await PDFDocument.create()
  for (const page of await sample.copyPages(whole, chosen)) sample.addPage(page)
  await writeFile(to, await sample.save())
  return shown
}

async function measureSeconds(from: string): Promise<number> {
  const { parseFile } = await import('music-metadata')
  const { format } = await parseFile(from, { duration: true, skipCovers: true }).catch(
    (cause: unknown) => {
      throw new Refusal('file_damaged', 'The audio file cannot be opened', { cause })
    },
  )
  return format.duration ?? 0
}
