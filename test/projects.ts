// The vitest project of each test file. It follows from the file's imports, so a new test needs no
// entry in a list: the imports of a unit test reach neither PostgreSQL, a child process nor another
// server.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '..')
const FOLDERS = ['server', 'plugins', 'workflows', 'web', 'test']
/** A file that imports one of these needs more than its own process. */
const SERVICES =
  /^(pg|node:child_process|node:worker_threads|@20minutes\/s3rver|playwright-core|typescript-native\/.*)$/
/** A test that imports this module has a larger size for soak. */
const SCALE = 'test/scale.ts'

export interface Projects {
  unit: string[]
  db: string[]
  flows: string[]
  browser: string[]
  soak: string[]
}

/**
 * The test files of each project, as paths from the root. A file with two sizes is also in soak.
 */
export function sortTests(): Projects {
  const projects: Projects = { unit: [], db: [], flows: [], browser: [], soak: [] }
  const reach = importsReader()
  for (const file of FOLDERS.flatMap((folder) => filesIn(folder))) {
    if (file.endsWith('.soak.ts')) projects.soak.push(file)
    if (!file.endsWith('.test.ts')) continue
    const { files, packages } = reach(file)
    if (file.startsWith('test/browser/')) projects.browser.push(file)
    else if (file.startsWith('test/flows/')) projects.flows.push(file)
    else projects[packages.some((name) => SERVICES.test(name)) ? 'db' : 'unit'].push(file)
    if (files.has(SCALE)) projects.soak.push(file)
  }
  return projects
}

function filesIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name)
    if (!entry.isDirectory()) return [file]
    return entry.name.startsWith('dist') ? [] : filesIn(file)
  })
}

interface Imports {
  files: string[]
  packages: string[]
}

/**
 * Everything that a file imports, directly or indirectly, except type imports, which do not exist
 * at run time.
 */
function importsReader(): (file: string) => { files: Set<string>; packages: string[] } {
  const known = new Map<string, Imports>()
  const importsOf = (file: string): Imports => {
    const imports = known.get(file) ?? readImports(file)
    known.set(file, imports)
    return imports
  }
  return (file) => {
    const files = new Set([file])
    // Iterating over a set includes the entries that are added meanwhile.
    for (const reached of files) for (const next of importsOf(reached).files) files.add(next)
    return { files, packages: [...files].flatMap((reached) => importsOf(reached).packages) }
  }
}

const FIXED = /^(?:import|export)\s(?!type\b)(?:[^'";]*?\sfrom\s)?'([^']+)'/gm
const DYNAMIC = /\bimport\('([^']+)'\)/g

function readImports(file: string): Imports {
  const text = readFileSync(path.join(ROOT, file), 'utf8')
  const names = [FIXED, DYNAMIC].flatMap((form) =>
    [...text.matchAll(form)].map(([, name]) => name!),
  )
  const own = names.filter((name) => name.startsWith('.') && /\.tsx?$/.test(name))
  return {
    files: own.map((name) => path.posix.join(path.posix.dirname(file), name)),
    packages: names.filter((name) => !name.startsWith('.')),
  }
}
