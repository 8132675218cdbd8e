// The modules of Polaris that the page uses: what `shell/ui` imports, and all that these import.
/// <reference types="node" />
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isUnusedPart } from './unused-parts.ts'

const POLARIS = path.join(import.meta.dirname, '../node_modules/@shopify/polaris/build/esm')
const UI = path.join(import.meta.dirname, 'shell/ui')

const read = (file: string) => readFileSync(file, 'utf8')

/** The code of the used components, and the classes of their styles. */
export function usedModules(): { classes: ReadonlySet<string>; code: string } {
  const modules = new Map<string, string>()
  for (const [, names = '', file = ''] of read(path.join(POLARIS, 'index.js')).matchAll(
    /export \{([^}]+)\} from '([^']+)'/g,
  ))
    for (const name of names.split(',')) modules.set(exportedName(name), path.join(POLARIS, file))
  const pending = importedNames().flatMap((name) => modules.get(name) ?? [])
  const seen = new Set<string>()
  const classes = new Set<string>()
  let all = ''
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (seen.has(file) || isUnusedPart(file) || !existsSync(file)) continue
    seen.add(file)
    const code = read(file)
    all += code
    if (file.endsWith('.css.js'))
      for (const [name] of code.matchAll(/Polaris-[\w-]+/g)) classes.add(name)
    for (const [, from = ''] of code.matchAll(/(?:from|import) '(\.[^']+)'/g))
      pending.push(path.resolve(path.dirname(file), from))
  }
  return { classes, code: all }
}

/** `Foo as Bar` is exported as `Bar`. */
const exportedName = (text: string) => text.split(' as ').at(-1)?.trim() ?? ''

/** What `shell/ui` takes from Polaris, by the names that Polaris exports. */
const importedNames = (): string[] =>
  readdirSync(UI)
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [
      ...read(path.join(UI, file)).matchAll(
        /(?:import|export) \{([^}]+)\} from '@shopify\/polaris'/g,
      ),
    ])
    .flatMap(([, names = '']) => names.split(','))
    .map(
      (name) =>
        name
          .replace(/^\s*type /, '')
          .split(' as ')[0]
          ?.trim() ?? '',
    )
