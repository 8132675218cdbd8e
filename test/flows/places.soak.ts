// The product started from clones in unusual places: a folder only root can enter, without root, a
// path with a space and a non-ASCII letter, and a read-only checkout. Each runs the main job:
// import, map, deliver, start again.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { contentOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { uniqueSkus } from './catalog.ts'
import { cloneInto, giveTo } from './clone.ts'
import { importUntilEnd, listAll } from './imports.ts'
import {
  baseEnv,
  nodeOf,
  removeDataDir,
  startServer,
  type RunningServer,
  type ServerOptions,
} from './server.ts'

const run = promisify(execFile)
/** The user nobody. Without root the tests run as the current user. */
const WITHOUT_ROOT = process.getuid!() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

let origin: Origin
let folder: string
let clone: string
let server: RunningServer | null = null
beforeAll(async () => {
  origin = await startOrigin()
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-place-'))
  clone = path.join(folder, 'clone')
  await cloneInto(clone)
})
afterEach(async () => {
  await server?.stop()
  server = null
  await removeDataDir(path.join(clone, 'data'))
})
afterAll(async () => {
  await origin.close()
  await rm(folder, { recursive: true, force: true })
})

/** Moves the clone to another folder of this mode. It must not depend on its previous path. */
async function place(name: string, mode: number): Promise<void> {
  const to = path.join(folder, name)
  await mkdir(path.dirname(to), { recursive: true })
  await rename(clone, to)
  clone = to
  await chmod(folder, mode)
}

const start = async (user?: ServerOptions['user']) => {
  const dataDir = path.join(clone, 'data')
  server = await startServer({
    root: clone,
    dataDir,
    ...(user ? { user } : {}),
    env: { HOME: clone },
  })
  return server
}

async function mainJob(user?: ServerOptions['user']): Promise<void> {
  let running = await start(user)
  const skus = uniqueSkus().slice(0, 20)
  const files = skus.map((product_sku, n) => ({
    filename: `Manual ${n}.pdf`,
    url: `${origin.url}/bytes/${2000 + n}/manual-${n}`,
    product_sku,
  }))
  const reply = await importUntilEnd(running, { files })
  expect(reply).toMatchObject({ status: 'success', imported: 20, failed: 0 })
  expect((await listAll(running, '/api/files?mapped=true')).length).toBe(20)
  // Also finds “Manual 17.pdf”.
  const found = await listAll(running, '/api/files?search=Manual%207.pdf')
  const { id } = found.find(({ filename }) => filename === 'Manual 7.pdf')!
  const made = await running.call('POST', '/api/links', { file_ids: [id], download_limit: 2 })
  const { data } = (await made.json()) as { data: { url: string }[] }
  const download = async () => {
    const { pathname, search } = new URL(data[0]!.url)
    const response = await fetch(running.url + pathname + search)
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const first = await download()
  expect([first.status, first.bytes.equals(contentOf(2007, 'manual-7'))]).toEqual([200, true])
  await commandBeside(running, user)
  expect(await running.stop(), running.output()).toBe(0)
  running = await start(user)
  expect((await download()).bytes.equals(contentOf(2007, 'manual-7'))).toBe(true)
  expect((await download()).status).toBe(410)
}

/** Runs a command that finds the running server's database. */
async function commandBeside(running: RunningServer, user: ServerOptions['user']): Promise<void> {
  const args = ['server/commands/api-key.ts', '--shop', running.shop, '--scopes', 'files:read']
  const env = { ...baseEnv(), DATA_DIR: running.dataDir }
  const { stdout } = await run(nodeOf(clone), args, { cwd: clone, env, ...user })
  const headers = { authorization: `Bearer ${stdout.trim()}` }
  expect((await fetch(`${running.url}/api/files`, { headers })).status).toBe(200)
}

test('in a folder of mode 0700, as the user who runs the tests', async () => {
  await place('stevedore', 0o700)
  await mainJob()
  // The tests' own database starts there too.
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'db']
  args.push('server/core/db/for-shop.test.ts')
  const { stdout } = await run(nodeOf(clone), args, {
    cwd: clone,
    env: { ...baseEnv(), TMPDIR: folder },
  })
  expect(stdout).toMatch(/Test Files.*1 passed/)
})

const ODD_PATH = path.join('My shop', 'Bücher & Läden')

test('without root, in a path with a space and a letter that is not ASCII', async () => {
  await place(ODD_PATH, 0o711)
  // Nothing is built yet: the server builds everything there.
  await rm(path.join(clone, 'web', 'dist'), { recursive: true, force: true })
  if (WITHOUT_ROOT) await giveTo(clone, WITHOUT_ROOT)
  await mainJob(WITHOUT_ROOT)
})

test('without root, where the folder of the page cannot be written', async () => {
  await place('not-writable', 0o711)
  const web = path.join(clone, 'web')
  await rm(path.join(web, 'dist'), { recursive: true, force: true })
  if (WITHOUT_ROOT) await giveTo(clone, WITHOUT_ROOT)
  await chmod(web, 0o555)
  onTestFinished(() => chmod(web, 0o755))
  await mainJob(WITHOUT_ROOT)
  expect(await readdir(path.join(clone, 'data/page'))).toEqual(['dist'])
  const page = await fetch(`${server!.url}/files`, { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('/assets/')
})
