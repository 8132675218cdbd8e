// `npm run bench download`: counted downloads against servers that count nothing. Each is a
// separate process with a separate load generator: alone, behind nginx, and as two processes over
// one database. The bench fails unless every served request was counted.
import path from 'node:path'
import { openDatabase, type Database } from '../../server/core/db/database.ts'
import { startEmbedded } from '../../server/core/db/embedded.ts'
import { migrate } from '../../server/core/db/migrate.ts'
import { createLogger } from '../../server/core/log.ts'
import { findNginx, startNginx, type NginxOptions } from '../nginx.ts'
import {
  compare,
  peakMegabytes,
  SERVER_FLAGS,
  startPart,
  type Bench,
  type Context,
  type Part,
  type Row,
} from './bench.ts'
import { findProgram } from '../programs.ts'
import type { Load, LoadMeasurement } from './download/load.ts'
import { linkPaths, setStage, type Stage } from './download/stage.ts'
import { loadByWrk } from './download/wrk.ts'

const CONNECTIONS = 64
const KINDS = [
  {
    name: 'small',
    what: '100 KB',
    size: 100_000,
    links: 1000,
    requests: 10_000,
    warmUp: 20_000,
    seconds: 3,
    unit: 'files/s',
    floor: 1.2,
  },
  {
    name: 'large',
    what: '100 MB',
    size: 100_000_000,
    links: 4,
    requests: 64,
    warmUp: 16,
    seconds: null,
    unit: 'MB/s',
    floor: 0.95,
  },
] as const
type Kind = (typeof KINDS)[number]

/** nginx's internal location of the blobs. */
const PREFIX = '/blobs'
/**
 * One process and two on the same processors differ by less than the noise between rounds, so this
 * comparison runs more rounds.
 */
const TWO_TIMES = 2
const CONTESTED = { rounds: 100, requests: 50 }

/** A server under load and the paths to request. */
interface Side {
  ports: readonly number[]
  paths: readonly string[]
}
type Sides = Readonly<Record<string, Side>>

interface Run {
  context: Context
  database: Database
  url: string
  stage: Stage
  load: Part
  /** Path of wrk; null: not available, and the bench uses its own load generator. */
  wrk: string | null
  /**
   * How many of the product's requests were served, and how many may still have been open when a
   * load ended.
   */
  served: number
  open: number
}

