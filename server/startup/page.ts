// Builds the admin page if it is missing or older than its sources, in a child process that frees
// its memory at exit. It is built in another folder and renamed into place: servers that start
// together never see half a page.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { COMMAND, DIST, WEB } from '../http/page.ts'
import type { Logger } from '../core/log.ts'

/** Only a checkout has it. */
const CONFIG = path.join(WEB, 'vite.config.ts')

/** What the page imports from outside its folder. */
const SHARED = path.join(WEB, '../plugins/_page')

const COMPRESS = { br: promisify(brotliCompress), gz: promisify(gzip) }

/**
 * Returns the folder of a current build: web/dist, which a production folder always has, or a folder
 * in `dataDir` where the checkout cannot be written (another user's, a read-only file system).
 */
export async function ensurePage(log: Logger, dataDir: string): Promise<string> {
  // The times of a folder that was copied to a machine say nothing.
  if (!existsSync(CONFIG)) return DIST
  const newest = Math.max(await newestSource(WEB), await newestSource(SHARED))
  const own = path.resolve(dataDir, 'page/dist')
  for (const folder of [DIST, own]) if (await isNewer(folder, newest)) return folder
  log.info('building the admin page')
  return buildIn(DIST).catch(async (error: NodeJS.ErrnoException) => {
    if (!READ_ONLY.includes(error.code ?? '')) throw error
    await mkdir(path.dirname(own), { recursive: true })
    return buildIn(own)
  })
}

const READ_ONLY = ['EACCES', 'EPERM', 'EROFS']

async function isNewer(folder: string, time: number): Promise<boolean> {
  const built = await stat(path.join(folder, 'index.html')).catch(() => null)
  return built !== null && built.mtimeMs > time
}

/** Exported for its test. `write` writes the page's files. */
export async function buildIn(folder: string, write = build): Promise<string> {
  const fresh = await mkdtemp(`${folder}-`)
  try {
    // mkdtemp gives 700. The page has no secrets, and the server may later run as another user.
    await chmod(fresh, 0o755)
    await write(fresh)
    await compress(path.join(fresh, 'assets'))
    await replace(fresh, folder)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return folder
}

/** Both have ended when it rejects: the folder that they write to is then removed. */
async function build(into: string): Promise<void> {
  const builds = [buildPage(into), buildCommand(path.join(into, COMMAND))]
  await Promise.allSettled(builds)
  await Promise.all(builds)
}

/** Builds the command's package once, when it is asked for: in development no page is built. */
export function commandIn(dataDir: string): () => Promise<string> {
  let built: Promise<string> | null = null
  return () =>
    (built ??= buildCommand(path.resolve(dataDir, 'page', COMMAND)).catch((error: unknown) => {
      built = null
      throw error
    }))
}

/** Builds the package of the command and the client; resolves with its folder. */
async function buildCommand(into: string): Promise<string> {
  await runBuild([path.join(WEB, 'command/build.ts'), into], 'The command')
  return into
}

async function buildPage(into: string): Promise<void> {
  const vite = path.join(
    path.dirname(createRequire(import.meta.url).resolve('vite/package.json')),
    'bin/vite.js',
  )
  const args = ['build', '--config', CONFIG, '--outDir', into, '--logLevel', 'error']
  // Node reads the TypeScript configuration itself: Vite would write its bundle into node_modules,
  // which may belong to another user.
  await runBuild([vite, ...args, '--configLoader', 'native'], 'The admin page')
}

/** Exported for its test. */
export async function runBuild(args: readonly string[], what: string): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd: WEB,
    env: buildEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${what} could not be built:\n${reasonIn(output)}`)
}

/** What a build wrote about its failure, without colours and the bundler's stack. */
const reasonIn = (output: string): string =>
  stripVTControlCharacters(output)
    .replace(/\n +at .*/s, '')
    .trim()

/**
 * With another NODE_ENV React's development version would be built. A relative NODE_COMPILE_CACHE,
 * as in `npm start`, would be a folder among the sources.
 */
export function buildEnvironment(): NodeJS.ProcessEnv {
  const cache = process.env.NODE_COMPILE_CACHE
  return {
    ...process.env,
    NODE_ENV: 'production',
    ...(cache ? { NODE_COMPILE_CACHE: path.resolve(cache) } : {}),
  }
}

/** Compresses the files of the page once, and not for every request; on all processors. */
async function compress(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(js|css|svg|json)$/.test(name))
  await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(path.join(folder, name))
      for (const [ending, pack] of Object.entries(COMPRESS))
        await writeFile(path.join(folder, `${name}.${ending}`), await pack(bytes))
    }),
  )
}

/**
 * Replaces the page. Servers may do this concurrently: the last one wins, and both pages are
 * complete.
 */
async function replace(fresh: string, folder: string): Promise<void> {
  const old = `${fresh}-old`
  await rename(folder, old).catch(() => {})
  await rename(fresh, folder).catch(async (error: unknown) => {
    if (!(await stat(path.join(folder, 'index.html')).catch(() => null))) throw error
  })
  await rm(old, { recursive: true, force: true })
}

/**
 * When a source of the page was last changed. Folders of builds are not entered: they may belong to
 * another user, or be replaced by another process at the same time. Packages and caches are no
 * sources.
 */
export async function newestSource(web: string): Promise<number> {
  const top = await readdir(web, { withFileTypes: true })
  const sources = top.filter(
    ({ name }) => !name.startsWith('dist') && !name.startsWith('.') && name !== 'node_modules',
  )
  const times = await Promise.all(sources.map((entry) => newestIn(path.join(web, entry.name))))
  return Math.max(0, ...times)
}

async function newestIn(place: string): Promise<number> {
  const found = await stat(place)
  if (found.isFile()) return place.endsWith('.test.ts') ? 0 : found.mtimeMs
  const names = await readdir(place)
  return Math.max(0, ...(await Promise.all(names.map((name) => newestIn(path.join(place, name))))))
}
