// Leaves out of Polaris what the page never renders: components name each of their parts, so that a
// bundler keeps them all.
/// <reference types="node" />
import { ownValue } from '../plugins/_page/own-value.ts'
import type { Plugin } from 'vite'

const COMPONENTS = '/polaris/build/esm/components/'
/** No property of the page's components shows them. */
export const UNUSED_PARTS = [
  'BulkActions/BulkActions.js',
  'Collapsible/Collapsible.js',
  'EmptySearchResult/EmptySearchResult.js',
  'Frame/components/ContextualSaveBar/ContextualSaveBar.js',
  'Frame/components/Loading/Loading.js',
  'Frame/components/ToastManager/ToastManager.js',
  'IndexTable/components/Checkbox/Checkbox.js',
  'LegacyStack/LegacyStack.js',
  'Navigation/components/Item/components/SecondaryNavigation/SecondaryNavigation.js',
  'Tabs/components/CreateViewModal/CreateViewModal.js',
  'Tabs/components/Tab/components/DuplicateModal/DuplicateModal.js',
  'Tabs/components/Tab/components/RenameModal/RenameModal.js',
  'TopBar/components/Menu/Menu.js',
  'TopBar/components/Search/Search.js',
  'TopBar/components/SearchField/SearchField.js',
  'TopBar/components/UserMenu/UserMenu.js',
]

/** The path of a module below the components of Polaris; undefined: it is none of them. */
export const componentOf = (id: string): string | undefined =>
  id.replaceAll('\\', '/').split(COMPONENTS)[1]

/** Whether Polaris' module is one of them. */
export const isUnusedPart = (id: string): boolean => {
  const part = componentOf(id)
  return part !== undefined && UNUSED_PARTS.includes(part)
}

const TOKENS = '/polaris-tokens/dist/esm/build/index.mjs'
/** The page has one theme; only these values are read by scripts. */
const THEME = 'light'
const READ_TOKENS = ['breakpoints', 'motion', 'space', 'zIndex']

/** Exported for its test: the module of the design tokens without other themes, and without the values that only CSS has. */
export function withReadTokens(code: string): string {
  return code.replace(/(?<=var themes = )\{.*?\n\}(?=;)/s, (themes) => {
    const { [THEME]: theme = {} } = JSON.parse(themes) as Record<string, Record<string, object>>
    return JSON.stringify({
      [THEME]: Object.fromEntries(READ_TOKENS.map((group) => [group, ownValue(theme, group)])),
    })
  })
}

/** Replaces each unused part with a component that renders nothing. */
export function unusedParts(): Plugin {
  return {
    name: 'unused-parts',
    enforce: 'pre',
    transform(code, id) {
      if (id.endsWith(TOKENS)) return { code: withReadTokens(code), map: null }
      if (!isUnusedPart(id)) return null
      const names = [...code.matchAll(/export \{([^}]+)\}/g)].flatMap(([, list = '']) =>
        list.split(',').map((name) => name.trim()),
      )
      return {
        code: names.map((name) => `export const ${name} = () => null\n`).join(''),
        map: null,
      }
    },
  }
}
