// The server or rclone is killed in the middle of a sync: every object is imported once with its
// own bytes, and nothing incomplete is admitted.
import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { startBucket, type FakeBucket } from '../fakes/bucket.ts'
import { contentOf, hashOf } from '../fakes/content.ts'
import { randomOf } from '../scale.ts'
import { jobUntilEnd, listAll } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import {
  makeDataDir,
  removeDataDir,
  SECRET,
  startServer,
  type RunningServer,
  type ServerProcess,
} from './server.ts'

const KILLS = 20
const FILES = 660
const UNTIL_MS = 900_000
const random = randomOf('cloud-kills')

let dataDir: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
/** The one that is killed. The last one is never killed, so it runs in this process. */
let child: ServerProcess
let server: RunningServer
let bucket: FakeBucket
beforeAll(async () => {
  dataDir = await makeDataDir()
  bucket = await startBucket()
  database = await createTestDatabase()
  server = child = await startServer({ dataDir, env: env() })
})
afterAll(async () => {
  await server.stop()
  await bucket.close()
  await database.drop()
  await removeDataDir(dataDir)
})

const env = () => ({ DATA_DIR: dataDir, DATABASE_URL: database.url, APP_SECRET: SECRET })

/** The rclone processes of this server, identified by its folder in their arguments. */
const rclones = (): number[] =>
  execFileSync('ps', ['-eo', 'pid=,args='])
    .toString()
    .split('\n')
    .filter((line) => line.includes('rclone') && line.includes(path.join(dataDir, 'cloud')))
    .map((line) => Number(line.trim().split(' ')[0]))

const bytesOf = (n: number) => contentOf(100_000 + n, `object ${n}`)

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(10)
}

test('kills lose nothing and admit nothing twice', async () => {
  for (let n = 0; n < FILES; n++) bucket.put(`kills/object-${n}.bin`, bytesOf(n))
  // Slow enough that every kill happens during a batch.
  bucket.intercept = async () => {
    await delay(5)
    return null
  }
  const given = { ...bucket.connection('kills'), notify: false, auto_map: false }
  const made = await server.call('POST', '/api/connections', given)
  const { id } = (await made.json()) as { id: string }
  const begin = async () => {
    const started = await server.call('POST', `/api/connections/${id}/sync`, {})
    return ((await started.json()) as { id: string }).id
  }
  const logs: string[] = []
  const killed = { server: 0, rclone: 0 }
  let operation = await begin()
  for (let kill = 0; kill < KILLS; kill++) {
    const seen = bucket.requests.length
    const after = random(1, 25)
    const ended = async () => {
      const response = await server.call('GET', `/api/operations/${operation}`)
      return ((await response.json()) as { finished_at: string | null }).finished_at !== null
    }
    if (await ended()) break
    await Promise.race([until(() => bucket.requests.length >= seen + after), delay(60_000)])
    if (kill % 2 === 1) {
      await child.kill()
      killed.server++
      logs.push(server.output())
      await until(() => rclones().length === 0)
      const isLast = kill + 2 >= KILLS
      server = isLast
        ? await startLocalServer(env())
        : (child = await startServer({ dataDir, env: env() }))
    } else
      for (const pid of rclones()) {
        try {
          process.kill(pid, 'SIGKILL')
          killed.rclone++
        } catch {
          // The process has already ended.
        }
      }
  }
  process.stdout.write(`killed: ${JSON.stringify(killed)}\n`)
  // None if the sync had ended before: then nothing would be shown.
  expect(killed.server).toBeGreaterThan(0)
  expect(killed.rclone).toBeGreaterThan(0)
  bucket.intercept = () => null
  // Items whose worker died twice run one after another.
  await jobUntilEnd(server, operation, UNTIL_MS)
  // An item that failed after too many kills is imported by the next sync.
  operation = await begin()
  expect(await jobUntilEnd(server, operation, UNTIL_MS)).toMatchObject({
    status: 'success',
    failed: 0,
  })
  expect([...logs, server.output()].join('\n')).not.toContain('canary')
  const files = await listAll(server, '/api/files?search=object-&limit=250')
  expect(new Set(files.map(({ filename }) => filename)).size).toBe(FILES)
  expect(files).toHaveLength(FILES)
  const names = new Set(await blobs())
  for (let n = 0; n < FILES; n++) expect(names).toContain(hashOf(bytesOf(n)))
  expect(names.size).toBe(FILES)
})

async function blobs(): Promise<string[]> {
  const all = await readdir(path.join(dataDir, 'files'), { recursive: true })
  return all.map((name) => path.basename(name)).filter((name) => /^[0-9a-f]{64}$/.test(name))
}
