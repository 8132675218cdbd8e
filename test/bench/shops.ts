// `npm run bench shops`: what a healthy shop waits for an import, a check of a CSV file and a cloud
// sync while four other shops use servers that never answer, compared with the same alone: the 95th
// percentile. Then how long 50 shops wait for the start of their imports beside one shop's import of
// 20,000 files, and that shop itself for the start of ten files: the medians. `BENCH_SHOPS_ONLY=fairness`
// measures only these; `BENCH_SMALL_SHOPS` and `BENCH_SMALL_FILES` set smaller sizes. Then 10,000 idle
// shops whose schedules are due at one minute (`BENCH_SHOPS_ONLY=many`, shops/many.ts).
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase, type Database } from '../../server/core/db/database.ts'
import { findRunning } from '../../server/core/db/embedded.ts'
import { forShop } from '../../server/core/db/for-shop.ts'
import { createApiKey } from '../../server/http/auth.ts'
import { parsePublicId } from '../../server/core/ids.ts'
import { SCOPES } from '../../server/http/endpoint.ts'
import { createLogger } from '../../server/core/log.ts'
import { startBucket, type FakeBucket } from '../fakes/bucket.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { startServer, type ServerProcess } from '../flows/server.ts'
import { shopCaller, type CallShop } from '../shop-caller.ts'
import { manyShops } from './shops/many.ts'
import { compare, median, type Bench, type Context, type Row } from './bench.ts'

const ATTACKERS = 4
/** Long enough for every place to be taken and for the first runs to count as slow. */
const SETTLE_MS = 8000
const SAMPLES = Number(process.env.BENCH_SAMPLES ?? 20)
const CEILING = 2

type Call = (...call: Parameters<CallShop>) => Promise<Body>
// What the routes answer differs.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

interface Fixture {
  database: Database
  origin: Origin
  healthy: Call
  others: readonly Call[]
  buckets: { healthy: FakeBucket; hanging: FakeBucket }
}

/** One kind of shared work. */
interface Work {
  what: string
  /** Prepares the healthy shop; the result does the work once. */
  prepare(fixture: Fixture): Promise<(n: number) => Promise<void>>
  /** Starts what never ends, for one shop. */
  attack(fixture: Fixture, call: Call, shop: number): Promise<unknown>
}

/** Polls the database: the API limits how often a shop reads. */
async function until({ pool }: Database, condition: string, id: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(`select ${condition}`, [id])
    if (rows.length > 0) return
    await delay(10)
  }
}

const addresses = (origin: Origin, kind: string, count: number, name: string) =>
  Array.from({ length: count }, (_, n) => ({
    filename: `${name}-${n}.txt`,
    url: `${origin.url}/${kind}/${name}-${n}`,
  }))

const WORKS: readonly Work[] = [
  {
    what: 'an import of 5 files',
    prepare: async ({ healthy, origin }) => {
      return async (n) => {
        const files = addresses(origin, 'bytes/1000', 5, `healthy-${n}-${Date.now()}`)
        const { status } = await healthy('POST', '/api/files/import', { files })
        if (status !== 'success') throw new Error(`The import ended with ${status}`)
      }
    },
    attack: async ({ origin }, call, shop) => {
      for (let n = 0; n < 3; n++)
        await call('POST', '/api/files/import', {
          files: addresses(origin, 'silent', 300, `stuck-${shop}-${n}`),
        })
    },
  },
  {
    what: 'a check of a CSV file of 20 rows',
    prepare: async ({ healthy, origin, database }) => {
      const id = await uploadCsv(healthy, addresses(origin, 'bytes/1000', 20, 'checked'))
      const uuid = parsePublicId('csv', id)!
      return async () => {
        await check(healthy, id)
        await until(database, `from csv_uploads where id = $1 and status = 'checked'`, uuid)
      }
    },
    attack: async ({ origin }, call, shop) => {
      for (let n = 0; n < 3; n++) {
        const id = await uploadCsv(call, addresses(origin, 'silent', 500, `rows-${shop}-${n}`))
        await check(call, id)
      }
    },
  },
  {
    what: 'a sync of a cloud folder of 5 files',
    prepare: async ({ healthy, others, buckets, database }) => {
      const { id } = await healthy('POST', '/api/connections', {
        ...buckets.healthy.connection('healthy'),
        name: 'Healthy',
        notify: false,
        auto_map: false,
      })
      // Made before they hang: a new connection is tried once.
      for (const call of others)
        for (let n = 0; n < 3; n++)
          await call('POST', '/api/connections', {
            ...buckets.hanging.connection(`stuck-${n}`),
            name: `Stuck ${n}`,
            notify: false,
            auto_map: false,
          })
      return async (n) => {
        for (let file = 0; file < 5; file++)
          buckets.healthy.put(`healthy/${Date.now()}-${n}-${file}.txt`, `${n} ${file}`)
        const sync = await healthy('POST', `/api/connections/${id}/sync`, {})
        await until(
          database,
          `from operations where id = $1 and finished_at is not null`,
          parsePublicId(['import', 'op'], sync.id)!,
        )
      }
    },
    attack: async ({ buckets }, call) => {
      buckets.hanging.intercept = () => new Promise(() => {})
      const { data } = await call('GET', '/api/connections')
      for (const { id } of data) await call('POST', `/api/connections/${id}/sync`, {})
    },
  },
]

