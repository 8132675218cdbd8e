// Previews of files: small pictures for the merchant's lists and for buyers' pages, made in the
// sandbox when they are first asked for, and kept with the bytes that they show.
import path from 'node:path'
import { PortError, type Sandbox } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { locateFile, type LocatedFile } from '../../files/list.ts'
import { copyOut, type StoredBytes } from '../../ports/item-bytes.ts'
import { findFfmpeg, takeFrame } from '../../ports/children/ffmpeg.ts'
import { withWorkFolder } from '../../ports/children/work-folder.ts'
import type { Logger } from '../../core/log.ts'
import { present } from '../../core/lazy.ts'
import { previewKind, type PreviewKind } from '../../files/view-kinds.ts'
import { PictureMaker, smallPicture } from './picture-maker.ts'

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
  const maker = new PictureMaker(parts.log)
  return async (scope, id, waitMs = WAIT_MS) => {
    const file = await locateFile(scope, id)
    const kind = file && previewKind(file.content_type, file.size_bytes)
    if (!file || !kind || file.quarantine !== null) return null
    const { hash } = file
    const [kept] = await scope.query<{ image: Buffer | null }>(
      `select image from preview_images where shop_id = :shop and hash = decode(:hash, 'hex')`,
      { hash },
    )
    if (kept) return kept.image && { image: kept.image, hash }
    if (kind === 'video' && parts.ffmpeg === null) return null
    const about = { shop: scope.shop, hash }
    const image = await maker.make(`${scope.shop}/${hash}`, waitMs, about, () =>
      makeKept(parts, scope, file, kind),
    )
    return image === 'pending' ? image : image && { image, hash }
  }
}

/** Is the file a video, and only the program missing that takes its frame? */
export async function lacksFfmpeg(scope: ShopScope, id: string): Promise<boolean> {
  const file = await locateFile(scope, id)
  const kind = file && previewKind(file.content_type, file.size_bytes)
  return kind === 'video' && (await findFfmpeg()) === null
}

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
    const from = path.join(folder, 'file')
    await copyOut(scope, { stores, check }, file, from, signal)
    const picture = kind === 'video' ? path.join(folder, 'frame.png') : from
    if (kind === 'video') await takeFrame(present(ffmpeg, 'ffmpeg'), from, picture, signal)
    const source = { kind: kind === 'video' ? 'image' : kind, from: picture } as const
    return smallPicture(sandboxOf(scope.shop), source, folder, signal)
  })
