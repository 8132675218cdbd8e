// Leaves out of Polaris' stylesheet what the page cannot show: the rules of components that
// `shell/ui` does not use, and of themes that are never chosen. It is one file for all components,
// which every page would wait for.
/// <reference types="node" />
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'

const POLARIS = path.join(import.meta.dirname, '../node_modules/@shopify/polaris/build/esm')
const UI = path.join(import.meta.dirname, 'shell/ui')
const UNUSED_THEMES = ['dark-experimental', 'light-high-contrast-experimental']
/** Parts of used components: no table is striped, no entry of the navigation has entries below it. */
const UNUSED_CLASSES = [
  'Polaris-IndexTable__ZebraStriping',
  'Polaris-Navigation__SecondaryNavigation',
  'Polaris-Navigation__SecondaryNavigationOpen',
]

export function usedStyles(): Plugin {
  return {
    name: 'used-styles',
    enforce: 'pre',
    transform(code, id) {
      if (!id.replace(/\?.*/, '').endsWith('/polaris/build/esm/styles.css')) return null
      const { classes, code: modules } = usedModules()
      const kept = keepRules(code, classes)
      return { code: keepVariables(kept, modules + ownCode()), map: null }
    },
  }
}

const read = (file: string) => readFileSync(file, 'utf8')

/** The components that `shell/ui` imports, and all modules that these import. */
function usedModules(): { classes: ReadonlySet<string>; code: string } {
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
    if (seen.has(file) || !existsSync(file)) continue
    seen.add(file)
    const code = read(file)
    all += code
    if (file.endsWith('.css.js'))
      for (const [name] of code.matchAll(/Polaris-[\w-]+/g)) classes.add(name)
    for (const [, from = ''] of code.matchAll(/(?:from|import) '(\.[^']+)'/g))
      pending.push(path.resolve(path.dirname(file), from))
  }
  for (const name of UNUSED_CLASSES) classes.delete(name)
  return { classes, code: all }
}

/** The page's own sources: they use variables by their names, and colours as values of components. */
const ownCode = (): string =>
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|css)$/.test(file) && !/^(dist|extensions)\b/.test(file))
    .map((file) => read(path.join(import.meta.dirname, file)))
    .join('\n')

/** The stylesheet without colours that neither it nor `code` names. */
export function keepVariables(css: string, code: string): string {
  const named = new Set([...css.matchAll(/var\(\s*(--p-color-[\w-]+)/g)].map(([, name]) => name))
  const words = new Set(code.match(/[\w-]+/g))
  return css.replaceAll(/(--p-color-([\w-]+))\s*:[^;{}]*;/g, (declaration, name, colour) =>
    named.has(name) || words.has(name) || words.has(colour) ? declaration : '',
  )
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

/** The stylesheet without rules whose selectors all name an unused class or theme. */
export function keepRules(css: string, used: ReadonlySet<string>): string {
  let kept = ''
  let from = 0
  while (from < css.length) {
    const brace = css.indexOf('{', from)
    const semicolon = css.indexOf(';', from)
    const isStatement = semicolon !== -1 && (brace === -1 || semicolon < brace)
    if (isStatement || brace === -1) {
      const to = isStatement ? semicolon + 1 : css.length
      kept += css.slice(from, to)
      from = to
      continue
    }
    const end = blockEnd(css, brace)
    kept += keptRule(css.slice(from, brace), css.slice(brace + 1, end), used)
    from = end + 1
  }
  return kept
}

function keptRule(head: string, body: string, used: ReadonlySet<string>): string {
  const start = head.replaceAll(/\/\*.*?\*\//gs, '').trim()
  if (/^@(media|supports|layer|container)\b/.test(start)) {
    const inside = keepRules(body, used)
    return inside.trim() === '' ? '' : `${head}{${inside}}`
  }
  if (start.startsWith('@')) return `${head}{${body}}`
  const selectors = start.split(/,(?![^(]*\))/).filter((selector) => isUsed(selector, used))
  return selectors.length === 0 ? '' : `${selectors.join(',')}{${body}}`
}

/** A class within `:not()` does not have to be there. */
function isUsed(selector: string, used: ReadonlySet<string>): boolean {
  const named = selector.replaceAll(/:not\((?:[^()]|\([^()]*\))*\)/g, '')
  if (UNUSED_THEMES.some((theme) => new RegExp(`p-theme-${theme}\\b`).test(named))) return false
  return (named.match(/\.Polaris-[\w-]+/g) ?? []).every((name) => used.has(name.slice(1)))
}

/** The position of the brace that closes the block opened at `open`. */
function blockEnd(css: string, open: number): number {
  let depth = 0
  for (let at = open; at < css.length; at++) {
    const character = css[at]
    if (character === '"' || character === "'") at = css.indexOf(character, at + 1)
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return at
  }
  return css.length
}
