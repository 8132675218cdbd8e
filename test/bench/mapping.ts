// `npm run bench mapping`: 10,000 file names against 50,000 product titles, including the time to
// build the index, compared with one pg_trgm query over the same words; how often both find the
// same best candidate; memory; precision and recall over names with known titles.
import path from 'node:path'
import { openDatabase, type Database } from '../../server/core/db/database.ts'
import { startEmbedded } from '../../server/core/db/embedded.ts'
import { forShop, ensureShop } from '../../server/core/db/for-shop.ts'
import { migrate } from '../../server/core/db/migrate.ts'
import { createLogger } from '../../server/core/log.ts'
import { fillMirror, productId } from '../mirror.ts'
import { compare, peakMegabytes, startPart, type Bench, type Context, type Row } from './bench.ts'
import { makeNames, makeTitles, NAMES, textOf } from './mapping/names.ts'
import { qualityRows } from './mapping/quality.ts'
import { skuWordRows } from './mapping/sku-words.ts'

const TIMES_FASTER = 40
const SAME_FIRST = 0.998
const MEMORY_MB = 350
/** The lowest score that both must find: pg_trgm's default, so that neither stops early. */
const THRESHOLD = 0.3
/** The number of names in one round of pg_trgm, so that the bench takes minutes and not an hour. */
const SAMPLE = 300

interface First {
  n: number
  id: string | null
  score: number | null
}

async function prepare(
  database: Database,
  titles: readonly string[],
  names: readonly string[],
): Promise<number> {
  const { id: shop } = await ensureShop(database, { domain: 'bench.myshopify.com', demo: true })
  await fillMirror(forShop(database, shop), titles.map((title) => ({ title }))) // oxfmt-ignore
  const { pool } = database
  await pool.query('create table titles (id text primary key, words text not null)')
  await pool.query('create table names (n int primary key, words text not null)')
  // oxfmt-ignore
  await pool.query(`insert into titles select *
    from unnest($1::text[],
      $2::text[])`, [titles.map((_, at) => productId(at + 1)), titles.map(textOf)])
  // oxfmt-ignore
  await pool.query(`insert into names select *
    from unnest($1::int[], $2::text[])`, [[...names.keys()], names.map(nameText)])
  await pool.query('create index titles_words on titles using gin (words gin_trgm_ops)')
  await pool.query('vacuum analyze')
  return shop
}

const nameText = (name: string) => textOf(name.replace(/\.[a-z0-9]+$/i, ''))

async function theirs(database: Database, from: number): Promise<{ ms: number; first: First[] }> {
  const client = await database.pool.connect()
  try {
    await client.query(`set pg_trgm.similarity_threshold = ${THRESHOLD}`)
    const started = performance.now()
    const { rows } = await client.query<First>(
      `select names.n, best.id, best.score from names left join lateral (
         select id, similarity(titles.words, names.words) as score from titles
           where titles.words % names.words
         order by score desc, id limit 1) best on true
       where names.n >= $1 and names.n < $1 + $2 order by names.n`,
      [from, SAMPLE],
    )
    return { ms: performance.now() - started, first: rows }
  } finally {
    client.release()
  }
}

/** Of two titles with the same score, either may be first. */
async function countSame(
  database: Database,
  ours: readonly (string | null)[],
  theirs: readonly First[],
): Promise<number> {
  const { rows } = await database.pool.query<{ n: number; score: number }>(
    `select names.n, similarity(titles.words, names.words) as score
     from unnest($1::int[], $2::text[]) as ours(n, id) join names using (n) join titles
       on titles.id = ours.id`,
    [theirs.map(({ n }) => n), theirs.map(({ n }) => ours[n] ?? null)],
  )
  const scores = new Map(rows.map(({ n, score }) => [n, score]))
  return theirs.filter(({ n, score }) => (score ?? null) === (scores.get(n) ?? null)).length
}

async function measure({ rounds, say }: Context, database: Database): Promise<Row[]> {
  const names = makeNames(makeTitles())
  const shop = await prepare(database, makeTitles(), names)
  const settings = { url: database.url, shop, threshold: THRESHOLD }
  const part = await startPart(new URL('./mapping/ours.ts', import.meta.url), settings)
  const rates: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] }
  const same: number[] = []
  for (let round = 0; round <= rounds; round++) {
    say(`round ${round} of ${rounds}`)
    const mine = await part.ask<{ ms: number; first: (string | null)[] }>({})
    const other = await theirs(database, (round * SAMPLE) % NAMES)
    // The first round is warm-up.
    if (round === 0) continue
    rates.ours.push((NAMES / mine.ms) * 1000)
    rates.theirs.push((SAMPLE / other.ms) * 1000)
    same.push(((await countSame(database, mine.first, other.first)) / SAMPLE) * 100)
  }
  const memory = await peakMegabytes(part.pid)
  await part.stop()
  const whole = same.map(() => 100)
  return [
    compare(
      'names matched by title, including building the index',
      'names/s',
      rates.ours,
      rates.theirs,
      {
        floor: TIMES_FASTER,
      },
    ),
    {
      ...compare('same first candidate', '%', same, whole),
      ratio: mean(same) / 100,
      floor: SAME_FIRST,
    },
    compare('memory of the process that matches', 'MB', [memory], [MEMORY_MB], { ceiling: 1 }),
    ...qualityRows(),
    ...(await skuWordRows(await secondShop(database))),
  ]
}

async function secondShop(database: Database) {
  const { id } = await ensureShop(database, { domain: 'words.myshopify.com', demo: true })
  return forShop(database, id)
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, one) => sum + one, 0) / values.length

export const mapping: Bench = {
  name: 'mapping',
  run: async (context) => {
    const log = createLogger('error')
    const server = await startEmbedded(path.join(context.folder, 'data'), log)
    const database = openDatabase(server.url, 2, log)
    try {
      await migrate(database)
      return await measure(context, database)
    } finally {
      await database.close()
      await server.stop()
    }
  },
}
