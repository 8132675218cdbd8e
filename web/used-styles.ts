// Leaves out of Polaris' stylesheet what the page cannot show: the rules of components that
// `shell/ui` does not use, and of themes that are never chosen. It is one file for all components,
// which every page would wait for.
/// <reference types="node" />
import { ownValue } from '../plugins/_page/own-value.ts'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { usedModules } from './used-components.ts'

const UNUSED_THEMES = ['dark-experimental', 'light-high-contrast-experimental', 'light-mobile']
/** Parts and variants of used components that the page does not show. */
const UNUSED_CLASSES = [
  ...['__ContextualSaveBar', '__LoadingBar', '__GlobalRibbonContainer', '--hasSidebar'].map(
    (name) => `Polaris-Frame${name}`,
  ),
  // No row has a tone or is part of another, and no column stays in view.
  ...[
    '--toneSuccess',
    '--toneWarning',
    '--toneCritical',
    '--toneSubdued',
    '__ZebraStriping',
    '__TableRow--subheader',
    '__TableRow--child',
    '__Table--sticky',
    '--tableStickyLast',
    '--tableStickyScrolling',
    '--stickyTableHeaderStickyLast',
    '--stickyTableHeaderStickyScrolling',
    '__EmptySearchResultWrapper',
    // The bar of selected rows is shell/components/selection-bar.tsx.
    '__BulkActionsWrapperVisible',
    '--disableTextSelection',
  ].map((name) => `Polaris-IndexTable${name}`),
  // No entry has entries or actions.
  ...[
    '__SecondaryNavigation',
    '__SecondaryNavigationOpen',
    '__SecondaryNavigation--noIcon',
    '__SecondaryAction',
    '__SecondaryActions',
    '__ItemWithFloatingActions',
    '__RollupSection',
    '__RollupToggle',
    '__ContextControl',
    '__UserMenu',
    '--subNavigationActive',
    '--itemInnerWrapperDisplayActionsOnHover',
  ].map((name) => `Polaris-Navigation${name}`),
  ...['--toneMagic', '--suggestion'].map((name) => `Polaris-TextField${name}`),
]

export function usedStyles(): Plugin {
  return {
    name: 'used-styles',
    enforce: 'pre',
    transform(code, id) {
      if (!id.replace(/\?.*/, '').endsWith('/polaris/build/esm/styles.css')) return null
      const { classes, code: modules } = usedModules()
      const used = new Set([...classes].filter((name) => !UNUSED_CLASSES.includes(name)))
      const kept = keepRules(code, used)
      return { code: toLogical(keepVariables(kept, modules + ownCode())), map: null }
    },
  }
}

/**
 * Names the sides of the text instead of those of the screen, so that the page is mirrored for
 * languages that are written from right to left. The middle has no side.
 */
export const toLogical = (css: string): string =>
  css
    .replaceAll(
      /(?<=[;{\s])((?:scroll-)?(?:margin|padding)|border)-(left|right)(?=(?:-\w+)?\s*:)/g,
      (_all, name: string, side: string) => `${name}-inline-${ownValue(EDGES, side)}`,
    )
    .replaceAll(
      /(?<=[;{\s])border-(top|bottom)-(left|right)-radius(?=\s*:)/g,
      (_all, block: string, side: string) =>
        `border-${ownValue(EDGES, block)}-${ownValue(EDGES, side)}-radius`,
    )
    .replaceAll(
      /(?<=[;{\s])(left|right)(?=\s*:(?!\s*50%))/g,
      (side) => `inset-inline-${ownValue(EDGES, side)}`,
    )
    .replaceAll(
      /(?<=[;{\s]text-align\s*:\s*)(left|right)\b/g,
      (side) => ownValue(EDGES, side) ?? side,
    )

const EDGES: Readonly<Record<string, string>> = {
  top: 'start',
  bottom: 'end',
  left: 'start',
  right: 'end',
}

/** The page's own sources: they use variables by their names, and colours as values of components. */
const ownCode = (): string =>
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|css)$/.test(file) && !/^(dist|extensions)\b/.test(file))
    .map((file) => readFileSync(path.join(import.meta.dirname, file), 'utf8'))
    .join('\n')

/** The stylesheet without colours that neither it nor `code` names. */
export function keepVariables(css: string, code: string): string {
  const named = new Set([...css.matchAll(/var\(\s*(--p-color-[\w-]+)/g)].map(([, name]) => name))
  const words = new Set(code.match(/[\w-]+/g))
  return css.replaceAll(/(--p-color-([\w-]+))\s*:[^;{}]*;/g, (declaration, name, colour) =>
    named.has(name) || words.has(name) || words.has(colour) ? declaration : '',
  )
}

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
