// `npm start` under a supervisor that knows only npm's process id.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { baseEnv, freePort, makeDataDir, outputOf, removeDataDir, ROOT, SECRET } from './server.ts'

let dataDir: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  ;[dataDir, database] = await Promise.all([makeDataDir(), createTestDatabase()])
})
afterAll(async () => {
  await database.drop()
  await removeDataDir(dataDir)
})

test('the server starts without a warning, and ends when npm is told to end', async () => {
  const port = await freePort()
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: {
      ...baseEnv(),
      DATABASE_URL: database.url,
      APP_SECRET: SECRET,
      DATA_DIR: dataDir,
      PORT: String(port),
      ROLE: 'web,worker',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = outputOf(npm)
  // The pipes close when the last process that writes to them has ended.
  const closed = once(npm, 'close')
  await expect.poll(output, { timeout: 120_000 }).toContain('Stevedore is ready')
  expect(output()).not.toContain('"level":"warn"')
  npm.kill('SIGTERM')
  await closed
  expect(output()).toContain('"message":"stopping","signal":"SIGTERM"')
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
})
