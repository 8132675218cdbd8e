// Preview images of files for the merchant's lists: made in the sandbox when they are first asked
// for, and kept with the bytes that they show.
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { PortError, type Sandbox } from '../../../plugins/contract.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { BlobStore } from '../../core/store/store.ts'
import { locateFile, type LocatedFile } from '../../files/list.ts'
import { withWorkFolder } from '../../ports/children/work-folder.ts'

export interface PreviewParts {
  stores: ReadonlyMap<string, BlobStore>
  sandboxOf: (shop: number) => Sandbox
}

/** A WebP image of at most 160 pixels, with the hash of the bytes that it shows. */
export interface PreviewImage {
  image: Buffer
  hash: string
}

const TYPES = /^image\/(jpeg|png|gif|webp|avif|tiff|heif|heic)$/
const MAX_SOURCE_BYTES = 50 * 1024 ** 2
/** More requests than this do not wait: the page shows the icon, and asks again another time. */
const MAX_WAITING = 50

const SCRIPT = new URL('./preview-child.ts', import.meta.url)
const LIMITS = {
  memoryBytes: 1024 ** 3,
  fileBytes: 64 * 1024 ** 2,
  wallMs: 10_000,
  parallel: 2,
  uses: 300,
  idleMs: 10_000,
}

/** Null: the file has no preview image, or too many are being made. */
export type ReadPreview = (scope: ShopScope, id: string) => Promise<PreviewImage | null>

export function createPreviews(parts: PreviewParts): ReadPreview {
  const running = new Map<string, Promise<Buffer | null>>()
  return async (scope, id) => {
    const file = await locateFile(scope, id)
    if (!file || !hasPreview(file)) return null
    const { hash } = file
    const [kept] = await scope.query<{ image: Buffer | null }>(
      `select image from preview_images where shop_id = :shop and hash = decode(:hash, 'hex')`,
      { hash },
    )
    if (kept) return kept.image && { image: kept.image, hash }
    const key = `${scope.shop}/${hash}`
    const known = running.get(key)
    if (!known && running.size >= MAX_WAITING) return null
    const making = known ?? makeKept(parts, scope, file).finally(() => running.delete(key))
    running.set(key, making)
    const image = await making
    return image && { image, hash }
  }
}

const hasPreview = ({ content_type, size_bytes }: LocatedFile): boolean =>
  TYPES.test(content_type.toLowerCase()) && size_bytes <= MAX_SOURCE_BYTES

/** Also keeps that an image cannot be opened, so that it is not tried with each list. */
async function makeKept(
  parts: PreviewParts,
  scope: ShopScope,
  file: LocatedFile,
): Promise<Buffer | null> {
  const image = await make(parts, scope.shop, file).catch((error: unknown) => {
    if (error instanceof PortError && !error.retryable) return null
    throw error
  })
  await scope.query(
    `insert into preview_images (shop_id, hash, image)
     select shop_id, hash, :image from blobs where shop_id = :shop and hash = decode(:hash, 'hex')
     on conflict (shop_id, hash) do nothing`,
    { hash: file.hash, image },
  )
  return image
}

const make = (
  { stores, sandboxOf }: PreviewParts,
  shop: number,
  { hash, location }: LocatedFile,
): Promise<Buffer | null> =>
  withWorkFolder(async (folder) => {
    const store = stores.get(location)
    if (!store) return null
    const [from, to] = [path.join(folder, 'image'), path.join(folder, 'preview')]
    await pipeline(await store.read(shop, hash), createWriteStream(from))
    const { signal } = new AbortController()
    const call = { input: { from, to }, answer: z.literal(true), limits: LIMITS, signal }
    await sandboxOf(shop).run(SCRIPT, call)
    return readFile(to)
  })
