// A process of the sandbox is started for each document or picture: of the contract it loads what
// scripts need, without the libraries of schemas and texts.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')
const SCRIPTS = [
  'plugins/_pdf/child.ts',
  'plugins/optimize-image/image-child.ts',
  'plugins/unpack-zip/child.ts',
  'server/features/previews/preview-child.ts',
  'server/features/samples/sample-child.ts',
]
/** The names, and from where, of an import or export that is there at run time. */
const VALUES = /^(?:import|export) (?!type\b)(?:([^'"]*?) from )?'([^']+)'/gm

const onlyTypes = (names = '') => {
  const [, listed] = /^\{([^}]*)\}$/.exec(names.trim()) ?? []
  return listed !== undefined && listed.split(',').every((one) => /^\s*(?:type .*)?$/s.test(one))
}

/** The files and packages that a file loads at its start. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  for (const [, names, from = ''] of readFileSync(path.join(ROOT, file), 'utf8').matchAll(VALUES))
    if (!onlyTypes(names)) {
      if (from.startsWith('.')) loadedBy(path.join(path.dirname(file), from), loaded)
      else loaded.add(from)
    }
  return loaded
}

test.each(SCRIPTS)('%s loads only what scripts need of the contract', (script) => {
  const loaded = [...loadedBy(script)]
  expect(loaded).toContain('plugins/contract/sandbox.ts')
  expect(
    loaded.filter((one) => /^(?:zod|intl-messageformat)$|contract\/index\.ts$/.test(one)),
  ).toEqual([])
})

test('finds what a file loads', () => {
  const loaded = loadedBy('plugins/contract/text.ts')
  expect([...loaded]).toEqual(
    expect.arrayContaining(['intl-messageformat', 'plugins/contract/say.ts']),
  )
})
