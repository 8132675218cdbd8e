// Exported values that the product itself does not import. Types are not counted: those of a
// function's parameters are exported with it.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '..')
const PRODUCT = ['server', 'plugins', 'workflows', 'web', 'migrations', 'lint']
const TEST = /^test\/|\.(?:test|soak)\.tsx?$/
const CODE = /(?<!\.gen\.ts|\.d\.ts)(?<=\.tsx?|\.js)$/
const CONTRACT = 'plugins/contract/index.ts'

/** With the comment above it. */
const EXPORTED =
  /((?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?)^export (?:async )?(?:function\*?|const|let|class) (\w+|[{[][^}\]]*[}\]])/gm
const NAMED_IMPORT =
  /(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*'(\.[^']+)'/g
/** All exports of a file. */
const WHOLE_IMPORT = /(?:import|export)\s+\*(?:\s+as\s+\w+)?\s+from\s*'(\.[^']+)'/g
/** With the names that are taken from it, before or behind; without: all exports. */
const LAZY_IMPORT =
  /(?:\{([^{}]*)\}\s*=\s*await\s+)?import\(\s*'(\.[^']+)',?\s*\)(?:,\s*'(\w+)'|\s*\)\.(\w+))?/g

export interface UnusedExport {
  file: string
  name: string
  /** The tests that import it. */
  tests: readonly string[]
  /** Whether its own file uses it. */
  usedInside: boolean
  /** Its doc comment; '': none. */
  comment: string
}

const codeFiles = (): string[] =>
  [...PRODUCT, 'test'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => CODE.test(name) && !/(?:^|\/)(?:dist|node_modules)/.test(name))
      .map((name) => path.posix.join(folder, name)),
  )

const namesIn = (list: string): string[] =>
  list
    .replaceAll(/\/\/.*$/gm, '')
    .replaceAll(/[{}[\]]/g, '')
    .split(',')
    .map((one) => one.replace(/\btype\b/, '').trim())
    .filter((one) => one !== '')

/** Those of server/, plugins/ and web/, by file. */
export function unusedExports(): UnusedExport[] {
  const files = [...codeFiles(), 'app.config.ts', 'vitest.config.ts', 'oxlint.config.ts']
  const code = new Map(files.map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')]))
  const importers = importersIn(code)
  const isProduct = (file: string) => !TEST.test(file)
  return [...code].flatMap(([file, text]) => {
    if (!/^(?:server|plugins|web)\//.test(file) || TEST.test(file)) return []
    const ofAll = importers.get(`${file} *`) ?? []
    if (ofAll.some((one) => isProduct(one) && one !== CONTRACT)) return []
    return exportsOf(text).flatMap(({ name, comment }) => {
      // The contract exports everything of its parts again.
      const again = ofAll.includes(CONTRACT) ? (importers.get(`${CONTRACT} ${name}`) ?? []) : []
      const by = [...(importers.get(`${file} ${name}`) ?? []), ...again]
      if (by.some(isProduct)) return []
      const usedInside = (text.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1
      return [{ file, name, tests: by, usedInside, comment }]
    })
  })
}

const exportsOf = (text: string): { name: string; comment: string }[] =>
  [...text.matchAll(EXPORTED)].flatMap(([, comment = '', names = '']) =>
    namesIn(names).map((name) => ({ name: name.split(':').pop()!.trim(), comment })),
  )

/** The importing files, by `file name`, or `file *` where all is imported. */
function importersIn(code: ReadonlyMap<string, string>): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const [file, text] of code) {
    const add = (from: string, name: string) => {
      const key = `${path.posix.join(path.posix.dirname(file), from)} ${name}`
      importers.set(key, [...(importers.get(key) ?? []), file])
    }
    for (const [, names = '', from = ''] of text.matchAll(NAMED_IMPORT))
      for (const name of namesIn(names)) add(from, name.split(' as ')[0]!.trim())
    for (const [, from = ''] of text.matchAll(WHOLE_IMPORT)) add(from, '*')
    for (const [, before, from = '', ...behind] of text.matchAll(LAZY_IMPORT))
      for (const name of before ? namesIn(before) : [behind.find(Boolean) ?? '*'])
        add(from, name.split(':')[0]!.trim())
  }
  return importers
}
