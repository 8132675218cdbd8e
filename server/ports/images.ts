// Pictures for plugins: the bytes come from their storage location and go back there as a stream, and are opened only in a child
// with limits, which serves one shop alone.
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { Images } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import type { BlobStore } from '../store/store.ts'
import { createChildPool, type ChildPool } from './children/child-pool.ts'
import { withWorkFolder } from './children/work-folder.ts'
import { copyOut, locateItem, portError } from './item-bytes.ts'
import { stageBytes, type Place } from './stage.ts'

const MEMORY_BYTES = 1024 ** 3
const IMAGE_MS = 20_000
// Uncompressed, 100 million pixels of three bytes.
const MAX_SOURCE_BYTES = 300_000_000
// As much as a picture without any packing could have.
const MAX_RESULT_BYTES = 1024 ** 3
// sharp's memory climbs from image to image, to some 220 MB.
const USES = 300
// Starting one takes as long as an image: it waits for the next operation.
const IDLE_MS = 30_000

const EXTENSIONS = { jpeg: 'jpg', png: 'png', gif: 'gif', webp: 'webp', tiff: 'tiff', avif: 'avif' } as const
const answerSchema = z.union([
  z.object({ unchanged: z.string() }),
  z.object({ format: z.literal(Object.keys(EXTENSIONS) as (keyof typeof EXTENSIONS)[]) }),
])

/** For all shops of this process. `atOnce`: images that are worked on at the same time, each with one processor. */
export const createImageChildren = (atOnce: number): ChildPool =>
  createChildPool({
    script: new URL('./images/image-child.ts', import.meta.url),
    memoryBytes: MEMORY_BYTES,
    fileBytes: MAX_RESULT_BYTES,
    atOnce,
    uses: USES,
    idleMs: IDLE_MS,
  })

/** `place`: where new bytes go. */
export function createImages(parts: {
  scope: ShopScope
  stores: ReadonlyMap<string, BlobStore>
  place: Place
  children: ChildPool
}): Images {
  const { scope, stores, place, children } = parts
  return {
    optimize: async (item, wanted, signal) => {
      const source = await locateItem(scope, item)
      if (source.size_bytes > MAX_SOURCE_BYTES) throw portError('image_too_large')
      return withWorkFolder(async (folder) => {
        const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')]
        await copyOut(scope, stores, source, from, signal)
        const input = { from, to, task: wanted }
        const answer = await children.ask(scope.shop, { input, answer: answerSchema, wallMs: IMAGE_MS, signal })
        if ('unchanged' in answer) return answer
        const extension = EXTENSIONS[answer.format]
        const bytes = await stageBytes(place, createReadStream(to), `image/${answer.format}`, signal)
        return { bytes, extension, from_bytes: source.size_bytes }
      })
    },
  }
}