const start = (run: Run, accel?: string): Promise<Part> => {
  const profile = process.env.BENCH_PROFILE
    ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`]
    : []
  const settings = {
    url: run.url,
    secret: run.stage.secret,
    folder: run.stage.blobs,
    ...(accel ? { accel } : {}),
  }
  return startPart(new URL('./download/ours.ts', import.meta.url), settings, [
    ...SERVER_FLAGS,
    ...profile,
  ])
}
const portOf = ({ ready }: Part) => ready as number

/**
 * Loads one side. For the product, records the served requests, which are compared with the counts.
 */
async function loadSide(
  run: Run,
  kind: Kind,
  side: Side,
  { ours, warmUp }: { ours: boolean; warmUp: boolean },
) {
  const { wrk, context } = run
  const common = { ...side, connections: CONNECTIONS }
  const byWrk = wrk !== null && kind.seconds !== null
  const measured = byWrk
    ? await loadByWrk(wrk, context.folder, common, kind.seconds * (warmUp ? 2 : 1))
    : await ask(run, { ...common, requests: warmUp ? kind.warmUp : kind.requests })
  if (Object.keys(measured.refused).length > 0)
    throw new Error(`Requests failed: ${JSON.stringify(measured.refused)}`)
  if (ours) {
    run.served += measured.served
    if (byWrk) run.open += CONNECTIONS
  }
  return measured
}

const ask = (run: Run, load: Load) => run.load.ask<LoadMeasurement>(load)

/**
 * Loads the sides in turn, one round each, in reverse order in every second round. Returns their
 * rates. The first round is warm-up, until V8 has compiled the code.
 */
async function race(run: Run, what: string, kind: Kind, sides: Sides, rounds = run.context.rounds) {
  const rates = Object.fromEntries(Object.keys(sides).map((name) => [name, [] as number[]]))
  const turns = Object.entries(sides)
  for (let round = 0; round <= rounds; round++) {
    for (const [name, side] of round % 2 === 0 ? turns : turns.toReversed()) {
      const about = { ours: name.startsWith('ours'), warmUp: round === 0 }
      const { served, bytes, seconds } = await loadSide(run, kind, side, about)
      if (round > 0) rates[name]!.push((kind.unit === 'MB/s' ? bytes / 1e6 : served) / seconds)
    }
    const figures = Object.entries(rates).map(([name, all]) => `${name} ${all.at(-1)?.toFixed(0)}`)
    if (round > 0) run.context.say(`${what}, round ${round}, ${kind.unit}: ${figures.join(', ')}`)
  }
  return rates
}

async function alone(run: Run): Promise<Row[]> {
  const { stage } = run
  const sizes = Object.fromEntries(KINDS.map(({ name, size }) => [name, size]))
  const ours = await start(run)
  const bare = await startPart(new URL('./download/bare.ts', import.meta.url), {
    folder: stage.bare,
    sizes,
  })
  const rows: Row[] = []
  for (const kind of run.context.brief ? KINDS.slice(0, 1) : KINDS) {
    const { ours: mine, theirs } = await race(run, kind.what, kind, {
      ours: { ports: [portOf(ours)], paths: stage.ours[kind.name]! },
      theirs: { ports: [portOf(bare)], paths: stage.theirs[kind.name]! },
    })
    rows.push(compare(`${kind.what}, ${CONNECTIONS} connections`, kind.unit, mine!, theirs!, kind))
  }
  const peaks = await Promise.all([ours, bare].map(({ pid }) => peakMegabytes(pid)))
  rows.push(compare('peak memory', 'MB', [peaks[0]!], [peaks[1]!]))
  await Promise.all([ours, bare].map((part) => part.stop()))
  return rows
}

/**
 * 100 KB through nginx: counted downloads compared with a plain stream, and with nginx in front of
 * an authorizer that admits every request.
 */
async function behindNginx(run: Run): Promise<Row[]> {
  const nginx = findNginx()
  if (nginx === null) {
    run.context.say('without nginx (Debian: nginx-light) its rows are skipped')
    return []
  }
  const { stage, context } = run
  const [kind] = KINDS
  const parts = await Promise.all([
    start(run, PREFIX),
    startPart(new URL('./download/authorizer.ts', import.meta.url), { prefix: PREFIX }),
    startPart(new URL('./download/bare.ts', import.meta.url), {
      folder: stage.bare,
      sizes: { small: kind.size },
    }),
  ])
  const [ours, authorizer, bare] = parts
  const before = (part: Part, blobs: string): NginxOptions => {
    const folder = path.join(context.folder, `nginx-${portOf(part)}`)
    return { nginx, folder, upstream: portOf(part), location: PREFIX, blobs }
  }
  const proxies = await Promise.all([
    startNginx(before(ours, stage.blobs)),
    startNginx(before(authorizer, stage.bare)),
  ])
  const rates = await race(run, `${kind.what} behind nginx`, kind, {
    ours: { ports: [proxies[0].port], paths: stage.ours.small! },
    authorizer: { ports: [proxies[1].port], paths: stage.theirs.small! },
    bare: { ports: [portOf(bare)], paths: stage.theirs.small! },
  })
  await Promise.all([...proxies, ...parts].map((part) => part.stop()))
  return [
    compare('sent by nginx, against a stream', kind.unit, rates.ours!, rates.bare!, { floor: 1.5 }),
    compare('against nginx that counts nothing', kind.unit, rates.ours!, rates.authorizer!, {
      floor: 0.6,
    }),
  ]
}

/**
 * Two processes: the limit is exact for any number of concurrent requests, and the rate is not
 * lower.
 */
async function asTwo(run: Run): Promise<Row[]> {
  const [kind] = KINDS
  const parts = await Promise.all([start(run), start(run)])
  const ports = parts.map(portOf)
  const paths = run.stage.ours.small!
  const sides = {
    'ours as two': { ports, paths },
    'ours as one': { ports: ports.slice(0, 1), paths },
  }
  const rates = await race(
    run,
    `${kind.what} from two processes`,
    kind,
    sides,
    TWO_TIMES * run.context.rounds,
  )
  for (let round = 0; round < CONTESTED.rounds; round++) {
    const limit = 1 + ((round * 7) % 60)
    const paths = await linkPaths(run.stage, run.stage.files.small!.slice(0, 1), limit)
    const { requests } = CONTESTED
    const measured = await ask(run, { ports, paths, connections: requests, requests })
    if (measured.served !== Math.min(limit, requests))
      throw new Error(
        `Round ${round}: ${measured.served} of ${requests} requests were served on a limit of ${limit}`,
      )
    run.served += measured.served
  }
  run.context.say(
    `exactly the limit was served in ${CONTESTED.rounds} rounds of ${CONTESTED.requests} concurrent requests`,
  )
  await Promise.all(parts.map((part) => part.stop()))
  return [
    compare('two processes, against one', kind.unit, rates['ours as two']!, rates['ours as one']!, {
      floor: 1,
    }),
  ]
}

async function requireCounted({ database, served, open }: Run): Promise<void> {
  const { rows } = await database.pool.query<{ downloads: number }>(
    'select sum(downloads)::bigint as downloads from links',
  )
  const counted = rows[0]!.downloads
  if (counted < served || counted > served + open)
    throw new Error(
      `${served} requests were served and up to ${open} more were open, but ${counted} were counted`,
    )
}

export const download: Bench = {
  name: 'download',
  run: async (context) => {
    const log = createLogger('warn')
    const server = await startEmbedded(context.folder, log)
    const database = openDatabase(server.url, 4, log)
    try {
      await migrate(database)
      context.say('writing the files')
      const stage = await setStage(database, context.folder, KINDS)
      const load = await startPart(new URL('./download/load.ts', import.meta.url), {})
      const wrk = findProgram('wrk')
      if (wrk === null)
        context.say('without wrk (Debian: wrk) the load generator takes more processor time')
      const run: Run = { context, database, url: server.url, stage, load, wrk, served: 0, open: 0 }
      const rows = [...(await alone(run)), ...(await behindNginx(run))]
      if (!context.brief) rows.push(...(await asTwo(run)))
      await requireCounted(run)
      await load.stop()
      return rows
    } finally {
      await database.close()
      await server.stop()
    }
  },
}
