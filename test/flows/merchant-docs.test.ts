// The commands in the merchants' documents work unchanged against the demo.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../server/http/endpoint.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importUntilEnd } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import { removeDataDir, type RunningServer } from './server.ts'
import { someOf } from '../scale.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../docs/merchants')
const shell = promisify(execFile)

/** Commands that use the demo's variables; the others have example addresses. */
async function commandsIn(file: string): Promise<string[]> {
  const text = await readFile(path.join(FOLDER, file), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, code]) => code!)
    .filter((code) => code.includes('$URL'))
}

const pages = await Promise.all(
  (await readdir(FOLDER, { recursive: true }))
    .filter((file) => file.endsWith('.md'))
    .map(async (file) => ({ file, commands: await commandsIn(file) })),
)
let server: RunningServer
let origin: Origin
let folder: string
let files = 0
beforeAll(async () => {
  ;[server, origin, folder] = await Promise.all([
    startLocalServer(),
    startOrigin(),
    mkdtemp(path.join(tmpdir(), 'stevedore-docs-')),
  ])
})
afterAll(async () => {
  await server.stop()
  await origin.close()
  await Promise.all([removeDataDir(server.dataDir), rm(folder, { recursive: true })])
})

/**
 * A server with its own API key: all commands within a minute would exceed the limit of one key.
 */
async function withOwnKey(name: string): Promise<RunningServer> {
  const made = await server.call('POST', '/api/api-keys', { name, scopes: SCOPES })
  const { key } = (await made.json()) as { key: string }
  return {
    ...server,
    apiKey: key,
    call: (method, route, body, headers = {}) =>
      server.call(method, route, body, { authorization: `Bearer ${key}`, ...headers }),
  }
}

/** Creates the file and the ended operation that a document's examples name. */
async function variables(server: RunningServer): Promise<Record<string, string>> {
  const filename = `planner-${files++}.pdf`
  const { files: made } = await importUntilEnd(server, {
    files: [{ filename, url: `${origin.url}/bytes/100/${filename}` }],
  })
  const FILE = made[0]!.file_id!
  const update = await server.call('PUT', '/api/files/bulk-update', {
    file_ids: [FILE],
    updates: { tags: ['planner', 'sale'] },
  })
  const { job_id } = (await update.json()) as { job_id: string }
  const session = await server.call('GET', '/api/session')
  const { shop } = (await session.json()) as { shop: { domain: string } }
  return {
    URL: server.url,
    API_KEY: server.apiKey,
    SHOP: shop.domain,
    FILE,
    SECOND: FILE,
    OPERATION: job_id,
    PATH: process.env.PATH ?? '',
  }
}

test('most documents show commands', () => {
  expect(pages.filter(({ commands }) => commands.length > 0).length).toBeGreaterThanOrEqual(4)
})

const shown = pages.filter(({ commands }) => commands.length > 0)
// In npm test the first command of every third document.
describe.each(someOf(shown, (_, at) => at % 3 === 0))('$file', ({ file, commands }) => {
  let env: Record<string, string>
  beforeAll(async () => void (env = await variables(await withOwnKey(file))))
  const tried = someOf(commands, (_, at) => at === 0)
  test.each(tried.map((command) => [command.trim().slice(0, 160), command]))(
    '%s',
    async (_what, command) => {
      const { stdout } = await shell(
        'bash',
        ['-euc', command.replaceAll('curl -sS', 'curl -sS --fail-with-body')],
        { env, cwd: folder },
      )
      expect(stdout).not.toContain('"error":{')
      if (command.includes('-o operation.csv'))
        expect(await readFile(path.join(folder, 'operation.csv'), 'utf8')).toMatch(
          /^\ufeffposition,/,
        )
      else if (/\.csv["?]/.test(command)) expect(stdout).toMatch(/^\ufeff\w+,/)
      else expect(stdout).toMatch(/^\{.*\}$/s)
    },
  )
})
