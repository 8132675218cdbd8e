// `npm run bench -- --brief`: the main row of every bench in one table, in under ten minutes.
import type { Bench, Row } from './bench.ts'

/** Sizes of a brief run, unless they are set. */
const SIZES: Readonly<Record<string, string>> = {
  BENCH_FILES: '50000',
  BENCH_DOWNLOADS: '100000',
  BENCH_SHOPS: '20',
  BENCH_DROP_MB: '300',
  BENCH_PART: 'orders',
  BENCH_RATE: '50',
  BENCH_SECONDS: '10',
  BENCH_SAMPLES: '3',
  BENCH_SMALL_SHOPS: '5',
  BENCH_SMALL_FILES: '50',
  BENCH_PARTS: 'paint',
  BENCH_PAGES: '/files',
}
/** Of each bench. */
const MOST_ROWS = 2

type Loaders = readonly (readonly [name: string, load: () => Promise<Bench>])[]

/** Runs the benches one after another. One that fails is a row, and the others still run. */
export async function briefly(
  benches: Loaders,
  measure: (name: string, load: () => Promise<Bench>) => Promise<readonly Row[]>,
): Promise<Row[]> {
  for (const [name, size] of Object.entries(SIZES)) process.env[name] ??= size
  const all: Row[] = []
  for (const [name, load] of benches) {
    const begun = performance.now()
    try {
      const rows = mainRows(await measure(name, load))
      all.push(...rows.map((row) => ({ ...row, what: `${name}: ${row.what}` })))
    } catch (error) {
      console.error(`${name} failed:`, error)
      all.push(failed(name))
    }
    console.error(`${name}: ${Math.round((performance.now() - begun) / 1000)} s`)
  }
  return all
}

/** The rows that are nearest to their bounds or beyond; without bounds, the first ones. */
export function mainRows(rows: readonly Row[]): Row[] {
  const bounded = rows.filter(({ floor, ceiling }) => floor !== undefined || ceiling !== undefined)
  const chosen = (bounded.length > 0 ? bounded : rows)
    .toSorted((a, b) => margin(a) - margin(b))
    .slice(0, MOST_ROWS)
  return rows.filter((row) => chosen.includes(row))
}

/** How far a row is from falling short: below 1 it does. */
const margin = (row: Row): number => {
  if (Number.isNaN(row.ratio)) return -Infinity
  return row.floor === undefined ? (row.ceiling ?? 1) / row.ratio : row.ratio / row.floor
}

const failed = (name: string): Row => ({
  what: `${name}: failed`,
  unit: '',
  ours: NaN,
  theirs: NaN,
  ratio: NaN,
  floor: 0,
})
