// Writes the catalogs of other languages as files of the build: the texts that every page needs,
// those of each page, and those of the server. A catalog of everything would be as large as the
// scripts.
/// <reference types="node" />
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { pagesIn } from './first-files.ts'
import { TRANSLATED } from './shell/messages/locale.ts'
import { SERVER_TEXTS, SHELL_TEXTS, textsFile } from './shell/messages/texts-file.ts'
import { usedModules } from './used-components.ts'
import { keepTexts } from './used-texts.ts'

type Texts = Record<string, string>

/** What rolldown tells about the module graph. */
interface Graph {
  getModuleInfo(
    id: string,
  ): { importedIds: readonly string[]; dynamicallyImportedIds: readonly string[] } | null
}

const WEB = import.meta.dirname
const POLARIS = path.join(WEB, '../node_modules/@shopify/polaris/locales')
const ENTRIES = ['main.tsx', 'show-app.tsx'].map((file) => path.join(WEB, file))
/** Texts of the server that a module of the page states too: written by `npm run messages`. */
const SHARED = path.join(WEB, 'shared-texts.json')

export function catalogFiles(): Plugin {
  const pages = new Map<string, string>()
  const stated = new Map<string, readonly string[]>()
  let build: string | undefined
  return {
    name: 'catalog-files',
    enforce: 'post',
    transform(code, id) {
      if (!id.startsWith(WEB)) return null
      if (id.endsWith(`${path.sep}feature.ts`))
        for (const [route, file] of pagesIn(readFileSync(id, 'utf8'), path.dirname(id)))
          pages.set(route, file)
      stated.set(id, statedIn(this.parse(code)))
      return null
    },
    generateBundle: {
      // Before the HTML is written.
      order: 'pre',
      handler() {
        const parts = partsOf(this, pages, stated)
        const files = TRANSLATED.flatMap((language) => filesOf(language, parts))
        build = hashOf(files.map(([, json]) => json))
        for (const [name, source] of files)
          this.emitFile({ type: 'asset', fileName: textsFile(build, name), source })
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler: () =>
        build === undefined
          ? []
          : [
              {
                tag: 'meta',
                injectTo: 'head',
                attrs: { name: 'stevedore-texts', content: build },
              },
            ],
    },
    // Vite's server has the whole catalog as that of the shell.
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const [, language, part] =
          /^\/assets\/texts-dev-(\w\w)-(.*)\.json$/.exec(request.url ?? '') ?? []
        if (language === undefined) return next()
        response.setHeader('Content-Type', 'application/json')
        response.end(part === SHELL_TEXTS ? shellJson(language, textsOf(language)) : '{}')
      })
    },
  }
}

/** The messages of each part. A text of the shell is in no other part. */
function partsOf(
  graph: Graph,
  pages: ReadonlyMap<string, string>,
  stated: ReadonlyMap<string, readonly string[]>,
): Map<string, ReadonlySet<string>> {
  const others = new Set(pages.values())
  const messagesOf = (modules: Iterable<string>) =>
    new Set([...modules].flatMap((id) => stated.get(id) ?? []))
  const shell = reached(ENTRIES, graph, others)
  const common = messagesOf(shell)
  const parts = new Map<string, ReadonlySet<string>>([[SHELL_TEXTS, common]])
  for (const [route, module] of pages)
    parts.set(route, without(messagesOf(reached([module], graph, others)), common))
  const own = messagesOf(stated.keys())
  const shared = new Set(JSON.parse(readFileSync(SHARED, 'utf8')) as string[])
  const all = new Set(Object.keys(textsOf(TRANSLATED[0])))
  const served = new Set([...without(all, own), ...shared])
  return parts.set(SERVER_TEXTS, without(served, common))
}

const without = (texts: ReadonlySet<string>, others: ReadonlySet<string>) =>
  new Set([...texts].filter((text) => !others.has(text)))

/** The page's own modules that these import, with what they load later, but no other page. */
function reached(ids: readonly string[], graph: Graph, pages: ReadonlySet<string>): Set<string> {
  const seen = new Set<string>()
  const pending = [...ids]
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (seen.has(id) || !id.startsWith(WEB)) continue
    seen.add(id)
    const { importedIds = [], dynamicallyImportedIds = [] } = graph.getModuleInfo(id) ?? {}
    pending.push(...importedIds, ...dynamicallyImportedIds.filter((one) => !pages.has(one)))
  }
  return seen
}

function filesOf(
  language: string,
  parts: ReadonlyMap<string, ReadonlySet<string>>,
): [name: string, json: string][] {
  const texts = textsOf(language)
  return [...parts].map(([part, messages]) => {
    const own = Object.fromEntries(
      Object.entries(texts).filter(([message]) => messages.has(message)),
    )
    const json = part === SHELL_TEXTS ? shellJson(language, own) : JSON.stringify(own)
    return [`${language}-${part}`, json]
  })
}

/** The shell's have the texts of the components too. */
function shellJson(language: string, texts: Texts): string {
  const file = path.join(POLARIS, `${language === 'pt' ? 'pt-BR' : language}.json`)
  const components: unknown = JSON.parse(keepTexts(readFileSync(file, 'utf8'), usedModules().code))
  return JSON.stringify({ texts, components })
}

/** All of a language. */
const textsOf = (language: string): Texts =>
  Object.assign(
    {},
    ...[`shell/messages/${language}.json`, `features/*/texts/${language}.json`]
      .flatMap((pattern) => globSync(pattern, { cwd: WEB }))
      .map((file) => JSON.parse(readFileSync(path.join(WEB, file), 'utf8')) as Texts),
  ) as Texts

const hashOf = (parts: readonly string[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex').slice(0, 10)
}

interface Node {
  type?: string
  callee?: { type?: string; name?: string }
  arguments?: { type?: string; value?: unknown; quasis?: { value: { cooked: string } }[] }[]
}

/** The messages that a module states, as `lint/messages.js` finds them; exported for its test. */
export function statedIn(program: object): string[] {
  const found: string[] = []
  const visit = (node: Node): void => {
    const [message, , context] = node.arguments ?? []
    if (node.type === 'CallExpression' && ['t', 'tRich'].includes(node.callee?.name ?? '')) {
      const text = literalOf(message)
      const told = literalOf(context)
      if (text !== undefined) found.push(told === undefined ? text : `${text} || ${told}`)
    }
    for (const part of Object.values(node) as unknown[])
      for (const one of Array.isArray(part) ? part : [part])
        if (typeof one === 'object' && one !== null) visit(one as Node)
  }
  visit(program)
  return found
}

type Argument = NonNullable<Node['arguments']>[number]

const literalOf = (argument: Argument | undefined): string | undefined =>
  typeof argument?.value === 'string'
    ? argument.value
    : argument?.quasis?.length === 1
      ? argument.quasis[0]!.value.cooked
      : undefined
