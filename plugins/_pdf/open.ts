// Opens a document: rejects other file types, decrypts it, and repairs it if it is damaged, or
// refuses it with the reason.
import { createReadStream, createWriteStream } from 'node:fs'
import { open, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Refusal, isOutOfMemory, sayPlain } from '../contract/sandbox.ts'
import { writeChanges } from './changes.ts'
import { readObjects } from './objects.ts'
import { treeChanges } from './page-tree.ts'
import { refusalFor } from './problems.ts'
import { callQpdf, HERE, isWrongPassword, runQpdf, type QpdfResult } from './qpdf.ts'
import type { OpenedDocument } from './opened.ts'

/**
 * Opens a document, decrypted and repaired where necessary.
 * @throws `Refusal`: `not_a_pdf`, `pdf_damaged`, and `pdf_encrypted` if it needs a password or
 *   another one
 */
export async function openDocument(
  folder: string,
  given: string,
  password = '',
): Promise<OpenedDocument> {
  const { file, linearized } = await findBeginning(folder, given)
  const opened = {
    file,
    password,
    linearized,
    encryptedLike: null,
    repaired: false,
    signed: await hasText(path.join(folder, file), '/ByteRange'),
  }
  const asked = await callQpdf(folder, [`--password=${password}`, ...FINDING, `${HERE}/${file}`])
  if (isWrongPassword(asked))
    throw password === ''
      ? refusalFor('pdf_encrypted')
      : new Refusal('pdf_encrypted', WRONG_PASSWORD)
  const mended = file === given ? opened : { ...opened, repaired: true }
  if (!hasPages(asked)) return repairDocument(folder, mended)
  return asked.output.includes('File is not encrypted') ? mended : decryptDocument(folder, mended)
}

/**
 * Opens a document whose every part and stream can be read, as far as it can be repaired. Throws as
 * `openDocument` does.
 */
export async function openSound(
  folder: string,
  file: string,
  password?: string,
): Promise<OpenedDocument> {
  const opened = await openDocument(folder, file, password)
  return (await isSound(folder, opened.file)) ? opened : repairDocument(folder, opened)
}

/** Repeats the work on the readable parts of a document whose damage was not found at first. */
export async function withRepair<T>(
  folder: string,
  opened: OpenedDocument,
  work: (opened: OpenedDocument) => Promise<T>,
): Promise<T> {
  try {
    return await work(opened)
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'pdf_damaged') || opened.repaired) throw error
    return work({ ...(await repairDocument(folder, opened)), repaired: true })
  }
}

/**
 * Reads a result completely. What is made of a repaired document may have the faults that readers
 * ignore and qpdf cannot repair: it must be readable only.
 * @throws `Refusal` `pdf_damaged`
 */
export async function checkResult(
  folder: string,
  file: string,
  { password, repaired }: Pick<OpenedDocument, 'password' | 'repaired'>,
): Promise<void> {
  if (await isSound(folder, file, password)) return
  if (!repaired) throw refusalFor('pdf_damaged')
  const again = [`--password=${password}`, `${HERE}/${file}`, `${HERE}/${CHECKED}`]
  await runQpdf(folder, again)
  await rm(path.join(folder, CHECKED))
}

const CHECKED = 'checked.pdf'

