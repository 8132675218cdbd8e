// docs/operators.md as a book: its commands in their order, on an installation that they make in a
// folder.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDataDir, removeDataDir } from '../data-dir.ts'
import { createTestDatabase } from '../database.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { cloneInto } from '../flows/clone.ts'
import { baseEnv, freePort, outputOf } from '../flows/server.ts'
import { ADDRESSES, bookBlocks, movedInto, type BookBlock } from '../operators-book.ts'

const exec = promisify(execFile)
const SHOP = 'harbour-press.myshopify.com'

let root: string
let origin: Origin
let database: Awaited<ReturnType<typeof createTestDatabase>>
let restored: Awaited<ReturnType<typeof createTestDatabase>>
let ports: { web: number; monitoring: number }
let running: { child: ChildProcess; output(): string } | null = null

beforeAll(async () => {
  ;[root, origin, database, restored] = await Promise.all([
    makeDataDir('stevedore-operator-'),
    startOrigin(),
    createTestDatabase('template1'),
    createTestDatabase('template1'),
  ])
  ports = { web: await freePort(), monitoring: await freePort() }
  for (const name of ['etc', 'opt', 'mnt']) await mkdir(path.join(root, name))
  await cloneInto(path.join(root, 'checkout'))
})
afterAll(async () => {
  await stop()
  await origin.close()
  await Promise.all([database.drop(), restored.drop(), removeDataDir(root)])
})

async function stop(): Promise<void> {
  if (!running) return
  const { child } = running
  const ended = new Promise((resolve) => child.once('close', resolve))
  running = null
  process.kill(-child.pid!, 'SIGTERM')
  await ended
}

/** The block as it is run here. */
function commandsOf({ text }: BookBlock): string {
  const moved = movedInto(root, text)
    .replaceAll(ADDRESSES.restored, restored.url)
    .replaceAll(ADDRESSES.database, database.url)
    .replaceAll(ADDRESSES.monitoring, String(ports.monitoring))
  const inCheckout = /npm (ci|run build)\b/.test(text)
  const settings = path.join(root, 'etc/stevedore.env')
  const before = inCheckout
    ? `cd '${root}/checkout'`
    : `cd '${root}/opt/stevedore'; set -a; if [ -e '${settings}' ]; then . '${settings}'; fi; set +a`
  // The addresses of test databases have characters of the shell.
  return `set -eu\n${before}\n${moved}`
}

/** What npm needs to reach its registry from this machine. */
const NETWORK = /^(https?_proxy|no_proxy|node_extra_ca_certs|npm_config_registry)$/i
const { PATH: own = '', HOME = '' } = baseEnv()
/** This Node, and the programs of the system: not the commands that npm adds from packages. */
const PATH = [
  path.dirname(process.execPath),
  ...own.split(':').filter((folder) => !folder.includes('node_modules')),
].join(':')
const env: Record<string, string> = {
  PATH,
  HOME,
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      NETWORK.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  ),
}
const shell = (commands: string) =>
  exec('bash', ['-c', commands], { env, maxBuffer: 64 * 1024 * 1024 }).catch((error: unknown) => {
    throw new Error(`${commands}\n${String((error as { stderr?: string }).stderr)}`, {
      cause: error,
    })
  })

/** For a block that ends with `npm start`: resolves when the process is ready. */
async function start(commands: string): Promise<void> {
  const child = spawn('bash', ['-c', commands], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running = { child, output: outputOf(child) }
  const ready = () =>
    fetch(`http://127.0.0.1:${ports.web}/readyz`).then(
      ({ ok }) => ok || child.exitCode,
      () => child.exitCode,
    )
  await expect.poll(ready, { interval: 200 }).toBe(true)
}

/** An import into a shop, so that later commands have something to work on. */
async function useIt(): Promise<void> {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  await pool.query('insert into shops (domain, name, demo) values ($1, $1, false)', [SHOP])
  await pool.end()
  const command = `npm run --silent api-key -- --shop ${SHOP} --scopes all`
  const { stdout } = await shell(commandsOf({ line: 0, text: command, notRun: null }))
  const reply = await fetch(`http://127.0.0.1:${ports.web}/api/files/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      files: [{ filename: 'Manual.pdf', url: `${origin.url}/bytes/200000/manual` }],
    }),
  })
  const body = (await reply.json()) as { status: string }
  expect([reply.status, body.status], running?.output()).toEqual([200, 'success'])
}

const filesIn = async (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from files')
  await pool.end()
  return rows[0]?.n
}

test('an operator follows the page from the first command to the last', async () => {
  const blocks = bookBlocks('sh').filter(({ notRun }) => notRun === null)
  const ran: string[] = []
  for (const block of blocks) {
    const { text, line } = block
    const began = performance.now()
    if (/npm run restore/.test(text)) await stop()
    if (/^npm start$/m.test(text)) {
      await start(commandsOf(block))
      await useIt()
    } else {
      const { stdout } = await shell(commandsOf(block))
      ran.push(stdout)
    }
    if (/stevedore\.env <</.test(text)) await forThisMachine()
    process.stdout.write(
      `line ${line}: ${text.trim().split('\n').at(-1)} (${Math.round((performance.now() - began) / 100) / 10} s)\n`,
    )
  }
  const said = ran.join('\n')
  expect(said).toContain('"status":"ready"')
  expect(await filesIn(restored.url)).toBe(1)
  // The copy of the location has the bytes too.
  const copied = await shell(`find '${root}/mnt/files' -type f -size +100k | wc -l`)
  expect(copied.stdout.trim()).toBe('1')
  // Nothing was changed by the look at what going back would lose.
  expect(await filesIn(database.url)).toBe(1)
})

/** What differs on a machine with other tests: free ports, and an origin on the loopback address. */
async function forThisMachine(): Promise<void> {
  const file = path.join(root, 'etc/stevedore.env')
  const given = await readFile(file, 'utf8')
  expect(given).toMatch(/^APP_SECRET=[0-9a-f]{64}$/m)
  await appendFile(
    file,
    [
      `PORT=${ports.web}`,
      'SFTP_PORT=0',
      'FTP_PORT=0',
      'ALLOW_LOOPBACK=1',
      `DATABASE_URL='${database.url}'\n`,
    ].join('\n'),
  )
}
