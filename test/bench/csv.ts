// `npm run bench csv`: receives and checks a CSV file of 50,000 rows (names against the shop's
// files, SKUs against a mirror of 50,000 variants, no URL checks), compared with papaparse over the
// same file; and the memory used.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { findRunning } from '../../server/core/db/embedded.ts'
import { insertManyFiles } from '../factories.ts'
import { startServer } from '../flows/server.ts'
import {
  compare,
  peakMegabytes,
  SERVER_FLAGS,
  startPart,
  type Bench,
  type Context,
  type Row,
} from './bench.ts'

const ROWS = 50_000
const FILES = 10_000
/** The upper bound: a multiple of papaparse's time, plus milliseconds. */
const [TIMES, PLUS_MS] = [2, 1000]
const MEMORY_MB = 200

const skuOf = (n: number) => `BOOK-${String(n).padStart(6, '0')}-PDF`

async function writeCsv(file: string): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const name = `chapter ${n} of a book, with a title.pdf`
    // Every thousandth row has one mistake, and every five hundredth has an unknown SKU.
    const address =
      n % 1000 === 7
        ? 'ftp://example.com/a'
        : `https://cdn${n % 20}.example.com/files/${n}/book.pdf?v=${n * 7}`
    return `"${name}",${address},${n % 500 === 3 ? `NONE-${n}` : skuOf(n)},${30 + (n % 90)},${1 + (n % 9)},"books, part ${n % 40}; pdf"`
  })
  await writeFile(
    file,
    `filename,file_url,product_sku,expiry_days,download_limit,tags\r\n${rows.join('\r\n')}\r\n`,
  )
}

async function writeMirror(pool: pg.Pool, shop: number): Promise<void> {
  await pool.query(
    `insert into products (shop_id, id, title, title_key, handle, status)
     select $1, 'gid://shopify/Product/bench-' || n, 'Book ' || n, 'book ' || n, 'book-' || n,
       'ACTIVE' from generate_series(0, $2) n`,
    [shop, ROWS / 5],
  )
  await pool.query(
    `insert into variants (shop_id, id, product_id, position, title, sku, sku_key)
     select $1, 'gid://shopify/ProductVariant/bench-' || n, 'gid://shopify/Product/bench-' || n / 5,
       n % 5, 'PDF',
       'BOOK-' || lpad(n::text, 6, '0') || '-PDF', 'book-' || lpad(n::text, 6, '0') || '-pdf'
         from generate_series(0, $2) n`,
    [shop, ROWS - 1],
  )
  await pool.query(
    `insert into catalog_mirrors (shop_id, generation, finished_at, due_at)
       values ($1, 1, now(), now() + interval '1 day')
     on conflict (shop_id) do update set finished_at = now(), due_at = now() + interval '1 day'`,
    [shop],
  )
  await pool.query('vacuum analyze')
}

interface Checked {
  ms: number
  received: number
  end: { rows: number; errors: number; warnings: number }
}

async function run(context: Context): Promise<Row[]> {
  const file = path.join(context.folder, 'rows.csv')
  await writeCsv(file)
  const server = await startServer({ dataDir: path.join(context.folder, 'data') })
  const databaseUrl = (await findRunning(server.dataDir))!
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  const { rows } = await pool.query<{ id: number }>(
    'insert into shops (domain, name, demo) values ($1, $1, true) returning id',
    ['bench'],
  )
  const shop = rows[0]!.id
  await insertManyFiles(pool, { shop, count: FILES })
  await writeMirror(pool, shop)
  const bare = await startPart(new URL('./csv/bare.ts', import.meta.url), {})
  const ours = await startPart(
    new URL('./csv/ours.ts', import.meta.url),
    { databaseUrl, shop },
    SERVER_FLAGS,
  )
  try {
    const [checked, allowed, received]: [number[], number[], number[]] = [[], [], []]
    for (let round = 0; round <= context.rounds; round++) {
      context.say(`round ${round} of ${context.rounds}`)
      const theirs = await bare.ask<{ ms: number; rows: number }>({ file })
      const mine = await ours.ask<Checked>({ file })
      if (
        theirs.rows < ROWS ||
        mine.end.rows !== ROWS ||
        mine.end.errors !== ROWS / 1000 ||
        mine.end.warnings !== ROWS / 500
      )
        throw new Error(`The check found ${JSON.stringify(mine.end)}`)
      // The first round is warm-up.
      if (round === 0) continue
      checked.push(mine.ms)
      received.push(mine.received)
      allowed.push(TIMES * theirs.ms + PLUS_MS)
    }
    const mb = await peakMegabytes(ours.pid)
    return [
      compare(
        `50,000 rows received and checked, against ${TIMES} × papaparse + 1 s`,
        'ms',
        checked,
        allowed,
        {
          ceiling: 1,
        },
      ),
      compare('of that, receiving them', 'ms', received, checked),
      compare('peak memory', 'MB', [mb], [MEMORY_MB], { ceiling: 1 }),
    ]
  } finally {
    await bare.stop()
    await ours.stop()
    await pool.end()
    await server.stop()
  }
}

export const csvBench: Bench = { name: 'csv', run }
