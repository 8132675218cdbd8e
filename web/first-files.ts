// Names the files of the first page in its HTML, so that the browser asks for all of them together:
// without this it learns of each only from the one before. `pages.json` has those of each page.
/// <reference types="node" />
import { ownValue } from '../plugins/_page/own-value.ts'
import path from 'node:path'
import type { HtmlTagDescriptor, IndexHtmlTransformContext, Plugin } from 'vite'

type Bundle = NonNullable<IndexHtmlTransformContext['bundle']>

const APP = path.join(import.meta.dirname, 'show-app.tsx')
/** A route of a feature: its path, and the module that it loads. */
const PAGE = /path: '([^']+)',\s*page: lazyPage\(\s*\(\) => import\('([^']+)'\)/g

/** The module of each page of a feature's source, by its path. */
export const pagesIn = (code: string, folder: string): [path: string, module: string][] =>
  [...code.matchAll(PAGE)].map(([, route = '', file = '']) => [route, path.join(folder, file)])

export function firstFiles(): Plugin {
  const pages = new Map<string, string>()
  return {
    name: 'first-files',
    enforce: 'pre',
    transform(code, id) {
      if (id.endsWith(`${path.sep}feature.ts`))
        for (const [route, file] of pagesIn(code, path.dirname(id))) pages.set(route, file)
      return null
    },
    generateBundle(_options, bundle) {
      const app = new Set(filesOf(bundle, APP))
      const files = [...pages].map(([route, module]) => [
        route,
        filesOf(bundle, module).filter((file) => !app.has(file)),
      ])
      const source = JSON.stringify(Object.fromEntries(files))
      this.emitFile({ type: 'asset', fileName: 'pages.json', source })
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) =>
        bundle
          ? filesOf(bundle, APP)
              .filter((file) => !isEntry(ownValue(bundle, file)) && !html.includes(file))
              .map(tagOf)
          : [],
    },
  }
}

/** The scripts and styles that a module needs. */
function filesOf(bundle: Bundle, module: string): string[] {
  const start = Object.values(bundle).find(
    (file) => file.type === 'chunk' && file.moduleIds.includes(module),
  )
  if (!start) throw new Error(`No file has ${module}`)
  const files = new Set<string>()
  const pending = [start.fileName]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const chunk = ownValue(bundle, name)
    if (files.has(name) || chunk?.type !== 'chunk') continue
    files.add(name)
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style)
    pending.push(...chunk.imports)
  }
  return [...files]
}

/** Vite names it already. */
const isEntry = (file: Bundle[string] | undefined): boolean =>
  file?.type === 'chunk' && file.isEntry

const tagOf = (file: string): HtmlTagDescriptor => ({
  tag: 'link',
  injectTo: 'head',
  attrs: {
    rel: file.endsWith('.css') ? 'stylesheet' : 'modulepreload',
    crossorigin: true,
    href: `/${file}`,
  },
})
