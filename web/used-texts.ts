// Leaves out the texts of Polaris' components that the page does not use.
/// <reference types="node" />
import type { Plugin } from 'vite'
import { usedModules } from './used-components.ts'

export function usedTexts(): Plugin {
  return {
    name: 'used-texts',
    enforce: 'pre',
    transform(code, id) {
      if (!/\/polaris\/locales\/[\w-]+\.json$/.test(id)) return null
      return { code: keepTexts(code, usedModules().code), map: null }
    },
  }
}

/** The texts of the components that `code` translates, `Polaris.Badge.…`. */
export function keepTexts(json: string, code: string): string {
  const { Polaris: texts } = JSON.parse(json) as { Polaris: Record<string, unknown> }
  const used = new Set([...code.matchAll(/\bPolaris\.(\w+)\./g)].map(([, name]) => name))
  const kept = Object.entries(texts).filter(([name]) => used.has(name))
  return JSON.stringify({ Polaris: Object.fromEntries(kept) })
}
