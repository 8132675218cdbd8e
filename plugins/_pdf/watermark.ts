// A mark on every page, upright as the page is seen.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Warning } from '../contract.ts'
import { claimWarnings, readClaims, type Claims } from './claims.ts'
import { writeResult } from './finish.ts'
import { writeChanges } from './changes.ts'
import { textMark } from './marks.ts'
import type { OpenedDocument } from './opened.ts'
import { readPages } from './pages.ts'
import { HERE } from './qpdf.ts'
import { stampPages } from './stamp.ts'
import type { WatermarkOptions, WatermarkTask } from './tasks.ts'

const PICTURE = 'picture'

/** Marks every page. Throws `Refusal`: `pdf_damaged`, `glyph_missing`, `image_damaged`. */
export async function watermarkDocument(
  opened: OpenedDocument,
  task: WatermarkTask,
): Promise<{ warnings: Warning[] }> {
  const { folder, wanted } = task
  const pages = await readPages(folder, opened)
  const mark = await (wanted.picture === undefined
    ? textMark(wanted)
    : readPicture(path.join(folder, PICTURE)))
  const claims = await readClaims(folder, opened)
  const lost = breaksClaims(claims, wanted)
  const changes = {
    ...(await stampPages(folder, opened, pages, mark, wanted)),
    ...(lost ? claims.removal : {}),
  }
  await writeResult(folder, opened, [
    `${HERE}/${opened.file}`,
    ...(await writeChanges(folder, changes, true)),
    ...(opened.linearized ? ['--linearize'] : []),
  ])
  return { warnings: lost ? claimWarnings(claims) : [] }
}

/**
 * Whether a page with the mark violates what the document claims to follow. A text is grey, which a
 * profile must define; a picture has colours that it may not define.
 */
const breaksClaims = ({ isOld, hasProfile }: Claims, { picture, opacity }: WatermarkOptions) =>
  picture !== undefined || !hasProfile || (isOld && opacity < 1)

async function readPicture(file: string) {
  const { pictureMark } = await import('./picture-mark.ts')
  return pictureMark(await readFile(file))
}
