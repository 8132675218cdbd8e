// A process whose database starts later than itself: it waits, tells probes, and then works.
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { createDoor, type Door } from '../fakes/door.ts'
import { startWorkerProcess } from './cluster.ts'
import { freePort, makeDataDir, removeDataDir, SECRET, startServer } from './server.ts'

/** A database behind a port that is closed. */
async function lateDatabase(): Promise<{ door: Door; env: Record<string, string> }> {
  const [database, port] = await Promise.all([createTestDatabase(), freePort()])
  const url = new URL(database.url)
  const door = createDoor(port, Number(url.port))
  url.searchParams.delete('host')
  url.port = String(port)
  url.hostname = '127.0.0.1'
  onTestFinished(async () => {
    await door.close()
    await database.drop()
  })
  return { door, env: { DATABASE_URL: url.href, APP_SECRET: SECRET } }
}

const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => 'closed',
  )

test('a web process is alive and not ready until its database can be reached', async () => {
  const { door, env } = await lateDatabase()
  const [dataDir, port] = [await makeDataDir(), await freePort()]
  onTestFinished(() => removeDataDir(dataDir))
  const url = `http://127.0.0.1:${port}`
  const starting = startServer({
    dataDir,
    env: { ...env, PORT: String(port), DATABASE_WAIT_SECONDS: '300' },
  })
  onTestFinished(async () => void (await (await starting).stop()))
  await expect.poll(() => statusOf(`${url}/healthz`)).toBe(200)
  const answers = ['/readyz', '/api/files', '/download?key=none'].map((path) => fetch(url + path))
  for (const answer of await Promise.all(answers)) {
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await answer.json()).toMatchObject({ error: { message: 'This process is starting' } })
  }
  await door.open()
  const server = await starting
  expect(server.output()).toContain('waiting for the database')
  expect(await statusOf(`${url}/readyz`)).toBe(200)
  expect(await statusOf(`${url}/download?key=none`)).toBe(404)
  expect(await server.stop()).toBe(0)
})

test('a worker waits too, and its monitoring port says so', async () => {
  const { door, env } = await lateDatabase()
  const [dataDir, port] = [await makeDataDir(), await freePort()]
  onTestFinished(() => removeDataDir(dataDir))
  const url = `http://127.0.0.1:${port}`
  const starting = startWorkerProcess('late', {
    ...env,
    ROLE: 'worker',
    DATA_DIR: dataDir,
    MONITORING_PORT: String(port),
    DATABASE_WAIT_SECONDS: '300',
  })
  onTestFinished(async () => void (await (await starting).stop()))
  await expect.poll(() => statusOf(`${url}/healthz`)).toBe(200)
  expect(await statusOf(`${url}/readyz`)).toBe(503)
  await door.open()
  await starting
  await expect.poll(() => statusOf(`${url}/readyz`)).toBe(200)
})
