// 10,000 shops in one installation, each with a file, a schedule for midnight and a catalog mirror:
// what a web process and a worker ask the database for while nothing happens, how many notifications
// they send, and how long all schedules of one minute take. `BENCH_MANY_SHOPS` sets another number.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { openDatabase, type Database } from '../../../server/core/db/database.ts'
import { findRunning } from '../../../server/core/db/embedded.ts'
import { createLogger } from '../../../server/core/log.ts'
import { startWorkerProcess } from '../../flows/cluster.ts'
import { importUntilEnd } from '../../flows/imports.ts'
import { startOrigin } from '../../fakes/origin.ts'
import { startServer, type ServerProcess } from '../../flows/server.ts'
import { compare, median, type Context, type Row } from '../bench.ts'

const SHOPS = Number(process.env.BENCH_MANY_SHOPS ?? 10_000)
const SETTLE_MS = 20_000
const IDLE_MS = Number(process.env.BENCH_IDLE_MS ?? 60_000)
const CHANNELS = [
  'jobs:insert',
  'operation_progress',
  'operation_control',
  'drop_control',
  'lock_wanted',
  'lock_free',
  'link_changed',
  'buyer_page_changed',
]
/** What an idle web process and worker may do in a minute, with any number of shops. */
const BOUNDS = { transactions: 600, notifications: 60 }
/** Runs of schedules that start and end in a second. */
const RUNS_A_SECOND = 10
/** An import of a person takes at most this many times as long beside all schedules. */
const BESIDE = 3

/** Copies the schedule of the demo shop to new shops, each with one file. */
async function fill({ pool }: Database): Promise<void> {
  await pool.query(
    `with made as (
       insert into shops (domain, name, demo)
       select 'many-' || n || '.myshopify.com', 'Many ' || n, true from generate_series(1, $1::int) n
       returning id),
     stored as (
       insert into blobs (shop_id, hash, size_bytes, sha256)
       select id, sha256('many'), 1000, sha256('many') from made returning shop_id, hash),
     located as (
       insert into blob_locations (shop_id, hash, location)
       select shop_id, hash, 'primary' from stored),
     filed as (
       insert into files (shop_id, filename, name_key, extension, size_bytes, content_type, channel)
       select id, 'Manual.pdf', 'manual.pdf', 'pdf', 1000, 'application/pdf', 'api' from made
       returning shop_id, id),
     versioned as (
       insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
       select filed.shop_id, filed.id, 1, stored.hash, 'primary', 1000, 'application/pdf'
       from filed join stored on stored.shop_id = filed.shop_id),
     mirrored as (
       insert into catalog_mirrors (shop_id, due_at)
       select id, now() + random() * interval '4 hours' from made)
     insert into triggers (shop_id, name, cron, action, options, filter, notify, next_run_at)
     select made.id, s.name, s.cron, s.action, s.options, s.filter, 'never', null
     from made, schedules s`,
    [SHOPS],
  )
  await pool.query('vacuum analyze')
}

interface Counts {
  transactions: number
  notifications: number
  /** Notifications by channel. */
  channels: Record<string, number>
}

/** Transactions of all processes, and notifications, while `work` runs. */
async function counted(url: string, work: () => Promise<unknown>): Promise<Counts> {
  const listener = new pg.Client({ connectionString: url })
  await listener.connect()
  const channels: Record<string, number> = {}
  listener.on('notification', ({ channel }) => {
    channels[channel] = (channels[channel] ?? 0) + 1
  })
  for (const channel of CHANNELS) await listener.query(`listen "${channel}"`)
  const read = async () => {
    await listener.query('select pg_stat_clear_snapshot()')
    const { rows } = await listener.query<{ n: string }>(
      `select xact_commit + xact_rollback as n from pg_stat_database
       where datname = current_database()`,
    )
    return Number(rows[0]?.n)
  }
  const before = await read()
  await work()
  const transactions = (await read()) - before
  await listener.end()
  const notifications = Object.values(channels).reduce((sum, count) => sum + count, 0)
  return { transactions, notifications, channels }
}

