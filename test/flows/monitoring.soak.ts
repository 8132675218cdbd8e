// Health and metrics of processes without the web role, on MONITORING_PORT.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { startLocalServer } from './local-server.ts'
import {
  ARGUMENTS,
  baseEnv,
  freePort,
  makeDataDir,
  outputOf,
  removeDataDir,
  ROOT,
  SECRET,
} from './server.ts'

let dataDir: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  ;[dataDir, database] = await Promise.all([makeDataDir(), createTestDatabase()])
})
afterAll(async () => {
  await database.drop()
  await removeDataDir(dataDir)
})

async function startProcess(env: Readonly<Record<string, string>>) {
  const port = await freePort()
  const child = spawn(process.execPath, ARGUMENTS, {
    cwd: ROOT,
    env: {
      ...baseEnv(),
      DATABASE_URL: database.url,
      APP_SECRET: SECRET,
      DATA_DIR: dataDir,
      SFTP_PORT: '0',
      FTP_PORT: '0',
      MONITORING_PORT: String(port),
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
  const get = (path: string, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
  const status = (path: string) =>
    get(path).then(
      (answer) => answer.status,
      () => null,
    )
  return { child, closed, output, get, status, port }
}

test('a worker and a drop server report their health and metrics', async () => {
  const METRICS_TOKEN = 'a-token-of-sixteen'
  const worker = await startProcess({ ROLE: 'worker', METRICS_TOKEN })
  const drop = await startProcess({ ROLE: 'drop' })
  for (const each of [worker, drop]) {
    await expect.poll(() => each.status('/readyz')).toBe(200)
    expect(await each.status('/healthz')).toBe(200)
    expect(await each.status('/api/files')).toBe(404)
  }
  expect(await worker.status('/metrics')).toBe(401)
  const read = await worker.get('/metrics', { authorization: `Bearer ${METRICS_TOKEN}` })
  const metrics = await read.text()
  expect(metrics).toContain('stevedore_task_jobs{task="upkeep",state="')
  expect(metrics).toContain('stevedore_disk_free_bytes{place="uploads"}')
  expect(metrics).not.toContain('stevedore_downloads_total')
  const dropMetrics = await (await drop.get('/metrics')).text()
  expect(dropMetrics).toContain('process_resident_memory_bytes')
  expect(dropMetrics).toContain('# TYPE stevedore_drop_sessions gauge')
  for (const each of [worker, drop]) {
    each.child.kill('SIGTERM')
    expect(await each.closed).toBe(0)
  }
})

test('a port that is taken ends the start, and names the setting', async () => {
  const drop = await startProcess({ ROLE: 'drop' })
  await expect.poll(() => drop.status('/readyz')).toBe(200)
  const second = await startProcess({ ROLE: 'worker', MONITORING_PORT: String(drop.port) })
  expect(await second.closed).toBe(1)
  expect(second.output()).toContain(`MONITORING_PORT: ${drop.port} on 127.0.0.1 is taken`)
})

test('a web process that stops is not ready, and still answers for DRAIN_SECONDS', async () => {
  const web = await startLocalServer({ ROLE: 'web', DRAIN_SECONDS: '3' })
  onTestFinished(() => removeDataDir(web.dataDir))
  const status = async (path: string) => (await fetch(web.url + path)).status
  expect(await status('/readyz')).toBe(200)
  const stopped = web.stop()
  const answers = [await status('/readyz'), await status('/healthz')]
  answers.push((await web.call('GET', '/api/files')).status)
  expect(answers).toEqual([503, 200, 200])
  await stopped
  await expect(fetch(`${web.url}/healthz`)).rejects.toThrow()
})
