// One image through the sandbox: its bytes are copied into a private folder and opened only in the
// child process. The result is staged.
import path from 'node:path'
import { z } from 'zod'
import {
  answeredText,
  PortError,
  type AnyText,
  type Bytes,
  type Item,
  type LocalFile,
  type Sandbox,
  type StagedBlob,
} from '../contract/index.ts'

export interface ImageOptions {
  /** Limit of the longer side, in pixels. */
  max_px: number
  /** The quality, from 1 to 100. */
  quality: number
  /** The new format; `same` keeps the current one. */
  format: 'webp' | 'same'
}

export interface Images {
  /**
   * Reduces the item's bytes.
   * @returns the new bytes with the extension of their format, without a dot; or why they stay
   *   unchanged
   * @throws `PortError` if the image cannot be processed
   */
  optimize(
    item: Item,
    wanted: ImageOptions,
    signal: AbortSignal,
  ): Promise<{ bytes: StagedBlob; extension: string; from_bytes: number } | { unchanged: AnyText }>
}

// The most bytes of an original: 100 million pixels of three bytes, uncompressed.
const MAX_SOURCE_BYTES = 300_000_000
const LIMITS = {
  memoryBytes: 1024 ** 3,
  // The size of such a picture without compression.
  fileBytes: 1024 ** 3,
  wallMs: 20_000,
  // Each process uses a processor and up to 1 GB.
  parallel: 4,
  // sharp's memory grows from image to image, up to about 220 MB.
  uses: 300,
  // Starting a child takes as long as an image, so it is kept for the next operation.
  idleMs: 30_000,
}
const SCRIPT = new URL('./image-child.ts', import.meta.url)

const EXTENSIONS = {
  jpeg: 'jpg',
  png: 'png',
  gif: 'gif',
  webp: 'webp',
  tiff: 'tiff',
  avif: 'avif',
} as const
const answerSchema = z.union([
  z.object({ unchanged: answeredText }),
  z.object({ format: z.literal(Object.keys(EXTENSIONS) as (keyof typeof EXTENSIONS)[]) }),
])

export const createImages = ({ bytes, sandbox }: { bytes: Bytes; sandbox: Sandbox }): Images => ({
  optimize: async (item, wanted, signal) => {
    if ((await bytes.sizeOf(item)) > MAX_SOURCE_BYTES)
      throw new PortError('image_too_large', TOO_LARGE, false)
    const work = async ({ folder, path: from, size_bytes: from_bytes }: LocalFile) => {
      const input = { from, to: path.join(folder.path, MADE), task: wanted }
      const answer = await sandbox.run(SCRIPT, {
        input,
        answer: answerSchema,
        limits: LIMITS,
        signal,
      })
      if ('unchanged' in answer) return answer
      const made = await folder.stage(MADE, `image/${answer.format}`)
      return { bytes: made, extension: EXTENSIONS[answer.format], from_bytes }
    }
    return bytes.withFile(item, work, signal)
  },
})

const MADE = 'made'
const TOO_LARGE =
  'The image is too large to be opened: the limit is 100 million pixels over all frames, and 300 MB'
