// `npm start` in a terminal, and under a supervisor that knows only npm's process id.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

const stops = {
  'a supervisor tells npm to end': {
    ROLE: 'web,worker',
    signal: 'SIGTERM',
    stop: (npm: ChildProcess) => npm.kill('SIGTERM'),
  },
  'Ctrl-C interrupts npm, the server and its drop server': {
    ROLE: 'web,worker,drop',
    signal: 'SIGINT',
    stop: (npm: ChildProcess) => process.kill(-npm.pid!, 'SIGINT'),
  },
}

describe.each(Object.entries(stops))('%s', (_, { ROLE, signal, stop }) => {
  test('the server starts and ends without a warning', async () => {
    const port = await freePort()
    const npm = spawn('npm', ['start'], {
      cwd: ROOT,
      env: {
        ...baseEnv(),
        DATABASE_URL: database.url,
        APP_SECRET: SECRET,
        DATA_DIR: dataDir,
        PORT: String(port),
        SFTP_PORT: '0',
        FTP_PORT: '0',
        ROLE,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group, as a shell's foreground job.
      detached: true,
    })
    const output = outputOf(npm)
    // The pipes close when the last process that writes to them has ended.
    const closed = once(npm, 'close')
    await expect.poll(output).toContain('Stevedore is ready')
    stop(npm)
    await closed
    expect(output()).toContain(`"message":"stopping","signal":"${signal}"`)
    // Also none about a drop server that did not end when it was told to.
    expect(output()).not.toMatch(/"level":"(warn|error)"/)
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
  })
})
