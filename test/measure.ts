// `npm run measure`: figures about the code itself, to compare before and after a change of its
// layout: sizes, what changes together, the places that a new thing needs, and the files that a
// trip through the product runs (docs/measure.md). `--list` also prints the files of each trip in
// the order of first use, and the groups of files that change together; `--trips` leaves out the
// rest. How a file is judged is said in measure/verdicts.ts.
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from './flows/server.ts'
import { changedTogether } from './measure/history.ts'
import { figuresOf, type Source } from './measure/product.ts'
import { countMigrations, productFiles, readHistory } from './measure/repository.ts'
import { instrumented, measureTrips, type TripFiles } from './measure/trips.ts'
import { unusedExports } from './unused-exports.ts'
import { addSampleChannel, addSampleFeature, changesBy, copyProduct } from './sample-feature.ts'

const lists = process.argv.includes('--list')

const print = (name: string, figure: string) => console.log(`${name.padEnd(24)} ${figure}`)

function printFigures(files: readonly Source[]): void {
  for (const [name, figure] of figuresOf(files)) print(name, figure)
  print('migrations', String(countMigrations()))
  print('exports for tests only', String(unusedExports().length))
  const groups = changedTogether(readHistory(), new Set(files.map(({ file }) => file)))
  print('changed together', `${groups.flat().length} files in ${groups.length} groups`)
  if (lists) for (const group of groups) console.log(`  ${group.join(' ')}`)
}

/** What a contributor adds and edits for the samples of test/features/. */
async function printPlaces(): Promise<void> {
  const house = path.join(ROOT, '.test', 'measured')
  await copyProduct(house)
  const feature = await changesBy(() => addSampleFeature(house), house)
  const channel = await changesBy(() => addSampleChannel(house), house)
  const naming = async (pattern: RegExp, files: readonly string[]) => {
    const texts = files
      .filter((file) => /\.tsx?$/.test(file))
      .map(async (file) => pattern.test(await readFile(path.join(house, file), 'utf8')))
    return (await Promise.all(texts)).filter(Boolean).length
  }
  const parts = async (name: string, pattern: RegExp) => {
    const [added, edited] = [feature.added, feature.edited.filter((file) => !/\.gen\./.test(file))]
    const places = (await naming(pattern, added)) + (await naming(pattern, edited))
    console.log(`${name.padEnd(24)} ${places} places`)
  }
  const whole = (name: string, { added, edited }: typeof feature) => {
    const folders = new Set(added.map((file) => path.dirname(file)))
    const by = `${added.length} files in ${folders.size} folders, edits ${edited.join(', ')}`
    console.log(`${name.padEnd(24)} adds ${by}`)
  }
  whole('a feature', feature)
  whole('a channel with bytes', channel)
  await parts('a page', /WishesPage|import \{ wishes \}/)
  await parts('an endpoint', /\/api\/wishes/)
  await parts('a webhook event', /wish\.granted|wishGranted/)
  // Its name, and no part of an address.
  const product = (await productFiles()).filter(({ text }) => /(?<![/\w])cdn(?![./\w])/.test(text))
  console.log(`${'a file setting (cdn)'.padEnd(24)} ${product.length} places`)
  await rm(house, { recursive: true })
}

const COLUMNS = ['trip', 'files', 'folders', 'do it', 'relay', 'in vain', 'demo'] as const
const printRow = ([trip, ...figures]: readonly string[]) =>
  console.log([trip!.padEnd(24), ...figures.map((one) => one.padStart(9))].join(''))

function printTrip({ name, files }: TripFiles): void {
  const own = files.filter(({ verdict }) => verdict !== 'demo')
  const folders = new Set(own.map(({ file }) => path.dirname(file)))
  const count = (verdict: string) => files.filter((one) => one.verdict === verdict).length
  const figures = [own.length, folders.size, ...['does', 'relay', 'vain', 'demo'].map(count)]
  printRow([name, ...figures.map(String)])
  if (lists) for (const { file, verdict } of files) console.log(`  ${verdict.padEnd(6)} ${file}`)
}

const files = await productFiles()
if (!process.argv.includes('--trips')) {
  printFigures(files)
  await printPlaces()
}
console.log(
  `
Files that a trip runs when it is done for the second time, without what an idle server runs.
"In vain": nothing had an effect or gave back a value, or what was made did not run
(test/measure/verdicts.ts). "Relay": only passed a call on. The demo platform is not in "files".`,
)
printRow(COLUMNS)
await measureTrips(instrumented(files), printTrip)
