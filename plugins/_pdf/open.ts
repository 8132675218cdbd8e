// Opens a document: rejects other file types, decrypts it, and repairs it if it is damaged, or
// refuses it with the reason.
import { createReadStream } from 'node:fs'
import { open, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Refusal, isOutOfMemory, sayPlain } from '../sandbox.ts'
import { writeChanges } from './changes.ts'
import { idOf, isDictionary, isReference, readObjects, type Dictionary } from './objects.ts'
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
  file: string,
  password = '',
): Promise<OpenedDocument> {
  const linearized = await readBeginning(path.join(folder, file))
  const opened = {
    file,
    password,
    linearized,
    protection: null,
    repaired: false,
    signed: await hasText(path.join(folder, file), '/ByteRange'),
  }
  const asked = await callQpdf(folder, [`--password=${password}`, ...FINDING, `${HERE}/${file}`])
  if (isWrongPassword(asked))
    throw password === ''
      ? refusalFor('pdf_encrypted')
      : new Refusal('pdf_encrypted', WRONG_PASSWORD)
  if (!hasPages(asked)) return rebuildDocument(folder, opened)
  return asked.output.includes('File is not encrypted') ? opened : decryptDocument(folder, opened)
}

/** Opens a document whose every part and stream can be read. Throws as `openDocument` does. */
export async function openSound(
  folder: string,
  file: string,
  password?: string,
): Promise<OpenedDocument> {
  const opened = await openDocument(folder, file, password)
  return withRepair(folder, opened, async (sound) => {
    await checkDocument(folder, sound.file)
    return sound
  })
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
    return work(await repairDocument(folder, opened))
  }
}

/** Reads a document completely and decodes each stream. Throws `Refusal` `pdf_damaged`. */
export async function checkDocument(folder: string, file: string, password = ''): Promise<void> {
  const { code, words } = await callQpdf(folder, [
    `--password=${password}`,
    '--check',
    `${HERE}/${file}`,
  ])
  if (code !== 0) throw refusalFor('pdf_damaged', { cause: new Error(words.slice(-1000)) })
}

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
  const protection = [
    '--allow-weak-crypto',
    `--copy-encryption=${HERE}/${file}`,
    `--encryption-file-password=${password}`,
  ]
  return { ...opened, file: plain, protection }
}

/** The arguments that ask whether a document is encrypted, and how many pages it declares. */
const FINDING = ['--show-encryption', '--show-npages']
const hasPages = ({ code, output }: QpdfResult) => code !== 2 && /^[1-9]\d*\s*$/m.test(output)

/** Returns another file that can be processed. Throws `Refusal` `pdf_damaged`. */
const repairDocument = async (folder: string, opened: OpenedDocument): Promise<OpenedDocument> =>
  (await rewriteDocument(folder, opened)) ?? rebuildDocument(folder, opened)

/**
 * Repairs what qpdf only warns about: pages that are in the tree twice, a catalog without its type.
 */
async function rewriteDocument(
  folder: string,
  opened: OpenedDocument,
): Promise<OpenedDocument | null> {
  const file = `rewritten-${opened.file}`
  try {
    const changes = await writeChanges(folder, await catalogChange(folder, opened))
    await runQpdf(folder, [`${HERE}/${opened.file}`, ...changes, `${HERE}/${file}`])
    await checkDocument(folder, file)
    return { ...opened, file, repaired: true }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'pdf_damaged') return null
    throw error
  }
}

async function catalogChange(
  folder: string,
  opened: OpenedDocument,
): Promise<Record<string, { value: Dictionary }>> {
  const { values } = await readObjects(folder, opened, ['trailer'])
  const trailer = values.get('trailer')
  const root = isDictionary(trailer) ? trailer['/Root'] : undefined
  if (!isReference(root)) return {}
  const catalog = (await readObjects(folder, opened, [idOf(root)])).values.get(root)
  if (!isDictionary(catalog) || catalog['/Type'] === '/Catalog') return {}
  return { [`obj:${root}`]: { value: { ...catalog, '/Type': '/Catalog' } } }
}

/**
 * This qpdf cannot rebuild a table of objects. pdf-lib reads a document from its beginning and
 * needs no table.
 */
async function rebuildDocument(folder: string, opened: OpenedDocument): Promise<OpenedDocument> {
  const file = `repaired-${opened.file}`
  try {
    const { PDFDocument } = await import('pdf-lib')
    const document = await PDFDocument.load(await readFile(path.join(folder, opened.file)), {
      updateMetadata: false,
    })
    const bytes = await document.save({ addDefaultPage: false, updateFieldAppearances: false })
    await writeFile(path.join(folder, file), bytes)
  } catch (error) {
    if (error instanceof Error && isOutOfMemory(error.message)) throw error
    throw refusalFor('pdf_damaged', { cause: error })
  }
  if (!hasPages(await callQpdf(folder, [...FINDING, `${HERE}/${file}`])))
    throw refusalFor('pdf_damaged')
  return { ...opened, file, repaired: true }
}

const HEADER_BYTES = 1024

/** Returns whether the document is linearized. Throws `Refusal` `not_a_pdf`. */
async function readBeginning(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
    const beginning = buffer.toString('latin1', 0, bytesRead)
    if (!beginning.includes('%PDF-')) throw refusalFor('not_a_pdf')
    return beginning.includes('/Linearized')
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