/** Whether qpdf can read everything, and decode each stream, without a warning. */
async function isSound(folder: string, file: string, password = ''): Promise<boolean> {
  try {
    return isFaultless(await checkedBy(folder, file, password))
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

const checkedBy = (folder: string, file: string, password = '') =>
  callQpdf(folder, [`--password=${password}`, '--check', `${HERE}/${file}`])

/**
 * What is wrong in many sound documents, and gone when qpdf has written them: it reads them as all
 * readers do.
 */
const HARMLESS =
  /duplicated key|extraneous whitespace|object has offset 0|appears more than once|operation succeeded/

const isFaultless = ({ code, words }: QpdfResult): boolean =>
  code === 0 || (code === 3 && words.split('\n').every((line) => !line || HARMLESS.test(line)))

export const isDamage = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'pdf_damaged'

const WRONG_PASSWORD = sayPlain('The password does not open this document')

async function decryptDocument(folder: string, opened: OpenedDocument): Promise<OpenedDocument> {
  const { file, password } = opened
  const plain = `plain-${file}`
  await runQpdf(folder, [
    `--password=${password}`,
    '--decrypt',
    `${HERE}/${file}`,
    `${HERE}/${plain}`,
  ])
  return { ...opened, file: plain, encryptedLike: file }
}

/** The arguments that ask whether a document is encrypted, and how many pages it declares. */
const FINDING = ['--show-encryption', '--show-npages']
const hasPages = ({ code, output }: QpdfResult) => code !== 2 && /^[1-9]\d*\s*$/m.test(output)

/**
 * Returns another file that can be processed: written by qpdf, which keeps all that it can read, or
 * by pdf-lib. Throws `Refusal` `pdf_damaged`.
 */
async function repairDocument(folder: string, opened: OpenedDocument): Promise<OpenedDocument> {
  const rewritten = await rewriteDocument(folder, opened)
  if (rewritten) return rewritten
  const rebuilt = await rebuildDocument(folder, opened)
  const repaired = await rewriteDocument(folder, rebuilt)
  if (repaired) return repaired
  throw refusalFor('pdf_damaged')
}

/**
 * Writes the document with a complete page tree. Null: qpdf cannot read it. A document is not
 * called repaired if only its data for showing it while it loads was wrong, which is not kept.
 */
async function rewriteDocument(
  folder: string,
  opened: OpenedDocument,
): Promise<OpenedDocument | null> {
  const file = `rewritten-${opened.file}`
  try {
    const changes = await writeChanges(folder, treeChanges(await readObjects(folder, opened)))
    const args = [`${HERE}/${opened.file}`, ...changes, `${HERE}/${file}`]
    const written = await runQpdf(folder, args)
    if (!hasPages(await callQpdf(folder, [...FINDING, `${HERE}/${file}`]))) return null
    const sound = changes.length === 0 && isFaultless(written) && (await isSound(folder, file))
    return { ...opened, file, repaired: opened.repaired || !sound }
  } catch (error) {
    if (isDamage(error)) return null
    throw error
  }
}

/**
 * This qpdf cannot rebuild a table of objects. pdf-lib reads a document from its beginning and
 * needs no table.
 */
async function rebuildDocument(folder: string, opened: OpenedDocument): Promise<OpenedDocument> {
  const file = `repaired-${opened.file}`
  try {
    const { PDFDocument } = await import('pdf-lib')
    const read = await readFile(path.join(folder, opened.file))
    const document = await PDFDocument.load(withKeywords(read), { updateMetadata: false })
    const bytes = await document.save({ addDefaultPage: false, updateFieldAppearances: false })
    await writeFile(path.join(folder, file), bytes)
  } catch (error) {
    if (error instanceof Error && isOutOfMemory(error.message)) throw error
    throw refusalFor('pdf_damaged', { cause: error })
  }
  return { ...opened, file, repaired: true }
}

/** The document with a version and the ends of its streams, without which pdf-lib reads nothing. */
function withKeywords(bytes: Buffer): Buffer {
  const head = bytes.toString('latin1', 0, HEADER_BYTES)
  const headed = /%PDF-\d\.\d/.test(head) ? bytes : Buffer.concat([HEADER, bytes])
  if (headed.includes('endstream')) return headed
  const text = headed.toString('latin1')
  return Buffer.from(text.replace(/(\sstream\s[^]*?)(\s+endobj)/g, '$1\nendstream$2'), 'latin1')
}

const HEADER_BYTES = 1024
const HEADER = Buffer.from('%PDF-1.7\n')
/** Where a header is looked for that something else precedes. */
const SEARCHED_BYTES = 1024 ** 2

/**
 * Finds the beginning of the document, and writes a copy that begins there if it is missing or
 * far behind something else, like the headers of a server's answer.
 * @throws `Refusal` `not_a_pdf`
 */
async function findBeginning(
  folder: string,
  file: string,
): Promise<{ file: string; linearized: boolean }> {
  const from = path.join(folder, file)
  const text = await readStart(from)
  const at = text.indexOf('%PDF-')
  const linearized = text.slice(0, HEADER_BYTES).includes('/Linearized')
  if (at >= 0 && at < HEADER_BYTES) return { file, linearized }
  if (at < 0 && !/^\s*(%[^\r\n]*\s+)?\d+ \d+ obj\b/.test(text)) throw refusalFor('not_a_pdf')
  const begun = `begun-${file}`
  const to = createWriteStream(path.join(folder, begun))
  if (at < 0) to.write(HEADER)
  await pipeline(createReadStream(from, { start: Math.max(at, 0) }), to)
  return { file: begun, linearized: false }
}

async function readStart(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SEARCHED_BYTES), 0, SEARCHED_BYTES, 0) // oxfmt-ignore
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function hasText(file: string, text: string): Promise<boolean> {
  let last = ''
  for await (const chunk of createReadStream(file, { encoding: 'latin1' })) {
    const seen = last + (chunk as string)
    if (seen.includes(text)) return true
    last = seen.slice(-text.length)
  }
  return false
}
