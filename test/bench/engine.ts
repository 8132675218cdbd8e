// `npm run bench engine`: operations on existing files, with ledger and undo data, compared with
// one raw SQL statement that makes the same changes to the same rows; items per second; memory; and
// lists of a large shop.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { findRunning } from '../../server/core/db/embedded.ts'
import { insertManyFiles } from '../factories.ts'
import { startServer, type ServerProcess } from '../flows/server.ts'
import { compare, peakMegabytes, type Bench, type Context, type Row } from './bench.ts'

const FILES = 100_000
const MAX_TIMES_RAW = 5
const ITEMS_PER_SECOND = 10_000
const MEMORY_MB = 350
const MEMORY_SPREAD = 1.15
const LIST_MS = 50

export interface World {
  server: ServerProcess
  pool: pg.Pool
  shop: number
  close(): Promise<void>
}

export async function openWorld(folder: string, files: number): Promise<World> {
  const server = await startServer({ dataDir: folder })
  const pool = new pg.Pool({ connectionString: (await findRunning(server.dataDir))! })
  const { rows } = await pool.query<{ id: number }>('select id from shops where domain = $1', [
    server.shop,
  ])
  const shop = rows[0]!.id
  await insertManyFiles(pool, { shop, count: files, prefix: 'file', mapped: 0.3 })
  await pool.query('vacuum analyze')
  return {
    server,
    pool,
    shop,
    close: async () => {
      await pool.end()
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Milliseconds from the request to the operation's end. Throws unless every file was changed or,
 * with `skipped`, skipped.
 */
export async function operate(
  { server }: World,
  body: object,
  expected: number,
  as: 'done' | 'skipped' = 'done',
): Promise<number> {
  const started = performance.now()
  const response = await server.call('POST', '/api/operations', body)
  const { id } = (await response.json()) as { id: string }
  if (response.status !== 202)
    throw new Error(
      `The request to start an operation was answered ${response.status}\n${server.output()}`,
    )
  const events = await server.call('GET', `/api/operations/${id}/events`)
  const record = lastEvent(await events.text())
  if (record.status !== 'success' || record[as] !== expected)
    throw new Error(
      `An operation ended as ${record.status}, ${record[as]} ${as} of ${expected}\n${server.output()}`,
    )
  return performance.now() - started
}

interface Ended {
  status: string
  done: number
  skipped: number
}

/** The event stream ends with the operation. */
function lastEvent(stream: string): Ended {
  const data = stream
    .trim()
    .split('\n\n')
    .at(-1)!
    .split('\n')
    .find((line) => line.startsWith('data: '))!
  return JSON.parse(data.slice('data: '.length)) as Ended
}

export async function raw(
  { pool }: World,
  sql: string,
  values: unknown[],
  expected: number,
): Promise<number> {
  const started = performance.now()
  const { rowCount } = await pool.query(sql, values)
  if (rowCount !== expected)
    throw new Error(`The raw statement changed ${rowCount} rows, not ${expected}`)
  return performance.now() - started
}

export interface Comparison {
  what: string
  files: number
  body(round: number): object
  raw(world: World, round: number): Promise<number>
  /** Restores the rows between the two sides, unmeasured. */
  reset?(world: World): Promise<unknown>
}

const settings = (files: number, filter: object, condition: string): Comparison => ({
  what: `update settings of ${files.toLocaleString('en')} files`,
  files,
  body: (round) => ({
    action: 'update-settings',
    select: { filter },
    options: { expiry_days: 100 + round, download_limit: 10 + round },
  }),
  raw: (world, round) =>
    raw(
      world,
      `update files set expiry_days = $2, download_limit = $3, updated_at = now() where shop_id = $1
         and deleted_at is null ${condition}`,
      [world.shop, 200 + round, 20 + round],
      files,
    ),
})

const VERSUS: readonly Comparison[] = [
  settings(FILES / 10, { tags: ['tenth'] }, `and tags @> array['tenth']`),
  settings(FILES, {}, ''),
  {
    what: `delete ${FILES.toLocaleString('en')} files to the trash`,
    files: FILES,
    body: () => ({ action: 'delete-files', select: { filter: {} } }),
    raw: (world) =>
      raw(
        world,
        `update files set deleted_at = now(), updated_at = now() where shop_id = $1
          and deleted_at is null`,
        [world.shop],
        FILES,
      ),
    reset: ({ pool, shop }) =>
      pool.query('update files set deleted_at = null where shop_id = $1', [shop]),
  },
]

export async function versus(
  context: Context,
  world: World,
  { what, files, body, raw, reset }: Comparison,
): Promise<Row> {
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round <= context.rounds; round++) {
    context.say(`${what}, round ${round} of ${context.rounds}`)
    await world.pool.query('vacuum analyze files, items')
    const rawMs = await raw(world, round)
    await reset?.(world)
    await world.pool.query('vacuum analyze files, items')
    const oursMs = await operate(world, body(round), files)
    await reset?.(world)
    // The first round is warm-up.
    if (round === 0) continue
    ours.push(oursMs)
    theirs.push(rawMs)
  }
  return compare(`${what}, against raw SQL`, 'ms', ours, theirs, { ceiling: MAX_TIMES_RAW })
}

async function noops(context: Context, world: World): Promise<Row> {
  const body = {
    action: 'tag-by-rule',
    select: { filter: {} },
    options: { rules: [{ when: { search: 'no name has this' }, tags: ['never'] }] },
  }
  const rates: number[] = []
  for (let round = 0; round < context.rounds; round++) {
    context.say(
      `nothing to do for ${FILES.toLocaleString('en')} files, round ${round + 1} of ${context.rounds}`,
    )
    rates.push((FILES / (await operate(world, body, FILES, 'skipped'))) * 1000)
  }
  return compare(
    'items with nothing to do, with their ledger rows',
    'items/s',
    rates,
    rates.map(() => ITEMS_PER_SECOND),
    { floor: 1 },
  )
}

/** Peak memory of a new server after this operation, on all files and on a tenth of them. */
export async function memoryRows(context: Context, what: string, body: object): Promise<Row[]> {
  const peaks: { what: string; mb: number }[] = []
  for (const files of [FILES / 10, FILES]) {
    const many = `${what} of ${files.toLocaleString('en')} files`
    context.say(`memory of ${many}`)
    const world = await openWorld(path.join(context.folder, `memory-${files}`), files)
    try {
      await operate(world, { ...body, select: { filter: {} } }, files)
      peaks.push({ what: `peak memory, ${many}`, mb: await peakMegabytes(world.server.child.pid!) })
    } finally {
      await world.close()
    }
  }
  const all = peaks.map(({ mb }) => mb)
  return [
    ...peaks.map(({ what, mb }) => compare(what, 'MB', [mb], [MEMORY_MB], { ceiling: 1 })),
    compare('peak memory, highest against lowest', 'MB', [Math.max(...all)], [Math.min(...all)], {
      ceiling: MEMORY_SPREAD,
    }),
  ]
}

/**
 * Two shops of that size and every kind of list on the admin page; the figure is the 95th
 * percentile.
 */
async function lists(context: Context, world: World): Promise<Row[]> {
  const other = await world.pool.query<{ id: number }>(
    `insert into shops (domain, name) values ('other.myshopify.com', 'Other') returning id`,
  )
  await insertManyFiles(world.pool, {
    shop: other.rows[0]!.id,
    count: FILES,
    prefix: 'other',
    mapped: 0.3,
  })
  await world.pool.query('vacuum analyze')
  const queries = [
    '',
    'tags=tenth',
    'tags=ebook,batch-7',
    'search=course',
    'search=course-00123',
    'mapped=false',
    'type=pdf',
    'type=image',
    'larger_than=199000000',
    'older_than_days=650',
  ]
  const sorts = ['-created_at', 'filename', '-size_bytes']
  const rows: Row[] = []
  for (const sort of sorts) {
    const times: number[] = []
    for (const query of queries) {
      context.say(`lists by ${sort}: ${query || 'all'}`)
      times.push(
        ...(await pages(
          world,
          `/api/files?limit=50&sort=${sort}${query ? `&${query}` : ''}`,
          context.rounds * 4,
        )),
      )
    }
    const p95 = times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1]!
    rows.push(
      compare(`lists sorted by ${sort}, p95 of ${times.length} pages`, 'ms', [p95], [LIST_MS], {
        ceiling: 1,
      }),
    )
  }
  return rows
}

/** Milliseconds of each of `count` pages, read one after another. */
async function pages({ server }: World, route: string, count: number): Promise<number[]> {
  const times: number[] = []
  let cursor: string | null = null
  for (let page = 0; page < count; page++) {
    const started = performance.now()
    const response = await server.call(
      'GET',
      cursor ? `${route}&cursor=${encodeURIComponent(cursor)}` : route,
    )
    const reply = (await response.json()) as { data: unknown[]; next_cursor: string | null }
    times.push(performance.now() - started)
    if (!response.ok)
      throw new Error(`${route} answered ${response.status}: ${JSON.stringify(reply)}`)
    cursor = reply.next_cursor
    // Keeps the requests within the limit of reads per minute.
    if (cursor === null) break
  }
  return times
}

async function run(context: Context): Promise<Row[]> {
  const world = await openWorld(path.join(context.folder, 'data'), FILES)
  const rows: Row[] = []
  try {
    for (const one of context.brief ? VERSUS.slice(0, 1) : VERSUS)
      rows.push(await versus(context, world, one))
    if (context.brief) return rows
    rows.push(await noops(context, world))
    rows.push(...(await lists(context, world)))
  } finally {
    await world.close()
  }
  return [
    ...rows,
    ...(await memoryRows(context, 'settings', {
      action: 'update-settings',
      options: { expiry_days: 7 },
    })),
  ]
}

export const engineBench: Bench = { name: 'engine', run }
