// npm run verify-storage, beside a running server.
import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { runCommand } from './commands.ts'
import { importUntilEnd } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import { removeDataDir, type RunningServer } from './server.ts'

let origin: Origin
let server: RunningServer
beforeAll(async () => {
  ;[origin, server] = await Promise.all([startOrigin(), startLocalServer()])
})
afterAll(async () => {
  await server.stop()
  await origin.close()
  await removeDataDir(server.dataDir)
})

const verify = async (...args: string[]) => {
  const env = { DATABASE_URL: server.databaseUrl, DATA_DIR: server.dataDir }
  const { code, printed, errors } = await runCommand('verify-storage', args, env)
  return { code, printed, errors }
}

test('ends with 1 while a blob is missing, restores it from the backup, and names blobs without a row', async () => {
  const files = [1, 2, 3].map((n) => ({
    filename: `Book ${n}.epub`,
    url: `${origin.url}/bytes/${3000 + n}/book-${n}`,
  }))
  const { files: imported } = await importUntilEnd(server, { files })
  await server.call('POST', '/api/operations', {
    action: 'back-up-files',
    select: { file_ids: imported.map(({ file_id }) => file_id) },
  })
  const blobs = async (location: string) =>
    (await readdir(path.join(server.dataDir, location), { recursive: true })).filter((name) =>
      /^\d+\/[0-9a-f]{64}$/.test(name),
    )
  await expect.poll(() => blobs('backup')).toHaveLength(3)
  expect(await verify('--hash', '--json')).toMatchObject({ code: 0 })

  const [first] = await blobs('files')
  const file = path.join(server.dataDir, 'files', first!)
  await rm(file)
  const found = await verify()
  expect(found.code).toBe(1)
  expect(found.printed).toContain(`missing: primary ${first}`)
  expect(found.printed).toContain('6 blobs (')

  const repaired = await verify('--repair', '--json')
  expect(repaired.code).toBe(0)
  expect(JSON.parse(repaired.printed)).toMatchObject({ rows: 6, missing: 1, restored: 1 })
  expect((await stat(file)).size).toBeGreaterThan(3000)
  await expect(stat(path.join(server.dataDir, 'verify-storage.json'))).rejects.toThrow('ENOENT')
})

test('refuses a rate that it does not understand', async () => {
  const { code, errors } = await verify('--rate', 'fast')
  expect(code).toBe(1)
  expect(errors).toContain('--rate')
})
