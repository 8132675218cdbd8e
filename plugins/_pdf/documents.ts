// Documents through the sandbox: their bytes are copied into a private folder and opened only in
// the child process. The results are staged.
import type { z } from 'zod'
import {
  extensionOf,
  onOneLine,
  PortError,
  type Bytes,
  type Item,
  type Sandbox,
  type StagedBlob,
  type Warning,
  type WorkFolder,
  say,
  textOf,
  type Text,
  type AnyText,
  sayPlain,
} from '../contract/index.ts'
import { ANSWERS, type DocumentTask, type SplitOptions, type WatermarkOptions } from './tasks.ts'

export const SCRIPT = new URL('./child.ts', import.meta.url)
export const LIMITS = {
  memoryBytes: 1024 ** 3,
  fileBytes: 2 * 1024 ** 3,
  wallMs: 60_000,
  parallel: 2,
  // Starting a child costs as much as a small document does.
  uses: 20,
  idleMs: 2_000,
}
// Additional time for each merged document.
const MERGED_MS = 2_000
const MAX_BYTES = 1024 ** 3
// Limits of the work folder: a multiple of the document's size, because each part may contain all
// shared objects.
const FOLDER = { minBytes: 2 * 1024 ** 3, factor: 4 }
const MAX_PICTURE_BYTES = 50 * 1024 ** 2
/** The documents that the child opens. */
const PICTURES = ['png', 'jpg', 'jpeg', 'webp', 'gif', 'tif', 'tiff', 'avif']
/** All are in one work folder at the same time. */
export const MAX_MERGED = 500
const TYPE = 'application/pdf'

/**
 * PDF documents, opened in a process with limits. `password` opens an encrypted one. All functions
 * throw `PortError`.
 */
export interface Documents {
  /**
   * Reduces pictures, compresses streams and linearizes the document. Returns the new bytes, or why
   * it stays unchanged.
   */
  optimize(
    item: Item,
    wanted: { max_px: number; quality: number; linearize: boolean; password?: string },
    signal: AbortSignal,
  ): Promise<
    { bytes: StagedBlob; from_bytes: number; warnings: readonly Warning[] } | { unchanged: string }
  >
  watermark(
    item: Item,
    wanted: WatermarkOptions & { password?: string },
    signal: AbortSignal,
  ): Promise<{ bytes: StagedBlob; warnings: readonly Warning[] }>
  /** Splits the document. Returns the parts in order, each with its pages as `1-3`. */
  split(
    item: Item,
    wanted: SplitOptions & { password?: string },
    signal: AbortSignal,
  ): Promise<{
    parts: readonly { bytes: StagedBlob; pages: string }[]
    warnings: readonly Warning[]
  }>
  /** Merges the documents into one, in their order. */
  merge(
    items: readonly Item[],
    wanted: { password?: string },
    signal: AbortSignal,
  ): Promise<{ bytes: StagedBlob; warnings: readonly Warning[] }>
}

export interface DocumentPorts {
  bytes: Bytes
  sandbox: Sandbox
  /** The limit of what may be written for one small document. */
  folderBytes?: number
}

export function createDocuments(ports: DocumentPorts): Documents {
  return {
    optimize: (item, wanted, signal) =>
      withDocument(ports, item, signal, async (work) => {
        const answer = await work.ask({ do: 'optimize', ...wanted }, ANSWERS.optimize)
        if ('unchanged' in answer) return answer
        return {
          bytes: await work.staged('out.pdf'),
          from_bytes: work.bytes,
          warnings: answer.warnings,
        }
      }),
    watermark: (item, { password, ...given }, signal) =>
      withDocument(ports, item, signal, async (work) => {
        const { text } = given
        const wanted = { ...given, ...(text === undefined ? {} : { text: onOneLine(text) }) }
        if (wanted.picture !== undefined) await copyPicture(ports, wanted.picture, work.folder)
        const { warnings } = await work.ask(
          { do: 'watermark', wanted, ...withPassword(password) },
          ANSWERS.watermark,
        )
        return { bytes: await work.staged('out.pdf'), warnings }
      }),
    split: (item, { password, ...wanted }, signal) =>
      withDocument(ports, item, signal, async (work) => {
        const answer = await work.ask(
          { do: 'split', wanted, ...withPassword(password) },
          ANSWERS.split,
        )
        const files = answer.parts.map(({ file }) => file)
        // Finishing thousands of parts exceeds one child's time limit: continue in further children.
        for (let { checked } = answer; checked < files.length;) {
          const rest = {
            do: 'check',
            files: files.slice(checked),
            ...withPassword(password),
          } as const
          checked += (await work.ask(rest, ANSWERS.check)).checked
        }
        const staged: { bytes: StagedBlob; pages: string }[] = []
        for (const { file, pages } of answer.parts)
          staged.push({ bytes: await work.staged(file), pages })
        return { parts: staged, warnings: answer.warnings }
      }),
    merge: (items, { password }, signal) => merge(ports, items, password, signal),
  }
}

