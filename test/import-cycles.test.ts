// Imports that form a cycle hide which part depends on which; imports of types count too, which
// lint leaves out.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g
/** Folders that no cycle may pass through. */
const CHECKED = ['server/engine/']

const files = ['server', 'plugins', 'workflows'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => path.join(folder, name)),
)
const known = new Set(files)
const importsOf = (file: string): string[] =>
  [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(IMPORT)]
    .map(([, to]) => path.join(path.dirname(file), to!))
    .filter((to) => known.has(to))
const imports = new Map(files.map((file) => [file, importsOf(file)]))

/** The shortest way from the file back to itself, or null. */
function cycleThrough(start: string): string[] | null {
  const from = new Map<string, string>()
  const queue = [start]
  for (let file = queue.shift(); file !== undefined; file = queue.shift())
    for (const to of imports.get(file)!) {
      if (to === start) return wayTo(file, from)
      if (from.has(to)) continue
      from.set(to, file)
      queue.push(to)
    }
  return null
}

function wayTo(file: string, from: ReadonlyMap<string, string>): string[] {
  const before = from.get(file)
  return before === undefined ? [file] : [...wayTo(before, from), file]
}

test('the imports of the whole engine are found', () => {
  expect(imports.get('server/engine/batches/run.ts')).toContain('server/engine/batches/planned.ts')
  expect(imports.get('server/engine/worker.ts')).toContain('server/engine/batches/run.ts')
})

test.each(files.filter((file) => CHECKED.some((folder) => file.startsWith(folder))))(
  '%s is in no cycle',
  (file) => {
    expect(cycleThrough(file)).toBeNull()
  },
)
