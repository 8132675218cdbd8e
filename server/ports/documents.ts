// Documents for plugins: the bytes come from their storage location and go back there as a stream, and are opened only in a child with
// limits, which serves one shop alone, and not for long.
import { createReadStream } from 'node:fs'
import path from 'node:path'
import type { z } from 'zod'
import {
  extensionOf,
  PortError,
  type Documents,
  type Item,
  type StagedBlob,
  type WatermarkWanted,
} from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import type { ErrorCode } from '../errors.ts'
import { locateFile } from '../files/list.ts'
import type { BlobStore } from '../store/store.ts'
import { createChildPool, type ChildPool } from './children/child-pool.ts'
import { withinBytes, withWorkFolder } from './children/work-folder.ts'
import { ANSWERS, type DocumentTask } from './documents/tasks.ts'
import { copyOut, locateItem, portError } from './item-bytes.ts'
import { stageBytes, type Place } from './stage.ts'

const MEMORY_BYTES = 1024 ** 3
const DOCUMENT_MS = 60_000
// What a document that is merged with others adds to that.
const MERGED_MS = 2_000
const MOST_BYTES = 1024 ** 3
// What may lie in its folder while it is worked on: some rooms of its own size, and what its parts share many times over.
const FOLDER = { least: 2 * 1024 ** 3, times: 4 }
// Starting a child costs as much as a small document does.
const USES = 20
const IDLE_MS = 2_000
const MOST_FILE_BYTES = 2 * 1024 ** 3
const MOST_PICTURE_BYTES = 50 * 1024 ** 2
/** Those that the child opens. */
const PICTURES = ['png', 'jpg', 'jpeg', 'webp', 'gif', 'tif', 'tiff', 'avif']
const MOST_MERGED = 500
const TYPE = 'application/pdf'

/** For all shops of this process. `atOnce`: documents that are worked on at the same time. */
export const createDocumentChildren = (atOnce: number): ChildPool =>
  createChildPool({
    script: new URL('./documents/child.ts', import.meta.url),
    memoryBytes: MEMORY_BYTES,
    fileBytes: MOST_FILE_BYTES,
    atOnce,
    uses: USES,
    idleMs: IDLE_MS,
  })

export interface DocumentParts {
  scope: ShopScope
  stores: ReadonlyMap<string, BlobStore>
  /** Where new bytes go. */
  place: Place
  children: ChildPool
  /** How long one document may take. */
  wallMs?: number
  /** What may be written of one small document. */
  folderBytes?: number
}

export function createDocuments(parts: DocumentParts): Documents {
  return {
    optimize: (item, wanted, signal) =>
      withDocument(parts, item, signal, async (work) => {
        const answer = await work.ask({ do: 'optimize', ...wanted }, ANSWERS.optimize)
        if ('unchanged' in answer) return answer
        return { bytes: await work.staged('out.pdf'), from_bytes: work.bytes, warnings: answer.warnings }
      }),
    watermark: (item, { password, ...wanted }, signal) =>
      withDocument(parts, item, signal, async (work) => {
        if (wanted.picture !== undefined) await bringPicture(parts, wanted.picture, work.folder, signal)
        const { warnings } = await work.ask({ do: 'watermark', wanted, ...secret(password) }, ANSWERS.watermark)
        return { bytes: await work.staged('out.pdf'), warnings }
      }),
    split: (item, { password, ...wanted }, signal) =>
      withDocument(parts, item, signal, async (work) => {
        const answer = await work.ask({ do: 'split', wanted, ...secret(password) }, ANSWERS.split)
        const files = answer.parts.map(({ file }) => file)
        // Thousands of parts are more than one child has time for.
        for (let { checked } = answer; checked < files.length;) {
          const rest = { do: 'check', files: files.slice(checked), ...secret(password) } as const
          checked += (await work.ask(rest, ANSWERS.check)).checked
        }
        const staged: { bytes: StagedBlob; pages: string }[] = []
        for (const { file, pages } of answer.parts) staged.push({ bytes: await work.staged(file), pages })
        return { parts: staged, warnings: answer.warnings }
      }),
    merge: (items, { password }, signal) => merge(parts, items, password, signal),
  }
}