const withPassword = (password: string | undefined) => (password === undefined ? {} : { password })

/** A folder in which a child works, and its results. */
interface Work {
  folder: WorkFolder
  /** The bytes of all copied documents. */
  bytes: number
  ask<Answer>(task: TaskInput<DocumentTask>, answer: z.ZodType<Answer>): Promise<Answer>
  /** A file of the folder, in the shop's storage location. */
  staged(file: string): Promise<StagedBlob>
}
type TaskInput<T> = T extends DocumentTask ? Omit<T, 'folder'> : never

const withDocument = <T>(
  ports: DocumentPorts,
  item: Item,
  signal: AbortSignal,
  use: (work: Work) => Promise<T>,
) => withDocuments(ports, [[item, 'in.pdf']], signal, use)

function withDocuments<T>(
  { bytes: port, sandbox, folderBytes = FOLDER.minBytes }: DocumentPorts,
  named: readonly (readonly [Item, string])[],
  signal: AbortSignal,
  use: (work: Work) => Promise<T>,
): Promise<T> {
  const limits = { ...LIMITS, wallMs: LIMITS.wallMs + (named.length - 1) * MERGED_MS }
  return port.withFolder(async (folder) => {
    let bytes = 0
    for (const [item] of named) {
      bytes += await port.sizeOf(item).catch((error: unknown) => {
        throw named.length > 1 ? withName(item, error) : error
      })
      if (bytes > MAX_BYTES) throw tooLarge(named.length)
    }
    for (const [item, name] of named) {
      signal.throwIfAborted()
      await folder.bring(item, name)
    }
    const within = {
      folder: folder.path,
      bytes: folderBytes + bytes * FOLDER.factor,
      tooMuch: tooMuch(),
    }
    return use({
      folder,
      bytes,
      ask: (task, answer) =>
        sandbox.run(SCRIPT, {
          input: { ...task, folder: folder.path },
          answer,
          limits,
          signal,
          within,
        }),
      staged: (file) => folder.stage(file, TYPE),
    })
  }, signal)
}

export const tooManyText = (count: number): Text =>
  say('At most {most} documents can be merged, but the selection has {count}', {
    most: MAX_MERGED,
    count,
  })

const documentError = (code: string, message: AnyText) => new PortError(code, message, false)

const tooLarge = (documents: number) =>
  documentError(
    'document_too_large',
    documents === 1
      ? 'The document is too large to be opened: the limit is 1 GB'
      : sayPlain('The documents are too large together: the limit is 1 GB'),
  )
const tooMuch = () =>
  documentError('document_too_large', sayPlain('The result of this document would be too large'))

async function copyPicture(
  { bytes }: DocumentPorts,
  picture: string,
  folder: WorkFolder,
): Promise<void> {
  const found = await bytes.find(picture)
  if (!found)
    throw documentError('file_not_found', say('The image for the watermark no longer exists'))
  if (!PICTURES.includes(extensionOf(found.filename)))
    throw documentError(
      'not_an_image',
      say('“{name}” cannot be the watermark: choose a PNG, JPEG, WebP, GIF, TIFF or AVIF', {
        name: found.filename,
      }),
    )
  if (found.size_bytes > MAX_PICTURE_BYTES)
    throw documentError(
      'image_too_large',
      say('The image for the watermark is too large: the limit is 50 MB'),
    )
  await folder.bring({ staged: null, file: { id: picture } }, 'picture')
}

async function merge(
  ports: DocumentPorts,
  items: readonly Item[],
  password: string | undefined,
  signal: AbortSignal,
) {
  if (items.length > MAX_MERGED) throw documentError('too_many', tooManyText(items.length))
  const named = items.map((item, at) => [item, `in-${at}.pdf`] as const)
  return withDocuments(ports, named, signal, async (work) => {
    const answer = await work.ask(
      { do: 'merge', documents: items.length, ...withPassword(password) },
      ANSWERS.merge,
    )
    if ('bad' in answer) {
      const error = documentError(answer.code, answer.message)
      const bad = items[answer.bad]
      throw bad ? withName(bad, error) : error
    }
    const warnings = answer.warnings.map(({ code, message, document }): Warning => {
      const item = document === undefined ? undefined : items[document]
      return { code, message: item ? withFilename(item.file.filename, message) : message }
    })
    return { bytes: await work.staged('out.pdf'), warnings }
  })
}

const withFilename = (filename: string, message: AnyText): Text =>
  say('{filename}: {reason}', { filename, reason: textOf(message) })

/** Names the document that failed, when several are merged. */
const withName = ({ file }: Item, error: unknown): unknown =>
  error instanceof PortError
    ? new PortError(error.code, withFilename(file.filename, error.texts.message), error.retryable, {
        cause: error,
      })
    : error
