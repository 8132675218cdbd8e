// The reference for images: sharp alone in one process, two images concurrently with one thread
// each, from file to file with the same settings. It writes no ledger, keeps no versions and has no
// limits.
import { once } from 'node:events'
import path from 'node:path'
import sharp from 'sharp'

export interface BareImages {
  files: string[]
  folder: string
  concurrency: number
}

sharp.concurrency(1)
sharp.cache(false)

/** Returns milliseconds. */
async function run({ files, folder, concurrency }: BareImages): Promise<number> {
  const started = performance.now()
  let next = 0
  const lane = async () => {
    while (next < files.length) {
      const file = files[next++]!
      await sharp(file)
        .autoOrient()
        .resize({ width: 2000, height: 2000, fit: 'inside', withoutEnlargement: true })
        .webp({ quality: 80, effort: 2 })
        .toFile(path.join(folder, `${path.parse(file).name}.webp`))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  return performance.now() - started
}

process.on('message', (job: BareImages) => void run(job).then((ms) => process.send!(ms)))
process.send!('ready')
await once(process, 'disconnect')
