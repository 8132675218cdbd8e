// Every command and every program of docs/api.md, in their order, with the installed package and
// against a real server.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { importUntilEnd } from './imports.ts'
import { installCommand, type InstalledCommand } from './command.ts'
import { startOrderShop, type OrderShop } from './order-shop.ts'
import { WAIT_MS } from '../wait.ts'
import { ROOT } from './server.ts'
import { someOf } from '../scale.ts'

const run = promisify(execFile)

const text = await readFile(path.join(ROOT, 'docs/api.md'), 'utf8')
const blocks = [...text.matchAll(/^```(sh|ts)\n(.*?)^```$/gms)].map(([, kind, code]) => ({
  kind: kind!,
  code: code!,
}))

const programOf = (at: number) => `example-${at}.ts`

let shop: OrderShop
let command: InstalledCommand
let env: Record<string, string>

async function bulkUpdate(file: string, tag: string): Promise<string> {
  const body = { file_ids: [file], updates: { tags: [tag], tags_mode: 'add' } }
  const answer = await shop.server.call('PUT', '/api/files/bulk-update', body)
  return ((await answer.json()) as { job_id: string }).job_id
}

beforeAll(async () => {
  shop = await startOrderShop()
  const { server, origin, shopFront } = shop
  command = await installCommand(server)
  const source = (name: string) => `${origin.url}/bytes/1000/${name}`
  const { files } = await importUntilEnd(server, {
    files: [{ filename: 'sold.pdf', url: source('sold.pdf'), product_sku: 'EB-001' }],
  })
  const FILE = files[0]!.file_id!
  const sold = await fetch(`${shopFront}/demo/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: 'ada@example.com',
      lines: [{ sku: 'EB-001', quantity: 1 }],
    }),
  })
  const { name: ORDER } = (await sold.json()) as { name: string }
  await vi.waitFor(
    async () => {
      const found = await server.call('GET', `/api/deliveries?order=${encodeURIComponent(ORDER)}`)
      expect(((await found.json()) as { data: unknown[] }).data).toHaveLength(1)
    },
    { timeout: WAIT_MS },
  )
  await command.write('spring/EB-001_guide.pdf', '%PDF-1.4 a guide')
  await command.write('spring/EB-002_notes.pdf', '%PDF-1.4 notes')
  await command.write('list.csv', `filename,file_url\nlisted.pdf,${source('listed.pdf')}\n`)
  for (const list of ['list', 'autumn']) {
    const entries = [`${list} 1.pdf`, `${list} 2.pdf`].map((filename) =>
      JSON.stringify({ filename, url: source(list) }),
    )
    await command.write(`${list}.ndjson`, `{"import":{"notify":false}}\n${entries.join('\n')}\n`)
  }
  for (const [at, { kind, code }] of blocks.entries())
    if (kind === 'ts') await writeFile(path.join(command.folder, programOf(at)), code)
  env = {
    FILE,
    ORDER,
    SOURCE: source('planner.pdf'),
    OPERATION: await bulkUpdate(FILE, 'first'),
    SECOND_OPERATION: await bulkUpdate(FILE, 'second'),
    STEVEDORE_KEY: server.apiKey,
    STEVEDORE_URL: server.url,
    HOME: command.home,
    PATH: `${path.join(command.folder, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
  }
  return async () => {
    await command.remove()
    await shop.end()
  }
})

test('the page shows eleven tasks, each as commands and as code', () => {
  const tasks = text.split(/^### \d+\. /m).slice(1)
  expect(tasks).toHaveLength(11)
  for (const task of tasks) {
    expect(task).toMatch(/^```sh$/m)
    expect(task).toMatch(/^```ts$/m)
  }
})

describe('each works', () => {
  const all = blocks.map(
    ({ kind, code }, at) => [code.trim().slice(0, 120), kind, code, at] as const,
  )
  // In npm test every fifth: of the commands and of the programs two each.
  test.each(someOf(all, ([, , , at]) => at % 5 === 0))('%s', async (_what, kind, code, at) => {
    const [program, args] =
      kind === 'sh'
        ? (['bash', ['-euc', code]] as const)
        : ([process.execPath, ['--no-warnings', programOf(at)]] as const)
    const { stdout } = await run(program, args, { cwd: command.folder, env })
    expect(stdout).not.toMatch(/FAILED|"error":\{/)
  })
})

test('the programs have the types that the package declares, which refuse mistakes', async () => {
  await writeFile(
    path.join(command.folder, 'mistakes.ts'),
    `import { stevedore } from 'stevedore'
const shop = stevedore({ url: 'https://files.example.com', key: 'x' })
// @ts-expect-error there is no such path
await shop.GET('/api/filez')
// @ts-expect-error the id is missing
await shop.GET('/api/files/{id}', {})
const params = { path: { id: '' } }
// @ts-expect-error it is a number
await shop.PATCH('/api/files/{id}', { params, body: { download_limit: 'many' } })
// @ts-expect-error this list has no pages
for await (const one of shop.all('/api/settings')) console.log(one)
// @ts-expect-error the id is missing
for await (const one of shop.all('/api/operations/{id}/items', {})) console.log(one)
for await (const { status } of shop.all('/api/operations/{id}/items', {}, { id: '' }))
  console.log(status)
const { data } = await shop.GET('/api/files', { params: { query: { limit: 1 } } })
const names: string[] = data?.data.map(({ filename }) => filename) ?? []
// @ts-expect-error it is a text
const sizes: number[] = data?.data.map(({ filename }) => filename) ?? []
console.log(names, sizes)
`,
  )
  const options = {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023'],
    strict: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
  }
  await writeFile(
    path.join(command.folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['*.ts'] }),
  )
  const compiler = path.join(ROOT, 'node_modules/typescript-native/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler, '-p', command.folder]).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
})
