// APP_SECRET is replaced while processes run: links, sealed values, drop accounts and API keys work
// before, during and after, and when the previous secret is removed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../database.ts'
import { startBucket, type FakeBucket } from '../fakes/bucket.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { expectWorking, makeBelongings } from './belongings.ts'
import { runCommand } from './commands.ts'
import { startLocalServer } from './local-server.ts'
import { makeDataDir, removeDataDir, SECRET as OLD } from './server.ts'

const NEW = 'another secret for servers of tests, as long'

let dataDir: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
let origin: Origin
let bucket: FakeBucket
beforeAll(async () => {
  ;[dataDir, database, origin, bucket] = await Promise.all([
    makeDataDir(),
    createTestDatabase(),
    startOrigin(),
    startBucket(),
  ])
})
afterAll(async () => {
  await database.drop()
  await origin.close()
  await bucket.close()
  await removeDataDir(dataDir)
})

const start = (secret: string, previous = '') =>
  startLocalServer({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    APP_SECRET: secret,
    APP_SECRET_PREVIOUS: previous,
  })

test('links, connections, drop accounts and API keys outlive a change of the secret', async () => {
  const first = await start(OLD)
  const old = await makeBelongings(first, { origin, bucket })
  await expectWorking(first, old)

  // All processes learn the new secret before one uses it.
  const learned = await start(OLD, NEW)
  await first.stop()
  await expectWorking(learned, old)

  const changed = await start(NEW, OLD)
  const fresh = await makeBelongings(changed, { origin, bucket })
  for (const server of [learned, changed])
    for (const made of [old, fresh]) await expectWorking(server, made)
  await learned.stop()

  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir }
  const [command] = await Promise.all([
    runCommand('reseal', [], { ...env, APP_SECRET: NEW, APP_SECRET_PREVIOUS: OLD }),
    ...Array.from({ length: 5 }, () => expectWorking(changed, old)),
  ])
  expect(command).toMatchObject({ code: 0 })
  expect(command.printed).toMatch(/^\d+ values read, [1-9]\d* of them sealed again\.\n/)
  for (const made of [old, fresh]) await expectWorking(changed, made)
  await changed.stop()

  const last = await start(NEW)
  for (const made of [old, fresh]) await expectWorking(last, made)
  expect(last.output()).not.toContain('APP_SECRET')
  await last.stop()
})

test('reseal says what is missing', async () => {
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, APP_SECRET: NEW }
  const { code, errors } = await runCommand('reseal', [], env)
  expect([code, errors]).toEqual([
    1,
    'Set APP_SECRET to the new secret and APP_SECRET_PREVIOUS to the old one.\n',
  ])
})
