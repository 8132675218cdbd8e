// The documents port on a real disk, with real child processes, for tests of document actions.
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createDocuments, type Documents } from '../plugins/_pdf/documents.ts'
import type { SplitOptions, WatermarkOptions } from '../plugins/_pdf/tasks.ts'
import type { Item, StagedBlob, Warning } from '../plugins/contract/index.ts'
import { createDiskStore } from '../server/core/store/disk.ts'
import { documentItem } from './documents.ts'
import { createTestEngine, type TestEngine } from './engine.ts'

const never = new AbortController().signal
const OPTIMIZED = { max_px: 2000, quality: 75, linearize: true }

interface Made {
  document: Buffer
  warnings: readonly Warning[]
}

export interface DocumentHouse {
  engine: TestEngine
  documents: Documents
  optimize(
    bytes: Uint8Array,
    wanted?: Partial<typeof OPTIMIZED> & { password?: string },
  ): Promise<Made | { unchanged: string }>
  /** The same with a document that can be compressed. */
  smaller(
    bytes: Uint8Array,
    wanted?: Partial<typeof OPTIMIZED> & { password?: string },
  ): Promise<Buffer>
  watermark(
    bytes: Uint8Array,
    wanted?: Partial<WatermarkOptions> & { password?: string },
  ): Promise<Made>
  split(
    bytes: Uint8Array,
    wanted: SplitOptions & { password?: string },
  ): Promise<{ parts: { document: Buffer; pages: string }[]; warnings: readonly Warning[] }>
  merge(documents: readonly Uint8Array[], password?: string): Promise<Made>
  item(bytes: Uint8Array, name?: string): Promise<Item>
  stored(blob: StagedBlob): Promise<Buffer>
  close(): Promise<void>
}

export async function openDocumentHouse(): Promise<DocumentHouse> {
  const engine = await createTestEngine([], [])
  const { bytes, sandbox, stage } = await engine.parts.ports(engine.scope)
  const documents = createDocuments({ bytes, sandbox })
  const store = createDiskStore({ folder: path.join(engine.folder, 'primary') })
  const item = (bytes: Uint8Array, name = 'a.pdf') => documentItem({ stage }, name, bytes)
  const stored = async ({ hash }: StagedBlob) => buffer(await store.read(engine.shop, hash))
  const optimize: DocumentHouse['optimize'] = async (bytes, wanted = {}) => {
    const result = await documents.optimize(await item(bytes), { ...OPTIMIZED, ...wanted }, never)
    return 'unchanged' in result
      ? result
      : { document: await stored(result.bytes), warnings: result.warnings }
  }
  return {
    engine,
    documents,
    item,
    stored,
    optimize,
    smaller: async (bytes, wanted) => {
      const result = await optimize(bytes, wanted)
      if ('unchanged' in result) throw new Error(result.unchanged)
      return result.document
    },
    watermark: async (bytes, wanted = {}) => {
      const mark = wanted.picture === undefined ? { text: 'SAMPLE' } : {}
      const options = { ...mark, position: 'diagonal' as const, opacity: 0.5, ...wanted }
      const made = await documents.watermark(await item(bytes), options, never)
      return { document: await stored(made.bytes), warnings: made.warnings }
    },
    split: async (bytes, wanted) => {
      const { parts, warnings } = await documents.split(await item(bytes), wanted, never)
      const read = parts.map(async (part) => ({
        document: await stored(part.bytes),
        pages: part.pages,
      }))
      return { parts: await Promise.all(read), warnings }
    },
    merge: async (given, password) => {
      const items = await Promise.all(given.map((bytes, at) => item(bytes, `${at + 1}.pdf`)))
      const made = await documents.merge(items, password === undefined ? {} : { password }, never)
      return { document: await stored(made.bytes), warnings: made.warnings }
    },
    close: engine.close,
  }
}
