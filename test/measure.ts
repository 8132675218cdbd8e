// `npm run measure`: figures about the code itself, to compare before and after a change of its
// layout: lines and files, long functions, non-null assertions, places that a new thing needs, and
// the files that one import, one tag and one download execute.
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { unusedExports } from './unused-exports.ts'
import { addSampleChannel, addSampleFeature, changesBy, copyProduct } from './sample-feature.ts'
import {
  makeDataDir,
  removeDataDir,
  ROOT,
  startServer,
  type ServerProcess,
} from './flows/server.ts'

const PRODUCT = ['server', 'plugins', 'workflows', 'web']
const MAX_FUNCTION_LINES = 60

interface Source {
  file: string
  text: string
  lines: number
}

async function productFiles(): Promise<Source[]> {
  const listed = execFileSync('git', ['ls-files', ...PRODUCT, 'app.config.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  }).split('\n')
  const files = listed.filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.gen\.ts$|\.d\.ts$/.test(file),
  )
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(ROOT, file), 'utf8')
      return { file, text, lines: text.split('\n').length - 1 }
    }),
  )
}

interface Parsed {
  assertions: number
  long: { name: string; lines: number }[]
}

function parse({ file, text }: Source): Parsed {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Parsed = { assertions: 0, long: [] }
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
  const visit = (node: ts.Node) => {
    if (ts.isNonNullExpression(node)) found.assertions++
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const lines = lineOf(node.end) - lineOf(node.getStart()) + 1
      const name =
        node.name?.getText() ?? (node.parent as { name?: ts.Node }).name?.getText() ?? '…'
      if (lines > MAX_FUNCTION_LINES) found.long.push({ name: `${file} ${name}`, lines })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))]!

function printFigures(files: readonly Source[]): void {
  const sources = files.map((source) => ({ ...source, ...parse(source) }))
  const sizes = sources.map(({ lines }) => lines)
  const total = sizes.reduce((sum, lines) => sum + lines, 0)
  const server = sources.filter(({ file }) => file.startsWith('server/'))
  const serverLines = server.reduce((sum, { lines }) => sum + lines, 0)
  const assertions = server.reduce((sum, source) => sum + source.assertions, 0)
  const long = sources.flatMap((source) => source.long).sort((a, b) => b.lines - a.lines)
  console.log(`product lines            ${total}`)
  console.log(`product files            ${sources.length}`)
  console.log(
    `lines of a file          ${percentile(sizes, 0.5)} median, ${percentile(sizes, 0.9)} 90th percentile`,
  )
  console.log(
    `\`!\` in 1,000 lines       ${((1000 * assertions) / serverLines).toFixed(1)} (server)`,
  )
  console.log(`functions > ${MAX_FUNCTION_LINES} lines     ${long.length}`)
  for (const { name, lines } of long.slice(0, 10)) console.log(`  ${lines}  ${name}`)
  const loose = server.filter(({ file }) => file.split('/').length === 2)
  console.log(`loose files in server/   ${loose.length}`)
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

interface Coverage {
  result: { url: string; functions: { ranges: { startOffset: number; count: number }[] }[] }[]
}

/** Writes what has run since the last signal, and begins to count again. */
const ON_SIGNAL = `data:text/javascript,import v8 from 'node:v8';process.on('SIGUSR2',v8.takeCoverage)`
const IDLE_MS = 10_000

/** The functions that ran since the last call, as file:offset. */
async function takeExecuted({ child }: ServerProcess, folder: string): Promise<Set<string>> {
  const before = new Set(await readdir(folder))
  child.kill('SIGUSR2')
  let name: string | undefined
  while (name === undefined) {
    await delay(200)
    name = (await readdir(folder)).find((one) => !before.has(one))
  }
  // It is written with one call, after it was created.
  await delay(2000)
  const { result } = JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Coverage
  const ran = new Set<string>()
  for (const { url, functions } of result) {
    if (!url.startsWith('file://')) continue
    const file = path.relative(ROOT, fileURLToPath(url))
    if (!/^(server|plugins|workflows)\//.test(file)) continue
    for (const { ranges } of functions)
      if (ranges[0]!.count > 0) ran.add(`${file}:${ranges[0]!.startOffset}`)
  }
  return ran
}

/** One import, one tag and one download in one server, without what it does while it is idle. */
async function printExecuted(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-coverage-'))
  const dataDir = await makeDataDir()
  const env = { NODE_V8_COVERAGE: folder, NODE_OPTIONS: `--import="${ON_SIGNAL}"` }
  const server = await startServer({ dataDir, env })
  try {
    await delay(IDLE_MS)
    await takeExecuted(server, folder)
    await delay(IDLE_MS)
    const idle = await takeExecuted(server, folder)
    const report = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const result = await work()
      const ran = await takeExecuted(server, folder)
      const files = new Set(
        [...ran].filter((one) => !idle.has(one)).map((one) => one.split(':')[0]!),
      )
      const folders = new Set([...files].map((file) => path.dirname(file)))
      console.log(`${name.padEnd(24)} ${files.size} files in ${folders.size} folders`)
      return result
    }
    const call = async <T>(method: string, route: string, body: object): Promise<T> =>
      (await server.call(method, route, body)).json() as Promise<T>
    const { files } = await report('one API import', () =>
      call<{ files: { file_id: string }[] }>('POST', '/api/files/import', {
        files: [{ filename: 'measured.pdf', url: `${server.url}/demo/sample.pdf` }],
      }),
    )
    const file_ids = files.map(({ file_id }) => file_id)
    await report('one tag', () =>
      call('PUT', '/api/files/bulk-update', { file_ids, updates: { tags: ['measured'] } }),
    )
    const made = await report('one link', () =>
      call<{ data: { url: string }[] }>('POST', '/api/links', { file_ids, download_limit: 5 }),
    )
    await report('one download', async () => {
      const answer = await fetch(made.data[0]!.url, { headers: { 'user-agent': 'curl/8' } })
      if (!answer.ok) throw new Error(`The download was answered ${answer.status}`)
      await answer.arrayBuffer()
    })
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
    await removeDataDir(dataDir)
  }
}

printFigures(await productFiles())
const exported = unusedExports()
console.log(`exports for tests only   ${exported.length}`)
await printPlaces()
await printExecuted()
