// `npm run bench migrations`: applies the migrations that can be undone, one after another, to a shop
// with a million files and ten million downloads, and shows how long each of them takes, and for
// how long it holds a lock that other statements wait for. `BENCH_FILES` and `BENCH_DOWNLOADS` set
// other sizes, and `BENCH_DATA=/folder` keeps the filled database there.
import path from 'node:path'
import pg from 'pg'
import { openDatabase, type Database } from '../../server/core/db/database.ts'
import { startEmbedded } from '../../server/core/db/embedded.ts'
import { migrate, migrateDown, migrationsOf } from '../../server/core/db/migrate.ts'
import { createLogger } from '../../server/core/log.ts'
import { seedShops } from './scale/seed.ts'
import { compare, type Bench, type Context, type Row } from './bench.ts'

const FILES = Number(process.env.BENCH_FILES ?? 1_000_000)
const DOWNLOADS = Number(process.env.BENCH_DOWNLOADS ?? 10 * FILES)
/** The last migration of the first release, whose schema cannot be undone. */
const FIRST_RELEASE = '0007'
/** A lock that statements of the product wait for is held for at most this time. */
const LOCK_SECONDS = 2
const WATCH_MS = 50
const NAME = 'bench migrations'

async function run({ folder, say }: Context): Promise<Row[]> {
  const log = createLogger('error')
  const embedded = await startEmbedded(process.env.BENCH_DATA ?? path.join(folder, 'data'), log)
  const database = openDatabase(embedded.url, 4, log, { name: NAME })
  const watcher = new pg.Client({ connectionString: embedded.url, application_name: 'watcher' })
  await watcher.connect()
  try {
    await migrate(database)
    await fill(database, say)
    const undone = await migrateDown(database, FIRST_RELEASE)
    await database.pool.query('vacuum analyze')
    if (undone.length === 0) say('There is no migration after those of the first release.')
    const rows: Row[] = []
    for (const { name } of undone.toReversed())
      rows.push(...(await measure(database, watcher, name, say)))
    return rows
  } finally {
    await watcher.end()
    await database.close()
    await embedded.stop()
  }
}

/** Fills one shop, unless an earlier run has. */
async function fill({ pool }: Database, say: Context['say']): Promise<void> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into shops (domain, name, demo) values ('migrated.myshopify.com', 'Migrated', true)
     on conflict do nothing returning id`,
  )
  const shop = rows[0]?.id
  if (shop !== undefined) await seedShops(pool, [{ shop, files: FILES, downloads: DOWNLOADS }], say)
}

/** Applies this migration, and shows the longest lock. */
async function measure(
  database: Database,
  watcher: pg.Client,
  name: string,
  say: Context['say'],
): Promise<Row[]> {
  const { rows: known } = await database.knex
    .raw<{ rows: { name: string }[] }>('select name from knex_migrations')
    .then(({ rows }) => ({ rows: [...rows, { name }] }))
  const migrations = await migrationsOf(known.map((each) => each.name))
  const locks = watchLocks(watcher)
  const began = performance.now()
  await migrate(database, { migrations })
  const seconds = (performance.now() - began) / 1000
  const held = await locks.stop()
  const [longest] = [...held].toSorted(([, a], [, b]) => b - a)
  say(
    `${name}: ${seconds.toFixed(1)} s; locks: ${
      [...held]
        .filter(([, ms]) => ms > 500)
        .map(([lock, ms]) => `${lock} ${(ms / 1000).toFixed(1)} s`)
        .join(', ') || 'all below half a second'
    }`,
  )
  if (!longest || longest[1] < WATCH_MS * 2) return []
  const what = `${name}: longest lock (${longest[0]})`
  return [compare(what, 's', [longest[1] / 1000], [LOCK_SECONDS], { ceiling: 1 })]
}

/** Of locks that wait for statements which change rows, or that these wait for. */
const LOCKS = `select c.relname || ' ' || l.mode as lock
  from pg_locks l join pg_class c on c.oid = l.relation join pg_namespace n on n.oid = c.relnamespace
  join pg_stat_activity a on a.pid = l.pid
  where l.granted and n.nspname = 'public' and c.relkind in ('r', 'p') and a.application_name = $1
    and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    -- A table that this migration has made has no other users.
    and exists (select from pg_stat_user_tables s where s.relid = c.oid and s.n_live_tup > 0)`

/** The longest time for which each lock was held, in milliseconds. */
function watchLocks(watcher: pg.Client): { stop(): Promise<Map<string, number>> } {
  const longest = new Map<string, number>()
  const since = new Map<string, number>()
  let stopping = false
  const watch = async () => {
    while (!stopping) {
      const { rows } = await watcher.query<{ lock: string }>(LOCKS, [NAME])
      const now = performance.now()
      const held = new Set(rows.map(({ lock }) => lock))
      for (const lock of since.keys()) if (!held.has(lock)) since.delete(lock)
      for (const lock of held) {
        const begun = since.get(lock) ?? now
        since.set(lock, begun)
        longest.set(lock, Math.max(longest.get(lock) ?? 0, now - begun))
      }
      await new Promise((resolve) => setTimeout(resolve, WATCH_MS))
    }
  }
  const watching = watch()
  return {
    stop: async () => {
      stopping = true
      await watching
      return longest
    },
  }
}

export const migrationsBench: Bench = { name: 'migrations', run }