/** Waits for the hourly sweeps, which begin with a worker, and whose turns take all shops by and by. */
async function quiet({ pool }: Database): Promise<void> {
  for (let since = performance.now(); performance.now() - since < SETTLE_MS; await delay(200)) {
    const { rows } = await pool.query(
      'select 1 from graphile_worker.jobs where locked_at is not null limit 1',
    )
    if (rows.length > 0) since = performance.now()
  }
}

async function timeOfImport(server: ServerProcess, origin: string, name: string): Promise<number> {
  const began = performance.now()
  const { status } = await importUntilEnd(server, {
    files: [{ filename: `${name}.bin`, url: `${origin}/bytes/1000/${name}` }],
  })
  if (status !== 'success') throw new Error(`The import ended with ${status}`)
  return performance.now() - began
}

export async function manyShops({ folder, say }: Context): Promise<Row[]> {
  const dataDir = path.join(folder, 'many')
  const server = await startServer({ dataDir, env: { ROLE: 'web' } })
  const origin = await startOrigin()
  const url = (await findRunning(dataDir))!
  const database = openDatabase(
    url,
    4,
    createLogger('error', () => {}),
  )
  const secret = (await readFile(path.join(dataDir, 'secret'), 'utf8')).trim()
  const env = { ROLE: 'worker', DATABASE_URL: url, APP_SECRET: secret, DATA_DIR: dataDir }
  const made = await server.call('POST', '/api/schedules', {
    name: 'Nightly',
    cron: '0 0 * * *',
    action: 'tag-files',
    options: { mode: 'add', tags: ['night'] },
    filter: {},
  })
  if (made.status !== 201) throw new Error(await made.text())
  await fill(database)
  const worker = await startWorkerProcess('worker', env)
  try {
    await quiet(database)
    const idle = await counted(url, () => delay(IDLE_MS))
    const perMinute = 60_000 / IDLE_MS
    say(`idle: ${JSON.stringify(idle)} in ${IDLE_MS / 1000} s`)
    const alone: number[] = []
    for (let n = 0; n < 5; n++) alone.push(await timeOfImport(server, origin.url, `alone-${n}`))
    const midnight = await runAll(database, url, server, origin.url)
    say(`midnight: ${JSON.stringify({ ...midnight, beside: midnight.beside.map(Math.round) })}`)
    const bound = (what: string, unit: string, figure: number, most: number) =>
      compare(what, unit, [figure], [most], { ceiling: 1 })
    const { transactions, notifications } = idle
    return [
      bound(
        `transactions a minute, ${SHOPS} idle shops`,
        '',
        transactions * perMinute,
        BOUNDS.transactions,
      ),
      bound('notifications a minute', '', notifications * perMinute, BOUNDS.notifications),
      bound(`${SHOPS} schedules of one minute`, 's', midnight.seconds, SHOPS / RUNS_A_SECOND),
      bound('notifications for each of them', '', midnight.notifications / SHOPS, 4),
      compare('an import beside them', 'ms', [median(midnight.beside)], [median(alone)], {
        ceiling: BESIDE,
      }),
    ]
  } finally {
    await database.close()
    await worker.stop()
    await server.stop()
    await origin.close()
  }
}

/** All schedules are due now; imports of one shop run beside them. */
async function runAll({ pool }: Database, url: string, server: ServerProcess, origin: string) {
  const beside: number[] = []
  const began = performance.now()
  const open = async () => {
    const { rows } = await pool.query<{ n: number }>(
      `select (select count(*) from triggers where next_run_at <= now())::int
         + (select count(*) from operations where finished_at is null)::int as n`,
    )
    return rows[0]!.n
  }
  const counts = await counted(url, async () => {
    // Their next runs are spread over five minutes at most (features/schedules/rows.ts): most of
    // them are due at the end of this time, like these.
    await pool.query('update triggers set next_run_at = now()')
    for (let n = 0; (await open()) > 0; n++) {
      beside.push(await timeOfImport(server, origin, `beside-${n}`))
      await delay(5000)
    }
  })
  return { ...counts, seconds: (performance.now() - began) / 1000, beside }
}
