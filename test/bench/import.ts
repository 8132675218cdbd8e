// `npm run bench import`: an API import, with rows, ledger and mapping, compared with a minimal
// loop; the cost of mapping; and the peak memory of the server process. The whole server runs as
// with `npm start`.
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { findRunning } from '../../server/core/db/embedded.ts'
import { startServer, type RunningServer } from '../flows/server.ts'
import {
  compare,
  peakMegabytes,
  startPart,
  type Bench,
  type Context,
  type Part,
  type Row,
} from './bench.ts'
import type { BareJob } from './import/bare.ts'
import { PRODUCTS, skuOf, writeCatalog } from './import/catalog.ts'

const KINDS = [
  {
    what: '1,000 × 100 KB',
    files: 1000,
    size: 100_000,
    unit: 'files/s',
    of: (ms: number) => 1e6 / ms,
  },
  { what: '20 × 100 MB', files: 20, size: 100_000_000, unit: 'MB/s', of: (ms: number) => 2e6 / ms },
] as const
type Kind = (typeof KINDS)[number]

const MEMORY_MB = 350
const MEMORY_SPREAD = 1.15
/** The time that the standard throttle (2,000 points, 100 per second) needs to refill. */
const REFILL_MS = 21_000

interface Setting {
  context: Context
  origin: string
  bare: Part
  server: RunningServer
}

/** Different bytes in every round, so that no blob exists already. */
const urlsOf = (origin: string, { files, size }: Pick<Kind, 'files' | 'size'>): string[] => {
  const round = randomBytes(4).toString('hex')
  return Array.from({ length: files }, (_, n) => `${origin}/bytes/${size}/${round}-${n}`)
}

/**
 * Imports and returns milliseconds. Throws unless every file is imported, and mapped if it has a
 * SKU.
 */
async function importOurs(
  server: RunningServer,
  urls: readonly string[],
  skus?: readonly string[],
): Promise<number> {
  const files = urls.map((url, n) => ({
    filename: url.split('/').at(-1)!,
    url,
    ...(skus ? { product_sku: skus[n]! } : {}),
  }))
  const started = performance.now()
  const response = await server.call(
    'POST',
    '/api/files/import',
    { files, notify: false },
    { prefer: 'wait=120' },
  )
  const reply = (await response.json()) as {
    status: string
    imported: number
    files: { product_mapped: boolean }[]
  }
  const ms = performance.now() - started
  const mapped = reply.files.filter(({ product_mapped }) => product_mapped).length
  if (
    reply.status !== 'success' ||
    reply.imported !== urls.length ||
    mapped !== (skus ? urls.length : 0)
  )
    throw new Error(
      `An import ended as ${reply.status}: ${reply.imported} imported, ${mapped} mapped\n${server.output()}`,
    )
  return ms
}

/**
 * Warm-up rounds: V8 compiles frequently used code only after it has run for a while. The minimal
 * loop of forty lines is at full speed after the first round. The warm-up rounds are printed too.
 */
const WARM_UP = 4

async function compareKind({ context, origin, bare, server }: Setting, kind: Kind): Promise<Row[]> {
  const folder = path.join(context.folder, 'bare')
  const [ours, theirs]: [number[], number[]] = [[], []]
  const all = WARM_UP + context.rounds
  for (let round = 0; round < all; round++) {
    context.say(`${kind.what}, round ${round + 1} of ${all}`)
    const bareMs = await bare.ask<number>({ urls: urlsOf(origin, kind), folder } satisfies BareJob)
    await rm(folder, { recursive: true })
    const oursMs = await importOurs(server, urlsOf(origin, kind))
    theirs.push(kind.of(bareMs))
    ours.push(kind.of(oursMs))
  }
  const of = (what: string, from: number, to?: number, goal?: { floor: number }) =>
    compare(
      `import ${kind.what}${what}`,
      kind.unit,
      ours.slice(from, to),
      theirs.slice(from, to),
      goal,
    )
  const main = of('', WARM_UP, undefined, { floor: 0.9 })
  return context.brief ? [main] : [of(', on a new server', 1, WARM_UP), main]
}

async function mappingRow({ context, origin, server }: Setting): Promise<Row> {
  const [without, withSkus]: [number[], number[]] = [[], []]
  for (let round = 0; round < context.rounds; round++) {
    context.say(
      `mapping, round ${round + 1} of ${context.rounds} (after the throttle has refilled)`,
    )
    await new Promise((resolve) => setTimeout(resolve, REFILL_MS))
    const urls = urlsOf(origin, KINDS[0])
    without.push(await importOurs(server, urlsOf(origin, KINDS[0])))
    const first = (round * 1000) % PRODUCTS
    withSkus.push(
      await importOurs(
        server,
        urls,
        urls.map((_, n) => skuOf((first + n) % PRODUCTS, 0)),
      ),
    )
  }
  return compare(
    '1,000 files with SKUs of 50,000 variants, against without',
    'ms',
    withSkus,
    without,
    { ceiling: 1.1 },
  )
}

/** Peak memory of a new server that runs this import only. */
async function peakOf(
  setting: Omit<Setting, 'server'>,
  name: string,
  imports: readonly Kind[],
): Promise<number> {
  setting.context.say(`memory of ${name}`)
  const server = await startServer({
    dataDir: path.join(setting.context.folder, `memory-${imports.length}-${imports[0]!.size}`),
  })
  try {
    for (const kind of imports) await importOurs(server, urlsOf(setting.origin, kind))
    return await peakMegabytes(server.child.pid!)
  } finally {
    await server.stop()
    await rm(server.dataDir, { recursive: true, force: true })
  }
}

async function memoryRows(setting: Omit<Setting, 'server'>): Promise<Row[]> {
  const [small, large] = KINDS
  const peaks = [
    { what: 'peak memory, 1,000 × 100 KB', mb: await peakOf(setting, small.what, [small]) },
    {
      what: 'peak memory, 10,000 × 100 KB',
      mb: await peakOf(setting, '10,000 × 100 KB', Array<Kind>(10).fill(small)),
    },
    { what: 'peak memory, 20 × 100 MB', mb: await peakOf(setting, large.what, [large]) },
  ]
  const all = peaks.map(({ mb }) => mb)
  const [most, least] = [Math.max(...all), Math.min(...all)]
  return [
    ...peaks.map(({ what, mb }) => compare(what, 'MB', [mb], [MEMORY_MB], { ceiling: 1 })),
    compare('peak memory, highest against lowest', 'MB', [most], [least], {
      ceiling: MEMORY_SPREAD,
    }),
  ]
}

async function run(context: Context): Promise<Row[]> {
  const originPart = await startPart(new URL('./import/origin.ts', import.meta.url), {})
  const catalog = path.join(context.folder, 'catalog.csv')
  await writeCatalog(catalog)
  const server = await startServer({
    dataDir: path.join(context.folder, 'data'),
    env: { DEMO_CATALOG: catalog },
  })
  const databaseUrl = (await findRunning(server.dataDir))!
  const bare = await startPart(new URL('./import/bare.ts', import.meta.url), { databaseUrl })
  const setting = { context, origin: String(originPart.ready), bare }
  try {
    const rows: Row[] = []
    for (const kind of KINDS) rows.push(...(await compareKind({ ...setting, server }, kind)))
    if (context.brief) return rows
    rows.push(await mappingRow({ ...setting, server }))
    await bare.stop()
    await server.stop()
    return [...rows, ...(await memoryRows(setting))]
  } finally {
    await bare.stop()
    await server.stop()
    await originPart.stop()
  }
}

export const importBench: Bench = { name: 'import', run }
