// What `npm run measure` says of a file, by made-up modules that really run with counters.
import { runInThisContext } from 'node:vm'
import { expect, test } from 'vitest'
import ts from 'typescript'
import { changedTogether } from './history.ts'
import { Ids, instrument } from './instrument.ts'
import { importedOnce, importsOf } from './product.ts'
import { kindOf } from './kinds.ts'
import { Judge } from './verdicts.ts'

type Exported = Record<string, (...args: unknown[]) => unknown>

/** What its counters reported. */
class Recorded {
  readonly entered = new Set<number>()
  readonly gave = new Map<number, Set<string>>()
  readonly #pending: Promise<void>[] = []

  readonly ran = (id: number): void => void this.entered.add(id)

  readonly gaveBack = <T>(id: number, value: T, asIs = false): T => {
    this.#pending.push(
      Promise.resolve(value).then((settled) => {
        const kind = asIs ? 'n' : kindOf(settled)
        this.gave.set(id, (this.gave.get(id) ?? new Set()).add(kind))
      }),
    )
    return value
  }

  settled = () => Promise.all(this.#pending)
}

/** Runs the modules in one scope, since their names differ, and judges each file. */
async function verdicts(
  texts: Record<string, string>,
  run: (exported: Exported) => unknown,
): Promise<Record<string, string>> {
  const ids = new Ids()
  const modules = Object.entries(texts).map(([file, text]) => instrument(file, text, ids))
  const code = modules
    .map((one) => ts.transpile(one.code, { target: ts.ScriptTarget.ESNext }))
    .join('\n')
    .replaceAll(/^\s*import .*$/gm, '')
    .replaceAll('export ', '')
  const names = [
    ...Object.values(texts)
      .join('\n')
      .matchAll(/export \D*?(?:\*|const|function) (\w+)/g),
  ]
  const recorded = new Recorded()
  const exported = (
    runInThisContext(
      `(__ran, __gave) => {${code}\nreturn { ${names.map(([, name]) => name).join(', ')} }}`,
    ) as (...counters: unknown[]) => Exported
  )(recorded.ran, recorded.gaveBack)
  await run(exported)
  await recorded.settled()
  const functions = modules.flatMap((one) => one.functions.map(({ id }) => id))
  const counted = new Set(functions.filter((id) => recorded.entered.has(id)))
  const judge = new Judge(modules, { ...recorded, counted })
  return Object.fromEntries(Object.keys(texts).map((file) => [file, judge.verdictOf(file)]))
}

const verdict = async (text: string, run: (exported: Exported) => unknown) =>
  Object.values(await verdicts({ 'server/a.ts': text }, run))[0]

test('a hook that left at its guard ran in vain, and one that went on did something', async () => {
  const hook = `const isMine = (op) => op.kind === 'import'
    export async function onEnd(op, tx) {
      if (!isMine(op)) return
      await tx.query('update')
    }`
  const tx = { query: () => Promise.resolve() }
  expect(await verdict(hook, ({ onEnd }) => onEnd!({ kind: 'tag' }, tx))).toBe('vain')
  expect(await verdict(hook, ({ onEnd }) => onEnd!({ kind: 'import' }, tx))).toBe('does')
})

test('a door that passes the request on ran in vain', async () => {
  const door = `export const door = (path, answer) => (ctx, next) =>
      ctx.path === path ? answer(ctx) : next()
    export const wide = (answer) => async (ctx, next) => {
      if (ctx.path !== '/wide') return next()
      ctx.body = await answer(ctx)
    }`
  const through = (path: string) => {
    const next = () => Promise.resolve()
    return ({ wide }: Exported) =>
      (wide!(() => 'body') as (...a: unknown[]) => unknown)({ path }, next)
  }
  expect(await verdict(door, through('/other'))).toBe('vain')
  expect(await verdict(door, through('/wide'))).toBe('does')
})

test('what is made and not used was made in vain', async () => {
  const port = `export function createPort(client) {
      const cache = new Map()
      return { read: (id) => client.read(id, cache), count: () => cache.size }
    }
    export class Port {
      #client
      constructor(client) { this.#client = client }
      read(id) { return this.#client.read(id) }
    }
    export const open = (client) => new Port(client)`
  type Port = { read: (id: number) => unknown }
  const client = { read: () => 'bytes' }
  expect(await verdict(port, ({ createPort }) => createPort!(client))).toBe('vain')
  expect(await verdict(port, ({ open }) => open!(client))).toBe('vain')
  expect(await verdict(port, ({ createPort }) => (createPort!(client) as Port).read(1))).not.toBe(
    'vain',
  )
})