async function uploadCsv(
  call: Call,
  rows: readonly { filename: string; url: string }[],
): Promise<string> {
  const lines = rows.map(({ filename, url }) => `${filename},${url}`)
  return (await call('POST', '/api/csv', `filename,file_url\n${lines.join('\n')}\n`)).id
}

const check = (call: Call, id: string) => call('POST', `/api/csv/${id}/check`, { probe: true })

async function callerOf(
  database: Database,
  server: ServerProcess,
  name: string,
  prefer: Record<string, string> = {},
): Promise<Call> {
  const { rows } = await database.pool.query<{ id: number }>(
    'insert into shops (domain, name, demo) values ($1, $1, true) returning id',
    [`${name}.myshopify.com`],
  )
  const scope = forShop(database, rows[0]!.id)
  const { key } = await createApiKey(scope, { name, scopes: SCOPES, demo: true })
  return shopCaller({ url: server.url, apiKey: key, prefer })
}

async function p95(run: (n: number) => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < SAMPLES; n++) {
    const began = performance.now()
    await run(n)
    times.push(performance.now() - began)
  }
  return times.toSorted((a, b) => a - b)[Math.ceil(0.95 * SAMPLES) - 1]!
}

async function measure(work: Work, { folder, say }: Context): Promise<Row> {
  const dataDir = path.join(folder, work.what.replaceAll(' ', '-'))
  const server = await startServer({ dataDir })
  const [origin, healthyBucket, hangingBucket] = await Promise.all([
    startOrigin(),
    startBucket(),
    startBucket(),
  ])
  const log = createLogger('error', () => {})
  const database = openDatabase((await findRunning(dataDir))!, 4, log)
  try {
    const fixture: Fixture = {
      database,
      origin,
      buckets: { healthy: healthyBucket, hanging: hangingBucket },
      healthy: await callerOf(database, server, 'healthy'),
      others: await Promise.all(
        Array.from({ length: ATTACKERS }, (_, n) =>
          callerOf(database, server, `stuck-${n}`, { prefer: 'respond-async' }),
        ),
      ),
    }
    const run = await work.prepare(fixture)
    await run(-1)
    const alone = await p95(run)
    for (const [shop, call] of fixture.others.entries()) await work.attack(fixture, call, shop)
    const first = performance.now()
    await run(-2)
    say(`${work.what}: the first one beside them takes ${Math.round(performance.now() - first)} ms`)
    await delay(SETTLE_MS)
    const beside = await p95(run)
    return compare(
      `${work.what}, beside ${ATTACKERS} shops whose servers never answer`,
      'ms',
      [beside],
      [alone],
      {
        ceiling: CEILING,
      },
    )
  } finally {
    await database.close()
    await server.kill()
    await Promise.all([origin.close(), healthyBucket.close(), hangingBucket.close()])
  }
}

const SMALL_SHOPS = Number(process.env.BENCH_SMALL_SHOPS ?? 50)
const SMALL_FILES = Number(process.env.BENCH_SMALL_FILES ?? 200)
const LARGE_FILES = SMALL_FILES * 100
const FAIR = 1.5

const OWN_FILES = 10

