import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { pagesIn } from './first-files.ts'

test('every page of every feature is found in its source', () => {
  const sources = globSync('features/*/feature.ts', { cwd: import.meta.dirname })
  expect(sources.length).toBeGreaterThan(20)
  for (const file of sources) {
    const code = readFileSync(path.join(import.meta.dirname, file), 'utf8')
    const pages = pagesIn(code, path.join(import.meta.dirname, path.dirname(file)))
    expect([file, pages.length]).toEqual([file, code.split('page: ').length - 1])
    for (const [, module] of pages) expect(readFileSync(module, 'utf8')).not.toBe('')
  }
})
