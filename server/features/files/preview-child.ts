// A limited child that makes preview images, one after another. The bytes are in two files of a
// private folder.
import { readFile, writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { Refusal, serveRequests } from '../../../plugins/sandbox.ts'
import { prepareSharp } from '../../../plugins/sharp.ts'

const LONGER_SIDE = 160
const MAX_PIXELS = 100_000_000

prepareSharp()

serveRequests(async ({ from, to }: { from: string; to: string }) => {
  // Of an animation the first frame.
  const made = await sharp(await readFile(from), { limitInputPixels: MAX_PIXELS })
    .rotate()
    .resize({ width: LONGER_SIDE, height: LONGER_SIDE, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer()
    .catch((cause: unknown) => {
      throw new Refusal('image_damaged', 'The image cannot be opened', { cause })
    })
  await writeFile(to, made)
  return true
})
