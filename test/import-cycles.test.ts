// Imports that form a cycle hide which part depends on which. Files are checked, and the entries
// (files and folders) of every folder: imports between two entries go one way. Type imports count
// too, which lint excludes.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g
const FOLDERS = ['server', 'plugins', 'workflows', 'web', 'test']

type Graph = Map<string, Set<string>>

const files = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.(?:test|soak))\.tsx?$/.test(name))
    .map((name) => path.join(folder, name)),
)

const known = new Set(files)
const importsOf = (file: string): string[] =>
  [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(IMPORT)]
    .map(([, to]) => path.join(path.dirname(file), to!))
    .filter((to) => known.has(to))
const imports: Graph = new Map(files.map((file) => [file, new Set(importsOf(file))]))

/** For each folder, the imports between its own entries. A folder in it counts as one. */
function entriesOfFolders(): Map<string, Graph> {
  const folders = new Map<string, Graph>()
  for (const [file, targets] of imports)
    for (const target of targets) {
      const [from, to] = [file.split('/'), target.split('/')]
      const depth = from.findIndex((part, at) => part !== to[at])
      const folder = from.slice(0, depth).join('/')
      const graph: Graph = folders.get(folder) ?? new Map()
      folders.set(folder, graph)
      const entry = graph.get(from[depth]!) ?? new Set()
      graph.set(from[depth]!, entry.add(to[depth]!))
    }
  return folders
}

/** Every node on a cycle, with the shortest path back to itself. */
const cyclesIn = (graph: Graph): string[] =>
  [...graph.keys()].flatMap((node) => cycleThrough(node, graph) ?? [])

function cycleThrough(start: string, graph: Graph): string | null {
  const from = new Map<string, string>()
  const queue = [start]
  for (let node = queue.shift(); node !== undefined; node = queue.shift())
    for (const to of graph.get(node) ?? []) {
      if (to === start) return [...wayTo(node, from), start].join(' → ')
      if (from.has(to)) continue
      from.set(to, node)
      queue.push(to)
    }
  return null
}

function wayTo(node: string, from: ReadonlyMap<string, string>): string[] {
  const before = from.get(node)
  return before === undefined ? [node] : [...wayTo(before, from), node]
}

test('finds imports and cycles', () => {
  expect([...imports.get('server/engine/worker.ts')!]).toContain('server/engine/finish.ts')
  const graph = (edges: Record<string, string[]>): Graph =>
    new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]))
  expect(cyclesIn(graph({ a: ['b'], b: ['c'], c: [] }))).toEqual([])
  expect(cyclesIn(graph({ a: ['b'], b: ['c'], c: ['b'] }))).toEqual(['b → c → b', 'c → b → c'])
})

test('no file imports itself through others', () => {
  expect(cyclesIn(imports)).toEqual([])
})

test('no entries of a folder import each other in a cycle', () => {
  const folders = entriesOfFolders()
  expect(folders.get('server')!.get('http')).toContain('engine')
  for (const [folder, graph] of folders) expect([folder, cyclesIn(graph)]).toEqual([folder, []])
})
