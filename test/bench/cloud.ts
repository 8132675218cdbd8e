// `npm run bench cloud`: syncs from an S3-compatible server compared with plain rclone from the
// same server, and the peak memory of the server process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { findRclone } from '../../server/features/cloud/rclone/program.ts'
import { NAME } from '../fakes/bucket.ts'
import { jobUntilEnd } from '../flows/imports.ts'
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

const KINDS = [
  { what: '1,000 × 100 KB', count: 1000, size: 100_000 },
  { what: '20 × 100 MB', count: 20, size: 100_000_000 },
] as const
const MANY = Number(process.env.BENCH_MANY ?? 50_000)
const FLOOR = 0.8
const CEILING = 1.3
const MEMORY_MB = 250
/** Upper bound of the peak memory with many objects, relative to few objects. */
const MEMORY_SPREAD = 1.15

interface World {
  context: Context
  server: RunningServer
  bucket: Part
  program: string
}

type Connection = Record<string, string>

async function connect({ server, bucket }: World, prefix: string): Promise<string> {
  const body = { ...(bucket.ready as Connection), prefix, auto_map: false, notify: false }
  const response = await server.call('POST', '/api/connections', body)
  const { id } = (await response.json()) as { id: string }
  if (!id) throw new Error(`Creating the connection failed: ${response.status}`)
  return id
}

/** Seconds of one sync. Throws unless it imported `expected` files. */
async function sync({ server }: World, connection: string, expected: number): Promise<number> {
  const started = performance.now()
  const response = await server.call('POST', `/api/connections/${connection}/sync`, {})
  const { id } = (await response.json()) as { id: string }
  const { status, done } = await jobUntilEnd(server, id, 1_800_000)
  if (status !== 'success' || done !== expected)
    throw new Error(`A sync ended as ${status}, ${done} of ${expected}\n${server.output()}`)
  return (performance.now() - started) / 1000
}

/** Seconds of plain rclone with these arguments. */
async function bare({ bucket, program }: World, args: readonly string[]): Promise<number> {
  const { endpoint, region, access_key, secret_key } = bucket.ready as Connection
  const started = performance.now()
  const child = spawn(program, [...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      RCLONE_CONFIG: '',
      RCLONE_CONFIG_SRC_TYPE: 's3',
      RCLONE_CONFIG_SRC_PROVIDER: 'Other',
      RCLONE_CONFIG_SRC_ENDPOINT: endpoint,
      RCLONE_CONFIG_SRC_REGION: region,
      RCLONE_CONFIG_SRC_ACCESS_KEY_ID: access_key,
      RCLONE_CONFIG_SRC_SECRET_ACCESS_KEY: secret_key,
    },
  })
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`rclone ended with ${code}`)
  return (performance.now() - started) / 1000
}

async function compareFirst(world: World, kind: (typeof KINDS)[number]): Promise<Row> {
  const { context, bucket } = world
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round <= context.rounds; round++) {
    context.say(`${kind.what}, round ${round} of ${context.rounds}`)
    const prefix = `${kind.count}-${round}/`
    await bucket.ask({ ...kind, prefix })
    const folder = path.join(context.folder, 'bare')
    await mkdir(folder, { recursive: true })
    const seconds = await bare(world, ['copy', `src:${NAME}/${prefix}`, folder])
    await rm(folder, { recursive: true })
    const own = await sync(world, await connect(world, prefix), kind.count)
    // The first round is warm-up.
    if (round === 0) continue
    theirs.push(kind.count / seconds)
    ours.push(kind.count / own)
  }
  return compare(`first sync of ${kind.what}`, 'files/s', ours, theirs, { floor: FLOOR })
}

async function compareNothing(world: World): Promise<Row> {
  const { context, bucket } = world
  await bucket.ask({ prefix: 'many/', count: MANY, size: 64 })
  const connection = await connect(world, 'many/')
  context.say(`first sync of ${MANY}`)
  await sync(world, connection, MANY)
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 1; round <= context.rounds; round++) {
    context.say(`nothing new of ${MANY}, round ${round} of ${context.rounds}`)
    theirs.push(await bare(world, ['lsjson', '-R', `src:${NAME}/many/`]))
    ours.push(await sync(world, connection, 0))
  }
  const what = `nothing new of ${MANY.toLocaleString('en')}`
  return compare(what, 's', ours, theirs, { ceiling: CEILING })
}

/** Peak memory of a new server that runs this sync only. */
async function peakOf(world: Omit<World, 'server'>, count: number): Promise<number> {
  world.context.say(`memory of ${count} objects`)
  const server = await startServer({ dataDir: path.join(world.context.folder, 'memory') })
  try {
    const prefix = `memory-${count}/`
    await world.bucket.ask({ prefix, count, size: 64 })
    await sync({ ...world, server }, await connect({ ...world, server }, prefix), count)
    return await peakMegabytes(server.child.pid!)
  } finally {
    await server.stop()
    await rm(server.dataDir, { recursive: true, force: true })
  }
}

async function run(context: Context): Promise<Row[]> {
  const { path: program, message } = await findRclone(process.env.RCLONE_EXECUTABLE ?? null)
  if (program === null) throw new Error(message!)
  const bucket = await startPart(new URL('./cloud/bucket.ts', import.meta.url), {})
  const dataDir = path.join(context.folder, 'ours')
  const server = await startServer({ dataDir })
  const rows: Row[] = []
  try {
    const world = { context, server, bucket, program }
    for (const kind of context.brief ? KINDS.slice(0, 1) : KINDS)
      rows.push(await compareFirst(world, kind))
    if (context.brief) return rows
    rows.push(await compareNothing(world))
  } finally {
    await server.stop()
    if (context.brief) await bucket.stop()
  }
  try {
    const few = await peakOf({ context, bucket, program }, 1000)
    const many = await peakOf({ context, bucket, program }, MANY)
    rows.push(
      compare('peak memory, 50,000 objects', 'MB', [many], [MEMORY_MB], { ceiling: 1 }),
      compare('peak memory, 50,000 against 1,000', 'MB', [many], [few], { ceiling: MEMORY_SPREAD }),
    )
  } finally {
    await bucket.stop()
  }
  return rows
}

export const cloudBench: Bench = { name: 'cloud', run }
