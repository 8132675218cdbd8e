// `npm run bench [NAME]`: measures the product and a reference in turn, prints the ratios, and
// exits with 1 if a ratio is out of bounds. `--brief`: the main row of each bench, in one table.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { briefly } from './brief.ts'
import { fallsShort, type Bench, type Row } from './bench.ts'

/** Loaded when they run: the sizes of a brief run are read when a bench is loaded. */
const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  import: async () => (await import('./import.ts')).importBench,
  uploads: async () => (await import('./uploads.ts')).uploadsBench,
  engine: async () => (await import('./engine.ts')).engineBench,
  bulk: async () => (await import('./bulk.ts')).bulk,
  mapping: async () => (await import('./mapping.ts')).mapping,
  download: async () => (await import('./download.ts')).download,
  drop: async () => (await import('./drop.ts')).dropBench,
  csv: async () => (await import('./csv.ts')).csvBench,
  cloud: async () => (await import('./cloud.ts')).cloudBench,
  orders: async () => (await import('./orders.ts')).ordersBench,
  shops: async () => (await import('./shops.ts')).shopsBench,
  scale: async () => (await import('./scale.ts')).scaleBench,
  migrations: async () => (await import('./migrations.ts')).migrationsBench,
  start: async () => (await import('./start.ts')).startBench,
  page: async () => (await import('./page.ts')).pageBench,
}

function print(name: string, rows: readonly Row[]): void {
  const figure = (value: number) =>
    value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1)
  const table = rows.map((row) => [
    row.what,
    `${figure(row.ours)} ${row.unit}`,
    `${figure(row.theirs)} ${row.unit}`,
    row.ratio.toFixed(2),
    row.floor !== undefined
      ? `≥ ${row.floor}`
      : row.ceiling !== undefined
        ? `≤ ${row.ceiling}`
        : '',
    fallsShort(row) ? 'SHORT' : '',
  ])
  const all = [[name, 'ours', 'theirs', 'ratio', 'goal', ''], ...table]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  for (const row of all)
    console.log(
      row
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
        .join('  '),
    )
  console.log('')
}

const roundsOf = (brief: boolean) => Number(process.env.BENCH_ROUNDS ?? (brief ? 3 : 5))

/** In a new folder, which is removed. */
async function measure(name: string, load: () => Promise<Bench>, brief: boolean) {
  const folder = await mkdtemp(path.join(process.env.BENCH_DIR ?? tmpdir(), 'stevedore-bench-'))
  // PostgreSQL's user must be able to enter: if root runs the bench, the database is on this disk
  // too.
  await chmod(folder, 0o711)
  try {
    const bench = await load()
    const say = (text: string) => console.error(`${name}: ${text}`)
    return await bench.run({ brief, rounds: roundsOf(brief), folder, say })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function main(given: readonly string[]): Promise<number> {
  const brief = given.includes('--brief')
  const wanted = given.find((one) => one !== '--brief')
  const benches = Object.entries(BENCHES).filter(
    ([name]) => wanted === undefined || name === wanted,
  )
  if (benches.length === 0) {
    console.error(`There is no bench ${wanted}. Benches: ${Object.keys(BENCHES).join(', ')}`)
    return 2
  }
  if (brief) {
    const rows = await briefly(benches, (name, load) => measure(name, load, true))
    print('main rows', rows)
    return rows.some(fallsShort) ? 1 : 0
  }
  let short = false
  for (const [name, load] of benches) {
    const rows = await measure(name, load, false)
    print(name, rows)
    short ||= rows.some(fallsShort)
  }
  return short ? 1 : 0
}

process.exitCode = await main(process.argv.slice(2))