/** The median of the seconds that one import of each of the shops waits for its first file. */
async function medianStart(
  { database, origin }: Queue,
  { round, shops, size }: { round: string; shops: readonly Call[]; size: number },
): Promise<number> {
  const ids = await Promise.all(
    shops.map(async (call, shop) => {
      const files = addresses(origin, 'bytes/1000', size, `${round}-${shop}`)
      const { job_id: id } = await call('POST', '/api/files/import', { files })
      return parsePublicId(['import', 'op'], id)!
    }),
  )
  for (const id of ids)
    await until(database, `from operations where id = $1 and finished_at is not null`, id)
  const { rows } = await database.pool.query<{ seconds: number }>(
    `select extract(epoch from min(i.finished_at) - o.created_at)::float8 as seconds
     from operations o join items i on i.shop_id = o.shop_id and i.operation_id = o.id
     where o.id = any($1::uuid[]) group by o.id, o.created_at`,
    [ids],
  )
  return median(rows.map(({ seconds }) => seconds))
}

interface Queue {
  database: Database
  origin: Origin
  large: Call
  others: readonly Call[]
}

/** Concurrent imports of the small shops, and before them ten files of the large one, a few times in turn. */
async function starts(queue: Queue, round: string): Promise<{ others: number; own: number }> {
  const { large, others } = queue
  const own: number[] = []
  for (let n = 0; n < SAMPLES; n++)
    own.push(
      await medianStart(queue, { round: `own-${round}-${n}`, shops: [large], size: OWN_FILES }),
    )
  const all = await medianStart(queue, { round, shops: others, size: SMALL_FILES })
  return { others: all, own: median(own) }
}

/** Imports of small shops, and small ones of a large shop, alone and beside a large import. */
export async function fairness({ folder, say }: Context): Promise<Row[]> {
  const dataDir = path.join(folder, 'fairness')
  const server = await startServer({ dataDir })
  const origin = await startOrigin()
  const log = createLogger('error', () => {})
  const database = openDatabase((await findRunning(dataDir))!, 4, log)
  try {
    const prefer = { prefer: 'respond-async' }
    const large = await callerOf(database, server, 'large', prefer)
    const others = await Promise.all(
      Array.from({ length: SMALL_SHOPS }, (_, n) =>
        callerOf(database, server, `small-${n}`, prefer),
      ),
    )
    const queue = { database, origin, large, others }
    await medianStart(queue, { round: 'warm-up', shops: others, size: SMALL_FILES })
    const alone = await starts(queue, 'alone')
    const said = ({ others: all, own }: typeof alone) =>
      `half of the shops wait ${all.toFixed(1)} s or less, and the large one ${own.toFixed(2)} s`
    say(`alone, ${said(alone)}`)
    for (let from = 0; from < LARGE_FILES; from += PART)
      await large('POST', '/api/files/import', {
        files: addresses(origin, 'bytes/1000', Math.min(PART, LARGE_FILES - from), `large-${from}`),
      })
    await delay(SETTLE_MS / 4)
    const beside = await starts(queue, 'beside')
    say(`beside the large import, ${said(beside)}`)
    const { rows } = await database.pool.query('select 1 from operations where finished_at is null')
    if (rows.length === 0) throw new Error('The import of the large shop ended too early')
    const goal = { ceiling: FAIR }
    const [of, than] = [`first file of`, `beside one of ${LARGE_FILES} files`]
    return [
      compare(
        `${of} ${SMALL_SHOPS} shops’ imports, ${than}`,
        's',
        [beside.others],
        [alone.others],
        goal,
      ),
      // Both are fractions of a second: the goal is that it does not wait for the large one.
      compare(`${of} ${OWN_FILES} of the same shop, ${than}`, 's', [beside.own], [alone.own]),
    ]
  } finally {
    await database.close()
    await server.kill()
    await origin.close()
  }
}
/** The API takes this many files in one request. */
const PART = 1000

async function run(context: Context): Promise<Row[]> {
  const only = process.env.BENCH_SHOPS_ONLY
  const rows: Row[] = []
  if (context.brief) return fairness(context)
  if (only === undefined) for (const work of WORKS) rows.push(await measure(work, context))
  if (only !== 'many') rows.push(...(await fairness(context)))
  if (only !== 'fairness') rows.push(...(await manyShops(context)))
  return rows
}

export const shopsBench: Bench = { name: 'shops', run }
