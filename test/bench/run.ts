// `npm run bench [NAME]`: measures the product and a reference in turn, prints the ratios, and
// exits with 1 if a ratio is out of bounds.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Bench, Row } from './bench.ts'
import { bulk } from './bulk.ts'
import { cloudBench } from './cloud.ts'
import { csvBench } from './csv.ts'
import { download } from './download.ts'
import { dropBench } from './drop.ts'
import { engineBench } from './engine.ts'
import { importBench } from './import.ts'
import { mapping } from './mapping.ts'
import { migrationsBench } from './migrations.ts'
import { ordersBench } from './orders.ts'
import { pageBench } from './page.ts'
import { scaleBench } from './scale.ts'
import { shopsBench } from './shops.ts'
import { startBench } from './start.ts'
import { uploadsBench } from './uploads.ts'

const BENCHES: readonly Bench[] = [
  importBench,
  uploadsBench,
  engineBench,
  bulk,
  mapping,
  download,
  dropBench,
  csvBench,
  cloudBench,
  ordersBench,
  shopsBench,
  scaleBench,
  migrationsBench,
  startBench,
  pageBench,
]
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)

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

/** NaN is out of any bound. */
const fallsShort = ({ ratio, floor, ceiling }: Row) =>
  (floor !== undefined && !(ratio >= floor)) || (ceiling !== undefined && !(ratio <= ceiling))

async function main(wanted: string | undefined): Promise<number> {
  const benches = BENCHES.filter(({ name }) => wanted === undefined || name === wanted)
  if (benches.length === 0) {
    console.error(
      `There is no bench ${wanted}. Benches: ${BENCHES.map(({ name }) => name).join(', ')}`,
    )
    return 2
  }
  let short = false
  for (const bench of benches) {
    const folder = await mkdtemp(path.join(process.env.BENCH_DIR ?? tmpdir(), 'stevedore-bench-'))
    // PostgreSQL's user must be able to enter: if root runs the bench, the database is on this disk
    // too.
    await chmod(folder, 0o711)
    try {
      const say = (text: string) => console.error(`${bench.name}: ${text}`)
      const rows = await bench.run({ rounds: ROUNDS, folder, say })
      print(bench.name, rows)
      short ||= rows.some(fallsShort)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return short ? 1 : 0
}

process.exitCode = await main(process.argv[2])
