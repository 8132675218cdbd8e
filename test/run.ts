// npm test: everything, in one go: types, lint, formatting, then unit, flow and browser tests. The last line says how
// many passed and failed. Chromium and the other programs below come from the system's packages when they are absent and
// it may install them.
import { spawn } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { installPackages, whereIs } from './programs.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const REPORT = path.join(ROOT, '.test', 'report.json')

interface Program {
  command: string
  /** What will do as well where it is there. */
  instead?: string
  package: string
}

const PROGRAMS: readonly Program[] = [
  // Chromium without the parts of it that nobody sees here.
  { command: 'chromium-headless-shell', instead: 'chromium', package: 'chromium-headless-shell' },
  { command: 'rclone', package: 'rclone' },
  // Buyers' clients, and what stands in front of the server.
  { command: 'curl', package: 'curl' },
  { command: 'aria2c', package: 'aria2' },
  { command: 'nginx', package: 'nginx-light' },
  // What others say of the documents that we write.
  { command: 'qpdf', package: 'qpdf' },
  { command: 'pdftoppm', package: 'poppler-utils' },
]

interface Check {
  name: string
  command: readonly string[]
}

/** Two at a time: the linter, which takes as long as the others, and those one after another. */
const CHECKS: readonly (readonly Check[])[] = [
  [{ name: 'lint', command: ['eslint', '.', '--max-warnings', '0'] }],
  [
    { name: 'types', command: ['tsc', '--noEmit'] },
    { name: 'types of the page', command: ['tsc', '--noEmit', '-p', 'web'] },
    { name: 'formatting', command: ['prettier', '--check', '--log-level', 'warn', '.'] },
  ],
]

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numTotalTests: number
  numFailedTestSuites: number
}

function ensurePrograms(): void {
  const missing = PROGRAMS.filter(({ command, instead = command }) => !whereIs(command) && !whereIs(instead))
  if (missing.length === 0) return
  const packages = missing.map((program) => program.package)
  console.log(`Installing ${packages.join(', ')}`)
  try {
    installPackages(packages)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`Install ${packages.join(', ')} from your system's packages (${reason}).`, { cause: error })
  }
}

function run(command: readonly string[]): Promise<number> {
  const [file, ...args] = command
  return new Promise((resolve) => {
    const child = spawn(file!, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
    child.once('error', () => resolve(127))
    child.once('close', (code) => resolve(code ?? 1))
  })
}

async function runChecks(checks: readonly Check[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const { name, command } of checks) {
    const ok = (await run(command)) === 0
    console.log(`${ok ? 'passed' : 'FAILED'}  ${name}`)
    results.push(ok)
  }
  return results
}

async function main(): Promise<void> {
  ensurePrograms()
  const checks = (await Promise.all(CHECKS.map(runChecks))).flat()
  let passed = checks.filter((ok) => ok).length
  let failed = checks.length - passed
  await mkdir(path.dirname(REPORT), { recursive: true })
  const only = process.argv.slice(2)
  const code = await run(['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile=${REPORT}`, ...only])
  const report = JSON.parse(await readFile(REPORT, 'utf8')) as VitestReport
  passed += report.numPassedTests
  failed += report.numFailedTests
  // A file that did not load, a leak after the last test, a test that did not run: failures that no single test counts.
  const notRun = report.numTotalTests - report.numPassedTests - report.numFailedTests
  if (notRun > 0 || (code !== 0 && report.numFailedTests === 0)) failed++
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 && code === 0 ? 0 : 1
}

await main()