test('work with an empty list ran in vain', async () => {
  const writer = `export async function writeAll(tx, rows) {
      for (const row of rows) await tx.insert(row)
    }
    export const mapAll = (tx, rows) => Promise.all(rows.map((row) => tx.insert(row)))`
  const tx = { insert: () => Promise.resolve(1) }
  expect(await verdict(writer, ({ writeAll }) => writeAll!(tx, []))).toBe('vain')
  expect(await verdict(writer, ({ mapAll }) => mapAll!(tx, []))).toBe('vain')
  expect(await verdict(writer, ({ writeAll }) => writeAll!(tx, [1]))).toBe('does')
})

test('a check that found nothing was made, and so was a value that was computed', async () => {
  const rules = `export function problemOf(name) {
      if (name === '') return 'empty'
      return null
    }
    export const sizeOf = (name) => name.length`
  expect(await verdict(rules, ({ problemOf }) => problemOf!('a'))).toBe('does')
  expect(await verdict(rules, ({ sizeOf }) => sizeOf!(''))).toBe('does')
})

test('a file whose only answer was no ran in vain', async () => {
  const flow = `export const isFlowPath = (path) => path === '/flow'
    export const answerFlow = (response) => response.end('flow')`
  expect(await verdict(flow, ({ isFlowPath }) => isFlowPath!('/other'))).toBe('vain')
  expect(await verdict(flow, ({ isFlowPath }) => isFlowPath!('/flow'))).toBe('does')
})

test('a call that is passed on is a relay, and so is its caller only if the call did something', async () => {
  const files = {
    'server/hooks.ts': `import { onEnd } from './own.ts'
      export const runHooks = async (op) => { await onEnd(op) }`,
    'server/own.ts': `export async function onEnd(op) {
        if (op.kind !== 'import') return
        op.done = true
      }`,
  }
  expect(await verdicts(files, ({ runHooks }) => runHooks!({ kind: 'tag' }))).toEqual({
    'server/hooks.ts': 'vain',
    'server/own.ts': 'vain',
  })
  expect(await verdicts(files, ({ runHooks }) => runHooks!({ kind: 'import' }))).toEqual({
    'server/hooks.ts': 'relay',
    'server/own.ts': 'does',
  })
})

test('the demo platform is apart', async () => {
  const demo = { 'server/demo/app.ts': 'export const serve = (shop) => shop.close()' }
  const run = ({ serve }: Exported) => serve!({ close: () => {} })
  expect(await verdicts(demo, run)).toEqual({ 'server/demo/app.ts': 'demo' })
})

test('counters leave the results of a module as they are', async () => {
  const text = `export function* twice(values) {
      for (const one of values) if (one > 1) yield one * 2
      else if (one === 1) continue
      else return
    }
    export const pick = async (a, b) => a?.name ?? (b && (await b())) ?? 'none'
    export function kindly(value) {
      switch (typeof value) {
        case 'string':
        case 'number':
          return \`\${value}\`
        default: {
          try { return value.name } catch { return 'thrown' }
        }
      }
    }`
  await verdicts({ 'server/a.ts': text }, async ({ twice, pick, kindly }) => {
    expect([...(twice!([2, 1, 3, 0, 4]) as Iterable<number>)]).toEqual([4, 6])
    expect(await pick!(null, () => 'called')).toBe('called')
    expect([kindly!(1), kindly!({ name: 'n' }), kindly!(null)]).toEqual(['1', 'n', 'thrown'])
  })
})

test('files change together by pairs that share a fifth of their commits, three at least', () => {
  const files = new Set(['a', 'b', 'c', 'd'])
  const commits = [
    ['a', 'b'],
    ['a', 'b', 'other'],
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'd'],
    ['c', 'd'],
  ]
  expect(changedTogether(commits, files)).toEqual([['a', 'b']])
  expect(changedTogether([...commits, ['c', 'd'], ['b', 'c'], ['b', 'c']], files)).toEqual([
    ['a', 'b', 'c', 'd'],
  ])
  const many = Array.from({ length: 21 }, (_, n) => `f${n}`)
  expect(changedTogether([many, many, many], new Set(many))).toEqual([])
})

test('importers are counted by file', () => {
  const files = [
    { file: 'server/a.ts', text: `import { b } from './b.ts'\nimport('./c/c.ts')` },
    { file: 'server/b.ts', text: `export { c } from './c/c.ts'\nimport type { D } from './d.ts'` },
    { file: 'server/c/c.ts', text: `import x from 'lib'` },
    { file: 'server/d.ts', text: '' },
  ]
  expect(importedOnce(importsOf(files))).toBe(2)
})
