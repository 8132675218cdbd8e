// Images for `npm run bench bulk`: the whole operation, with ledger, versions and limited child
// processes, compared with plain sharp.
import { mkdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { photo } from '../images.ts'
import { startServer, type RunningServer } from '../flows/server.ts'
import { compare, startPart, type Context, type Row } from './bench.ts'
import type { BareImages } from './images/bare.ts'

const IMAGES = 100
const [WIDTH, HEIGHT] = [4000, 3000]
const FLOOR = 0.95
/** The number of images that the server works on concurrently. */
const CONCURRENCY = Math.min(4, availableParallelism())

/** 12-megapixel JPEGs, each with different bytes. */
async function makeImages(folder: string): Promise<string[]> {
  await mkdir(folder)
  const scene = await photo(WIDTH + IMAGES, HEIGHT)
    .raw()
    .toBuffer({ resolveWithObject: true })
  const files: string[] = []
  for (let n = 0; n < IMAGES; n++) {
    const file = path.join(folder, `photo-${n}.jpg`)
    const { width, height, channels } = scene.info
    await sharp(scene.data, { raw: { width, height, channels } })
      .extract({ left: n, top: 0, width: WIDTH, height: HEIGHT })
      .jpeg({ quality: 90 })
      .toFile(file)
    files.push(file)
  }
  return files
}

interface Reply {
  id: string
  status: string
  done: number
  bytes_saved: number
  files: { file_id: string }[]
}

async function ask(
  server: RunningServer,
  method: string,
  route: string,
  body?: unknown,
): Promise<Reply> {
  const response = await server.call(method, route, body, { prefer: 'wait=120' })
  if (response.status >= 300)
    throw new Error(`${route} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Reply
}

/** Imports the images again, unmeasured, and returns the milliseconds of their compression. */
async function optimize(
  server: RunningServer,
  origin: string,
  files: readonly string[],
  round: number,
): Promise<number> {
  const imported = await ask(server, 'POST', '/api/files/import', {
    notify: false,
    files: files.map((file) => ({
      filename: `${round}-${path.basename(file)}`,
      url: `${origin}/${path.basename(file)}`,
    })),
  })
  const ids = imported.files.map(({ file_id }) => file_id)
  const started = performance.now()
  const { id } = await ask(server, 'POST', '/api/operations', {
    action: 'optimize-image',
    select: { file_ids: ids },
  })
  const events = await server.call('GET', `/api/operations/${id}/events`)
  await events.text()
  const ms = performance.now() - started
  const { status, done, bytes_saved } = await ask(server, 'GET', `/api/operations/${id}`)
  if (status !== 'success' || done !== files.length || !(bytes_saved > 0))
    throw new Error(
      `The image operation ended as ${status}: ${done} done, ${bytes_saved} bytes saved\n${server.output()}`,
    )
  return ms
}

export async function imageRows(context: Context): Promise<Row[]> {
  const [source, target] = [
    path.join(context.folder, 'images'),
    path.join(context.folder, 'images-bare'),
  ]
  context.say(`generating ${IMAGES} images`)
  const files = await makeImages(source)
  await mkdir(target)
  const origin = await startPart(new URL('./images/origin.ts', import.meta.url), { folder: source })
  const bare = await startPart(new URL('./images/bare.ts', import.meta.url), {})
  const server = await startServer({ dataDir: path.join(context.folder, 'images-data') })
  try {
    const [ours, theirs]: [number[], number[]] = [[], []]
    const perSecond = (ms: number) => (IMAGES * 1000) / ms
    for (let round = 0; round <= context.rounds; round++) {
      context.say(`images, round ${round} of ${context.rounds}`)
      const bareMs = await bare.ask<number>({
        files,
        folder: target,
        concurrency: CONCURRENCY,
      } satisfies BareImages)
      const oursMs = await optimize(server, String(origin.ready), files, round)
      // The first round is warm-up.
      if (round === 0) continue
      theirs.push(perSecond(bareMs))
      ours.push(perSecond(oursMs))
    }
    return [
      compare('images: 12-megapixel JPEGs to WebP of 2000 px', 'images/s', ours, theirs, {
        floor: FLOOR,
      }),
    ]
  } finally {
    await Promise.all([server.stop(), bare.stop(), origin.stop()])
    await rm(source, { recursive: true, force: true })
  }
}
