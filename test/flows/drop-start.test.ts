// The start of the drop server: alone as `ROLE=drop`, beside the other roles, with wrong settings,
// and with ports that are taken.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { appConfig } from '../../app.config.ts'
import { closeAll, type CloseStep } from '../../server/startup/closing.ts'
import { startDrop } from '../../server/startup/drop.ts'
import { createTestDatabase, silent } from '../database.ts'
import { runProgram } from '../drop.ts'
import { startCollector } from '../fakes/collector.ts'
import { startLocalServer } from './local-server.ts'
import {
  ARGUMENTS,
  baseEnv,
  makeDataDir,
  outputOf,
  removeDataDir,
  ROOT,
  SECRET,
  startServer,
  type RunningServer,
} from './server.ts'
import { soakTest } from '../scale.ts'

let dataDir: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  ;[dataDir, database] = await Promise.all([makeDataDir(), createTestDatabase()])
})
afterAll(async () => {
  await database.drop()
  await removeDataDir(dataDir)
})

/** A process of the product, as `npm start` runs it. */
function start(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ARGUMENTS, {
    cwd: ROOT,
    env: {
      ...baseEnv(),
      DATABASE_URL: database.url,
      APP_SECRET: SECRET,
      DATA_DIR: dataDir,
      ROLE: 'drop',
      SFTP_PORT: '0',
      FTP_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = outputOf(child)
  const closed = once(child, 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await closed
  })
  return { child, closed, output }
}

/** What the page says of the drop server. */
const isRunning = async (web: Pick<RunningServer, 'call'>) =>
  ((await (await web.call('GET', '/api/drop')).json()) as { running: boolean }).running

async function takePort(): Promise<{ port: number; server: Server }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  return { server, port: (server.address() as AddressInfo).port }
}

soakTest(
  'a file sent to ROLE=drop is imported by another process on the same database and store',
  async () => {
    const STORAGE_PRIMARY = `disk:${path.join(dataDir, 'shared')}`
    const web = await startLocalServer({ DATABASE_URL: database.url, STORAGE_PRIMARY })
    onTestFinished(() => web.stop().then(() => removeDataDir(web.dataDir)))
    const collector = await startCollector()
    onTestFinished(() => collector.close())
    const drop = start({ STORAGE_PRIMARY, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    const portOf = () => /"the drop server is ready","sftpPort":(\d+)/.exec(drop.output())?.[1]
    await expect.poll(portOf).toBeDefined()
    const made = await web.call('POST', '/api/drop/accounts', { name: 'Warehouse' })
    expect(made.status).toBe(201)
    const { username, password } = (await made.json()) as { username: string; password: string }
    const settings = await web.call('PATCH', '/api/drop', { schedule: 'realtime' })
    const { path: home } = (await settings.json()) as { path: string }
    const bytes = randomBytes(700_000)
    await writeFile(path.join(dataDir, 'sent.pdf'), bytes)
    const address = `sftp://127.0.0.1:${portOf()}${home}sent.pdf`
    const user = ['--user', `${username}:${password}`]
    const sent = await runProgram(['curl', '-sSk', ...user, '-T', 'sent.pdf', address], {
      cwd: dataDir,
    })
    expect(sent).toEqual({ code: 0, output: '' })
    const files = async () => {
      const { data } = (await (await web.call('GET', '/api/files')).json()) as {
        data: { id: string; filename: string }[]
      }
      return data.find(({ filename }) => filename === 'sent.pdf')?.id
    }
    await expect.poll(files).toBeDefined()
    const content = await web.call('GET', `/api/files/${await files()}/content`)
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true)
    expect(await isRunning(web)).toBe(true)
    drop.child.kill('SIGTERM')
    expect(await drop.closed).toBe(0)
    // The last spans are sent while it stops.
    const [span, ...others] = collector.spans
    expect(others).toEqual([])
    expect(span).toMatchObject({
      name: 'receive a file',
      parent: '',
      failed: false,
      fields: {
        'stevedore.protocol': 'sftp',
        'stevedore.bytes': 700_000,
        'stevedore.complete': true,
      },
      resource: { 'stevedore.roles': 'drop' },
    })
    expect(span!.ended).toBeGreaterThan(span!.begun)
    expect(JSON.stringify(span?.fields)).not.toContain('sent.pdf')
    await expect.poll(() => isRunning(web)).toBe(false)
  },
)

test('wrong settings end the start of all roles, before anything starts, and are all named', async () => {
  const none = path.join(dataDir, 'none.pem')
  const { closed, output } = start({
    ROLE: 'web,worker,drop',
    DROP_TLS_CERT: none,
    DROP_TLS_KEY: none,
    APP_SECRET: '',
  })
  expect(await closed).toBe(1)
  expect(output()).toContain(`DROP_TLS_CERT: ${none} can’t be read (ENOENT)`)
  expect(output()).toContain(`DROP_TLS_KEY: ${none} can’t be read (ENOENT)`)
  expect(output()).toContain('APP_SECRET:')
  expect(output()).not.toContain('"level"')
})

test('the start of ROLE=drop alone fails with both ports that are taken', async () => {
  const [sftp, ftp] = [await takePort(), await takePort()]
  const ports = { SFTP_PORT: String(sftp.port), FTP_PORT: String(ftp.port) }
  const closings: CloseStep[] = []
  onTestFinished(() => closeAll(closings, silent))
  // main.ts ends with 1 and the message, as for the wrong settings.
  const given = { DATABASE_URL: database.url, APP_SECRET: SECRET, DATA_DIR: dataDir }
  const failure = startDrop(appConfig({ ...given, ROLE: 'drop', ...ports }), silent, closings)
  const { message } = (await failure.catch((error: unknown) => error)) as Error
  for (const [name, port] of Object.entries(ports))
    expect(message).toContain(
      `${name}: ${port} on 127.0.0.1 is taken: stop the program that uses it, or set another port`,
    )
})

soakTest(
  'beside a taken port the product works; SFTP and FTP start when the port is free',
  async () => {
    const { server, port } = await takePort()
    const web = await startServer({
      drop: true,
      env: { FTP_PORT: String(port), LOG_LEVEL: 'info' },
    })
    onTestFinished(() => web.stop().then(() => removeDataDir(web.dataDir)))
    expect((await web.call('GET', '/api/files')).status).toBe(200)
    const told = () => web.output().split('SFTP and FTP do not work').length - 1
    expect(told()).toBe(1)
    await expect.poll(() => isRunning(web)).toBe(false)
    expect(web.output()).toContain(`FTP_PORT: ${port} on 127.0.0.1 is taken`)
    await new Promise((resolve) => server.close(resolve))
    await expect.poll(() => web.output()).toContain('the drop server is ready')
    expect(told()).toBe(1)
    expect(await isRunning(web)).toBe(true)
  },
)
