// npm test: lint with types, and formatting, beside the unit, db, flows and browser tests. The last lines
// show which checks failed, and how many checks and tests passed and failed. `npm test -- path` runs
// the tests of that path, without the checks. Chromium and the other programs below are installed
// from the system's packages if they are missing and this user may do so.
import { spawn } from 'node:child_process'
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { findRclone } from '../server/features/cloud/rclone/program.ts'
import { makeMemoryFolder, removeMemoryFolder } from './memory-folder.ts'
import { hasModule, installPackages, whereIs } from './programs.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
/** Reports, records and caches. Git ignores it. */
const CACHE = path.join(ROOT, '.test')
const REPORT = path.join(CACHE, 'report.json')

interface Program {
  command: string
  /** A command that can be used instead. */
  instead?: string
  package: string
  /** A module of the system's Python to look for instead of the command. */
  python?: string
  /** Is a usable version of it installed? Absent: any version is. */
  runs?: () => Promise<boolean>
}

const PROGRAMS: readonly Program[] = [
  // Chromium without its window.
  { command: 'chromium-headless-shell', instead: 'chromium', package: 'chromium-headless-shell' },
  {
    command: 'rclone',
    package: 'rclone',
    runs: async () => (await findRclone(null)).path !== null,
  },
  // Buyers' clients, and the proxy in front of the server.
  { command: 'curl', package: 'curl' },
  { command: 'aria2c', package: 'aria2' },
  { command: 'nginx', package: 'nginx-light' },
  { command: 'pgbouncer', package: 'pgbouncer' },
  // Extracts the ZIP files that buyers get.
  { command: 'unzip', package: 'unzip' },
  { command: 'zip', package: 'zip' },
  { command: '7z', package: 'p7zip-full' },
  { command: 'bsdtar', package: 'libarchive-tools' },
  // Clients and servers of FTP and SFTP.
  { command: 'lftp', package: 'lftp' },
  { command: 'sftp', package: 'openssh-client' },
  { command: 'sshd', package: 'openssh-server' },
  { command: 'vsftpd', package: 'vsftpd' },
  { command: 'python3', python: 'paramiko', package: 'python3-paramiko' },
  // Checks the documents that the product writes.
  { command: 'qpdf', package: 'qpdf' },
  { command: 'pdftoppm', package: 'poppler-utils' },
]

interface Check {
  name: string
  command: readonly string[]
}

// The linter needs the types for its own rules, so that it also reports TypeScript's errors: for
// the server, the page, and each extension by the tsconfig.json nearest to a file.
const CHECKS: readonly Check[] = [
  { name: 'lint and types', command: ['oxlint', '--type-check', '--deny-warnings'] },
  { name: 'formatting', command: ['oxfmt', '--check'] },
]

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numTotalTests: number
}

async function isMissing({ command, instead = command, python, runs }: Program) {
  if (python) return !hasModule(python)
  return runs ? !(await runs()) : !whereIs(command) && !whereIs(instead)
}

async function ensurePrograms(): Promise<void> {
  const missing: Program[] = []
  for (const program of PROGRAMS) if (await isMissing(program)) missing.push(program)
  if (missing.length === 0) return
  const packages = missing.map((program) => program.package)
  console.log(`Installing ${packages.join(', ')}`)
  try {
    installPackages(packages)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`Install ${packages.join(', ')} from your system's packages (${reason}).`, {
      cause: error,
    })
  }
}

interface Ended {
  code: number
  /** What it wrote, unless it wrote to the terminal. */
  output: string
}

function run(
  command: readonly string[],
  { env = process.env, quiet = false } = {},
): Promise<Ended> {
  const [file, ...args] = command
  const target = quiet ? 'pipe' : 'inherit'
  return new Promise((resolve) => {
    const child = spawn(file!, args, { cwd: ROOT, env, stdio: ['ignore', target, target] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (output += String(chunk)))
    child.once('error', (error) => resolve({ code: 127, output: error.message }))
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

interface Checked extends Ended {
  name: string
}

/** One after another: each uses several processors. */
async function runChecks(ended: (check: Checked) => void): Promise<void> {
  for (const { name, command } of CHECKS) ended({ name, ...(await run(command, { quiet: true })) })
}

const report = ({ name, code, output }: Checked): void =>
  console.log(code === 0 ? `passed  ${name}` : `${output.trimEnd()}\nFAILED  ${name}`)

/** The number of tests that passed and failed. */
async function runTests(only: readonly string[]): Promise<{ passed: number; failed: number }> {
  await mkdir(path.dirname(REPORT), { recursive: true })
  await rm(REPORT, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${REPORT}`]
  const memory = await makeMemoryFolder()
  const env = { ...process.env }
  if (memory) env.TMPDIR = memory
  // On a disk, workers that replace the same new files wait seconds for each other at the end. A
  // short run profits more from the modules that the last one compiled.
  if (memory && only.length === 0) env.NODE_COMPILE_CACHE ??= path.join(memory, 'compiled')
  // Ctrl-C also reaches Vitest. This process waits for its end and removes the folder.
  process.once('SIGINT', () => {})
  const command = ['vitest', 'run', '--project=all', ...reporters, ...only]
  const { code } = await run(command, { env })
  await removeMemoryFolder(memory)
  const counts = await readReport()
  const { numPassedTests: passed, numFailedTests: failed, numTotalTests: total } = counts
  // Failures that no test counts: a file that did not load, a leak after the last test, a test that
  // did not run.
  const uncounted = total > passed + failed || (code !== 0 && failed === 0)
  return { passed, failed: failed + (uncounted ? 1 : 0) }
}

/** A run that does not start, for instance because no file has that path, writes no report. */
async function readReport(): Promise<VitestReport> {
  const text = await readFile(REPORT, 'utf8').catch(() => null)
  if (text === null) return { numPassedTests: 0, numFailedTests: 0, numTotalTests: 0 }
  return JSON.parse(text) as VitestReport
}

async function main(): Promise<void> {
  const only = process.argv.slice(2)
  const checksOnly = only.includes('--checks')
  if (!checksOnly) await ensurePrograms()
  const checking = only.length === 0 || checksOnly
  const checks: Checked[] = []
  const [tests] = await Promise.all([
    checksOnly ? { passed: 0, failed: 0 } : runTests(only),
    checking &&
      runChecks((check) => {
        checks.push(check)
        if (checksOnly) report(check)
      }),
  ])
  // The tests write much more, so the checks beside them are reported below it.
  if (!checksOnly) checks.forEach(report)
  const broken = checks.filter(({ code }) => code !== 0).length
  const passed = checks.length - broken + tests.passed
  const failed = broken + tests.failed
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

await main()
