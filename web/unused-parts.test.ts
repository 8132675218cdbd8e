import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { patched, PATCHES } from './polaris-patches.ts'
import { UNUSED_PARTS, withReadTokens } from './unused-parts.ts'
import { usedModules } from './used-components.ts'
import { keepTexts } from './used-texts.ts'

const PACKAGES = path.join(import.meta.dirname, '../node_modules/@shopify')

test('every part that is left out is a module of Polaris', () => {
  const missing = UNUSED_PARTS.filter(
    (part) => !existsSync(path.join(PACKAGES, 'polaris/build/esm/components', part)),
  )
  expect(missing).toEqual([])
})

test('the tokens that components read in scripts stay', () => {
  const all = readFileSync(path.join(PACKAGES, 'polaris-tokens/dist/esm/build/index.mjs'), 'utf8')
  const kept = withReadTokens(all)
  expect(kept.length).toBeLessThan(all.length / 10)
  const read = [...usedModules().code.matchAll(/\.\w+\[['"]([a-zA-Z]+-[\w-]*\d)['"]\]/g)]
  expect(read.length).toBeGreaterThan(3)
  for (const [, token] of read) expect(kept).toContain(`"${token}":`)
})

test('the texts of used components stay', () => {
  const texts = JSON.stringify({ Polaris: { Badge: { a: 'A' }, Video: { b: 'B' } } })
  expect(keepTexts(texts, "i18n.translate('Polaris.Badge.a')")).toBe(
    JSON.stringify({ Polaris: { Badge: { a: 'A' } } }),
  )
})

test.each(PATCHES)('Polaris still has what is mended in $module', ({ module, from, to }) => {
  const id = path.join(PACKAGES, 'polaris/build/esm/components', module)
  const code = readFileSync(id, 'utf8')
  expect(code.split(from)).toHaveLength(2)
  expect(patched(code, id)).toContain(to)
})
