// One word has one meaning: no two modules of the server export the same name.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const SERVER = path.join(import.meta.dirname, '../server')
const NAMED = /^export (?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm
const TAKEN_APART = /^export const [{[]([^}\]]*)/gm

/** A set, because an overloaded function is declared several times. */
const namesIn = (code: string): Set<string> =>
  new Set([
    ...[...code.matchAll(NAMED)].map(([, name]) => name!),
    ...[...code.matchAll(TAKEN_APART)].flatMap(([, names]) =>
      names!.split(',').map((name) => name.split(':').pop()!.trim()),
    ),
  ])

test('finds declarations, and skips re-exported names', () => {
  const code = `export const a = 1
export async function* b() {}
export const { c, d: e } = a
export { f }
export type { G }
  export const inner = 1
export interface H {}`
  expect([...namesIn(code)].toSorted()).toEqual(['H', 'a', 'b', 'c', 'e'])
})

test('no exported name is shared by two modules', () => {
  const files = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  )
  const owners = new Map<string, string[]>()
  for (const file of files)
    for (const name of namesIn(readFileSync(path.join(SERVER, file), 'utf8')))
      owners.set(name, [...(owners.get(name) ?? []), file])
  expect(owners.size).toBeGreaterThan(1000)
  expect([...owners].filter(([, modules]) => modules.length > 1)).toEqual([])
})
