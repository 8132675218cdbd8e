// Previews of files: small pictures for the merchant's lists and for buyers' pages, made in the
// sandbox when they are first asked for, and kept with the bytes that they show.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { PortError, type Sandbox } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { locateFile, type LocatedFile } from '../../files/list.ts'
import { copyOut, type StoredBytes } from '../../ports/item-bytes.ts'
import { findFfmpeg, takeFrame } from '../../ports/children/ffmpeg.ts'
import { withWorkFolder } from '../../ports/children/work-folder.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { present } from '../../core/lazy.ts'
import { createSemaphore, type Semaphore } from '../../core/semaphore.ts'
import { createTtlCache } from '../../core/ttl-cache.ts'
import { previewKind, type PreviewKind } from '../../files/preview-kinds.ts'

export interface PreviewParts extends StoredBytes {
  sandboxOf: (shop: number) => Sandbox
  /** The program; null: it is not installed, and videos have no previews. */
  ffmpeg: string | null
  log: Logger
}

/** A WebP image of at most 160 pixels, with the hash of the bytes that it shows. */
export interface PreviewImage {
  image: Buffer
  hash: string
}

/** More requests than this do not wait: the page shows the icon, and asks again another time. */
const MAX_WAITING = 50
/** After a failure that may pass, such as a location that does not answer. */
const RETRY_MS = 10 * 60 * 1000

const SCRIPT = new URL('./preview-child.ts', import.meta.url)
const LIMITS = {
  memoryBytes: 1024 ** 3,
  fileBytes: 64 * 1024 ** 2,
  wallMs: 10_000,
  parallel: 2,
  uses: 300,
  idleMs: 10_000,
}

/**
 * How long a request waits for its picture. A browser has six connections to a host: longer waits
 * for the pictures of a list would delay everything else on the page.
 */
const WAIT_MS = 300

/**
 * `pending`: it is being made. Null: the file has no preview image, or too many are being made.
 * @param waitMs how long it waits for a picture that is being made
 */
export type ReadPreview = (
  scope: ShopScope,
  id: string,
  waitMs?: number,
) => Promise<PreviewImage | 'pending' | null>

export async function openPreviews(parts: Omit<PreviewParts, 'ffmpeg'>): Promise<ReadPreview> {
  const ffmpeg = await findFfmpeg()
  if (ffmpeg === null) parts.log.info('ffmpeg is not installed: videos have no previews')
  return createPreviews({ ...parts, ffmpeg })
}

function createPreviews(parts: PreviewParts): ReadPreview {
  const running = new Map<string, Promise<Buffer | null>>()
  const failed = createTtlCache<true>(RETRY_MS)
  // Copies of videos take much of the disk, and each ffmpeg a processor.
  const places = createSemaphore(LIMITS.parallel)
  return async (scope, id, waitMs = WAIT_MS) => {
    const file = await locateFile(scope, id)
    const kind = file && previewKind(file.content_type, file.size_bytes)
    if (!file || !kind) return null
    const { hash } = file
    const [kept] = await scope.query<{ image: Buffer | null }>(
      `select image from preview_images where shop_id = :shop and hash = decode(:hash, 'hex')`,
      { hash },
    )
    if (kept) return kept.image && { image: kept.image, hash }
    const key = `${scope.shop}/${hash}`
    const known = running.get(key)
    const busy = !known && running.size >= MAX_WAITING
    if (busy || failed.get(key) || (kind === 'video' && parts.ffmpeg === null)) return null
    const making =
      known ??
      inTurn(places, () => makeKept(parts, scope, file, kind))
        .catch((error: unknown) => {
          failed.set(key, true)
          parts.log.warn('a preview could not be made', {
            shop: scope.shop,
            hash,
            ...errorFields(error),
          })
          return null
        })
        .finally(() => running.delete(key))
    running.set(key, making)
    const image = await Promise.race([making, after(waitMs, 'pending' as const)])
    return image === 'pending' ? image : image && { image, hash }
  }
}

/** Is the file a video, and only the program missing that takes its frame? */
export async function lacksFfmpeg(scope: ShopScope, id: string): Promise<boolean> {
  const file = await locateFile(scope, id)
  const kind = file && previewKind(file.content_type, file.size_bytes)
  return kind === 'video' && (await findFfmpeg()) === null
}

async function inTurn<T>(places: Semaphore, work: () => Promise<T>): Promise<T> {
  const release = await places.acquire()
  try {
    return await work()
  } finally {
    release()
  }
}

const after = <Value>(ms: number, value: Value): Promise<Value> => delay(ms, value, { ref: false })

/** Also keeps that none can be made, so that it is not tried with each list. */
async function makeKept(
  parts: PreviewParts,
  scope: ShopScope,
  file: LocatedFile,
  kind: PreviewKind,
): Promise<Buffer | null> {
  const image = await make(parts, scope, file, kind).catch((error: unknown) => {
    const isFinal = error instanceof PortError && !error.retryable
    // Damaged bytes may be restored.
    if (isFinal && error.code !== 'file_damaged') return null
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
  { stores, check, sandboxOf, ffmpeg }: PreviewParts,
  scope: ShopScope,
  file: LocatedFile,
  kind: PreviewKind,
): Promise<Buffer> =>
  withWorkFolder(async (folder) => {
    const { signal } = new AbortController()
    const [from, to] = [path.join(folder, 'file'), path.join(folder, 'preview')]
    await copyOut(scope, { stores, check }, file, from, signal)
    const picture = kind === 'video' ? path.join(folder, 'frame.png') : from
    if (kind === 'video') await takeFrame(present(ffmpeg, 'ffmpeg'), from, picture, signal)
    const input = { kind: kind === 'video' ? 'image' : kind, from: picture, to }
    const call = { input, answer: z.literal(true), limits: LIMITS, signal }
    await sandboxOf(scope.shop).run(SCRIPT, call)
    return readFile(to)
  })