const secret = (password: string | undefined) => (password === undefined ? {} : { password })

/** A folder in which a child works, and what comes of it. */
interface Work {
  folder: string
  /** Of all that was brought into it. */
  bytes: number
  ask<Answer>(task: Unplaced<DocumentTask>, answer: z.ZodType<Answer>): Promise<Answer>
  /** A file of the folder, in the shop's storage location. */
  staged(file: string): Promise<StagedBlob>
}
type Unplaced<T> = T extends DocumentTask ? Omit<T, 'folder'> : never

const withDocument = <T>(parts: DocumentParts, item: Item, signal: AbortSignal, use: (work: Work) => Promise<T>) =>
  withDocuments(parts, [[item, 'in.pdf']], signal, use)

function withDocuments<T>(
  parts: DocumentParts,
  named: readonly (readonly [Item, string])[],
  signal: AbortSignal,
  use: (work: Work) => Promise<T>,
): Promise<T> {
  const { scope, stores, place, children, wallMs = DOCUMENT_MS, folderBytes = FOLDER.least } = parts
  const time = wallMs + (named.length - 1) * MERGED_MS
  return withWorkFolder(async (folder) => {
    let bytes = 0
    for (const [item, name] of named) {
      signal.throwIfAborted()
      const located = await locateItem(scope, item).catch((error: unknown) => {
        throw named.length > 1 ? withName(item, error) : error
      })
      bytes += located.size_bytes
      if (bytes > MOST_BYTES) throw tooLarge(named.length)
      await copyOut(scope, stores, located, path.join(folder, name), signal)
    }
    return use({
      folder,
      bytes,
      ask: (task, answer) =>
        withinBytes(folder, folderBytes + bytes * FOLDER.times, tooMuch(), (full) => {
          const stop = AbortSignal.any([signal, full])
          return children.ask(scope.shop, { input: { ...task, folder }, answer, wallMs: time, signal: stop })
        }),
      staged: (file) => stageBytes(place, createReadStream(path.join(folder, file)), TYPE, signal),
    })
  })
}

const tooLarge = (documents: number) =>
  documents === 1
    ? portError('document_too_large')
    : portError('document_too_large', false, 'The documents are too large together: they may have 1 GB')
const tooMuch = () => portError('document_too_large', false, 'What would be made of this document is too large')

async function bringPicture(
  { scope, stores }: DocumentParts,
  picture: NonNullable<WatermarkWanted['picture']>,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const located = await locateFile(scope, picture)
  if (!located) throw portError('file_not_found', false, 'The picture for the watermark is not there (any more)')
  if (!PICTURES.includes(extensionOf(located.filename)))
    throw portError('not_an_image', false, `“${located.filename}” cannot be the watermark: choose a PNG, JPEG, WebP, GIF, TIFF or AVIF`) // prettier-ignore
  if (located.size_bytes > MOST_PICTURE_BYTES)
    throw portError('image_too_large', false, 'The picture for the watermark is too large: it may have 50 MB')
  await copyOut(scope, stores, located, path.join(folder, 'picture'), signal)
}

async function merge(parts: DocumentParts, items: readonly Item[], password: string | undefined, signal: AbortSignal) {
  if (items.length > MOST_MERGED)
    throw portError('too_many', false, `At most ${MOST_MERGED} documents are made one: these are ${items.length}`)
  const named = items.map((item, at) => [item, `in-${at}.pdf`] as const)
  return withDocuments(parts, named, signal, async (work) => {
    const answer = await work.ask({ do: 'merge', documents: items.length, ...secret(password) }, ANSWERS.merge)
    if ('bad' in answer) throw withName(items[answer.bad]!, portError(answer.code as ErrorCode, false, answer.message))
    return { bytes: await work.staged('out.pdf'), warnings: answer.warnings }
  })
}

/** Of several documents, which. */
const withName = ({ file }: Item, error: unknown): unknown =>
  error instanceof PortError
    ? new PortError(error.code, `${file.filename}: ${error.message}`, error.retryable, { cause: error })
    : error
