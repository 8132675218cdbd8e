// `npm run bench scale`: every list, filter, search and count of the API in a shop with a million
// files, against one with a hundred thousand in the same database, read in turn: the ratio is the
// figure. `BENCH_FILES`, `BENCH_FILES_SMALL`, `BENCH_DOWNLOADS` and `BENCH_SHOPS` set other sizes.
// Filling takes longer than reading: `BENCH_DATA=/folder` keeps the filled data folder there, and
// reads it again in the next run.
import path from 'node:path'
import { openDatabase, type Database } from '../../server/core/db/database.ts'
import { findRunning } from '../../server/core/db/embedded.ts'
import { forShop } from '../../server/core/db/for-shop.ts'
import { createLogger } from '../../server/core/log.ts'
import { checkCounts } from '../../server/files/file-counts.ts'
import { createApiKey } from '../../server/http/auth.ts'
import { SCOPES } from '../../server/http/endpoint.ts'
import { refreshTops } from '../../server/features/home/model/tops.ts'
import { startServer } from '../flows/server.ts'
import { reader, readRows } from './scale/reads.ts'
import { seedShops } from './scale/seed.ts'
import { sizeRows } from './scale/sizes.ts'
import { sweepRows } from './scale/sweeps.ts'
import type { Bench, Context, Row } from './bench.ts'

const count = (name: string, standard: number) => Number(process.env[name] ?? standard)
const FILES = count('BENCH_FILES', 1_000_000)
const SMALL = count('BENCH_FILES_SMALL', FILES / 10)
/** Of the large shop; the small one has as many for each file. */
const DOWNLOADS = count('BENCH_DOWNLOADS', 10 * FILES)
/** Other shops of the same database, with a few hundred files each. */
const SHOPS = count('BENCH_SHOPS', 1000)
const FILES_OF_OTHERS = 200
/** A read of the large shop takes at most this many times as long. */
const CEILING = 2

async function run(context: Context): Promise<Row[]> {
  const { folder, say } = context
  const dataDir = process.env.BENCH_DATA ?? path.join(folder, 'data')
  const server = await startServer({ dataDir })
  const log = createLogger('error', () => {})
  const database = openDatabase((await findRunning(dataDir))!, 4, log)
  try {
    const [small, large] = (await filledShops(database)) ?? (await fillShops(database, say))
    if (!small || !large) throw new Error('The bench has no shops')
    for (const { shop } of [small, large]) await refreshTops(forShop(database, shop), new Date())
    const [ofSmall, ofLarge] = await Promise.all(
      [small, large].map(async ({ shop }) => {
        const key = { name: 'bench', scopes: SCOPES, demo: true }
        return reader(server.url, (await createApiKey(forShop(database, shop), key)).key)
      }),
    )
    return [
      ...(await readRows(
        { small: ofSmall!, large: ofLarge! },
        { rounds: context.rounds, ceiling: CEILING, say },
      )),
      ...(await sweepRows(database, { small: small.shop, large: large.shop, say })),
      ...(await sizeRows(database)),
    ]
  } finally {
    await database.close()
    await server.stop()
  }
}

/** The shops of an earlier run in the same data folder; null: there are none. */
async function filledShops({ pool }: Database): Promise<{ shop: number }[] | null> {
  const { rows } = await pool.query<{ shop: number }>(
    `select id as shop from shops where domain like 'scale-%' order by id limit 2`,
  )
  return rows.length > 0 ? rows : null
}

/** Fills new shops, and what triggers would have kept. */
async function fillShops(
  database: Database,
  say: (text: string) => void,
): Promise<{ shop: number }[]> {
  const { pool } = database
  const shops = await createShops(database)
  await seedShops(pool, shops, say)
  for (const { shop } of shops.slice(0, 2)) await checkCounts(forShop(database, shop))
  await pool.query('update reviews set candidates = candidates')
  await pool.query(
    `insert into used_up_links (shop_id, link_id)
     select shop_id, id from links where downloads >= download_limit on conflict do nothing`,
  )
  await pool.query(
    `insert into shop_days (shop_id, day, figure, subject, value)
     select shop_id, day, 'downloads', '', sum(downloads) from file_days group by 1, 2
     on conflict do nothing`,
  )
  return shops
}

/** The small shop, the large one, and the others. */
async function createShops({ pool }: Database) {
  const sizes = [
    { files: SMALL, downloads: Math.round((DOWNLOADS * SMALL) / FILES) },
    { files: FILES, downloads: DOWNLOADS },
    ...Array.from({ length: SHOPS }, () => ({ files: FILES_OF_OTHERS, downloads: 0 })),
  ]
  const { rows } = await pool.query<{ id: number }>(
    `insert into shops (domain, name, demo)
     select 'scale-' || n || '.myshopify.com', 'Scale ' || n, true
     from generate_series(1, $1::int) n returning id`,
    [sizes.length],
  )
  return sizes.map((size, at) => ({ shop: rows[at]!.id, ...size }))
}

export const scaleBench: Bench = { name: 'scale', run }
