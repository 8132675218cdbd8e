// `npm run measure`: figures about the code itself, to compare before and after a change of its
// layout: lines and files, long functions, non-null assertions, places that a new thing needs, and
// the files that one import, one tag and one download execute.
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
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

function printFigures(sources: readonly Source[]): void {
  const sizes = sources.map(({ lines }) => lines)
  const total = sizes.reduce((sum, lines) => sum + lines, 0)
  const server = sources.filter(({ file }) => file.startsWith('server/'))
  const serverLines = server.reduce((sum, { lines }) => sum + lines, 0)
  const assertions = server.reduce((sum, source) => sum + parse(source).assertions, 0)
  const long = sources.flatMap((source) => parse(source).long).sort((a, b) => b.lines - a.lines)
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

interface Coverage {
  result: { url: string; functions: { ranges: { startOffset: number; count: number }[] }[] }[]
}

/** The functions that ran in a server that did `work`, as file:offset. */
async function executed(work: (server: ServerProcess) => Promise<void>): Promise<Set<string>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-coverage-'))
  const dataDir = await makeDataDir()
  try {
    const server = await startServer({
      dataDir,
      env: { NODE_V8_COVERAGE: folder, NODE_COMPILE_CACHE: '' },
    })
    await work(server)
    await server.stop()
    const ran = new Set<string>()
    for (const name of await readdir(folder)) {
      const { result } = JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Coverage
      for (const { url, functions } of result) {
        if (!url.startsWith('file://')) continue
        const file = path.relative(ROOT, fileURLToPath(url))
        if (!/^(server|plugins|workflows)\//.test(file)) continue
        for (const { ranges } of functions)
          if (ranges[0]!.count > 0) ran.add(`${file}:${ranges[0]!.startOffset}`)
      }
    }
    return ran
  } finally {
    await rm(folder, { recursive: true })
    await removeDataDir(dataDir)
  }
}

async function importOne({ url, call }: ServerProcess): Promise<string> {
  const answer = await call('POST', '/api/files/import', {
    files: [{ filename: 'measured.pdf', url: `${url}/demo/sample.pdf` }],
  })
  const { files } = (await answer.json()) as { files: { file_id: string }[] }
  return files[0]!.file_id
}

async function printExecuted(): Promise<void> {
  const idle = await executed(() => new Promise((resolve) => setTimeout(resolve, 5000)))
  const report = async (
    name: string,
    work: (server: ServerProcess) => Promise<unknown>,
    without: Set<string>,
  ) => {
    const ran = await executed(async (server) => {
      await new Promise((resolve) => setTimeout(resolve, 5000))
      await work(server)
    })
    const files = new Set(
      [...ran].filter((one) => !without.has(one)).map((one) => one.split(':')[0]!),
    )
    const folders = new Set([...files].map((file) => path.dirname(file)))
    console.log(`${name.padEnd(24)} ${files.size} files in ${folders.size} folders`)
    return ran
  }
  const imported = await report('one API import', importOne, idle)
  await report(
    'one tag',
    async (server) => {
      const file = await importOne(server)
      await server.call('PUT', '/api/files/bulk-update', {
        file_ids: [file],
        updates: { tags: ['measured'] },
      })
    },
    imported,
  )
  const linked = async (server: ServerProcess) => {
    const file = await importOne(server)
    const answer = await server.call('POST', '/api/links', { file_ids: [file], download_limit: 5 })
    return ((await answer.json()) as { links: { url: string }[] }).links[0]!.url
  }
  const created = await executed(async (server) => void (await linked(server)))
  await report(
    'one download',
    async (server) => {
      const answer = await fetch(await linked(server), { headers: { 'user-agent': 'curl/8' } })
      if (!answer.ok) throw new Error(`The download was answered ${answer.status}`)
      await answer.arrayBuffer()
    },
    new Set([...created, ...imported]),
  )
}

printFigures(await productFiles())
await printExecuted()
