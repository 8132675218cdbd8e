import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import Koa from 'koa'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { silent } from '../../test/database.ts'
import { errorResponses } from './errors.ts'
import { commandPackage } from './command-package.ts'

let built: string
beforeAll(async () => {
  built = await mkdtemp(path.join(tmpdir(), 'stevedore-package-'))
  const manifest = { name: 'stevedore', stevedore: { url: '', build: '0123456789abcdef' } }
  await writeFile(path.join(built, 'package.json'), JSON.stringify(manifest))
  await writeFile(path.join(built, 'command.js'), 'console.log(1)')
})
afterAll(() => rm(built, { recursive: true }))

/** Serves the package of a build that is counted; the first `failures` of them fail. */
async function serving(failures = 0) {
  let builds = 0
  const folder = () =>
    ++builds <= failures ? Promise.reject(new Error('not built')) : Promise.resolve(built)
  const { handle } = commandPackage({ folder, baseUrl: null })
  const koa = new Koa()
  koa.use(errorResponses(silent))
  koa.use((ctx) => handle(ctx, async () => undefined))
  const serve = koa.callback()
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const get = (host = '127.0.0.1') => fetch(`http://${host}:${port}/stevedore.tgz`)
  return { get, builds: () => builds, port }
}

const contentOf = async (answer: Response) =>
  gunzipSync(Buffer.from(await answer.arrayBuffer())).toString('latin1')

test('requests that come while the package is packed share one build', async () => {
  const { get, builds, port } = await serving()
  const answers = await Promise.all([get(), get(), get()])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  for (const one of [...answers, await get()])
    expect(await contentOf(one)).toContain(`"url": "http://127.0.0.1:${port}"`)
  expect(builds()).toBe(1)
  // Another address is another package.
  expect(await contentOf(await get('localhost'))).toContain(`"url": "http://localhost:${port}"`)
  expect(builds()).toBe(2)
})

test('a failed build is tried again by the next request', async () => {
  const { get, builds } = await serving(1)
  expect((await get()).status).toBe(500)
  expect((await get()).status).toBe(200)
  expect(builds()).toBe(2)
})
