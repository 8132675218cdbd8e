// Two machines that keep uploads in folders of their own although they share a database.
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { beginUpload, create, offsetOf, patch, tus, type Sender } from '../uploads.ts'
import { startLocalServer } from './local-server.ts'
import { removeDataDir, type RunningServer } from './server.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let first: RunningServer
let second: RunningServer

beforeAll(async () => {
  database = await createTestDatabase()
  const env = { DATABASE_URL: database.url }
  first = await startLocalServer(env)
  second = await startLocalServer({ ...env, ROLE: 'web' })
})
afterAll(async () => {
  await Promise.all([first, second].map((one) => one && end(one)))
  await database.drop()
})

async function end(server: RunningServer): Promise<void> {
  await server.stop()
  await removeDataDir(server.dataDir)
}

test('the second refuses uploads with the reason, and the first continues', async () => {
  const here: Sender = { url: first.url, key: first.apiKey }
  const there: Sender = { url: second.url, key: first.apiKey }
  expect(second.output()).toContain('the folder of uploads is not the one of the other processes')
  const refused = await create(there, 10, { filename: 'refused.bin' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
  expect(await refused.json()).toMatchObject({
    error: {
      code: 'uploads_not_shared',
      message: expect.stringContaining('its operator has to share it'),
    },
  })
  const at = await beginUpload(here, 10, { filename: 'begun.bin' })
  const elsewhere = await tus(there, 'HEAD', at.replace(first.url, second.url))
  expect(elsewhere.status).toBe(503)
  expect((await tus(here, 'HEAD', at)).status).toBe(200)
})

test('with UPLOAD_DIR as a shared folder the second continues the uploads of the first', async () => {
  const env = {
    DATABASE_URL: database.url,
    ROLE: 'web',
    UPLOAD_DIR: path.join(first.dataDir, 'uploads'),
  }
  const sharing = await startLocalServer(env)
  onTestFinished(() => end(sharing))
  const [here, there] = [first, sharing].map(({ url }): Sender => ({ url, key: first.apiKey }))
  const at = await beginUpload(here!, 10, { filename: 'shared.bin' })
  const elsewhere = at.replace(first.url, sharing.url)
  expect((await patch(there!, elsewhere, 0, Buffer.from('first'))).status).toBe(204)
  expect(await offsetOf(here!, at)).toBe(5)
  expect((await patch(here!, at, 5, Buffer.from('-last'))).status).toBe(204)
  expect(await offsetOf(there!, elsewhere)).toBe(10)
})
