// The shared suite over every channel of the installation and over a channel that this test adds.
// That takes its folder in test/channels/, one workflow and one line of configuration.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { appConfig } from '../../app.config.ts'
import { apiChannel } from '../../server/features/imports/api-channel.ts'
import { cloudChannel } from '../../server/features/cloud/channel.ts'
import { listingTask } from '../../server/features/cloud/listing-task.ts'
import { csvChannel } from '../../server/features/csv/channel.ts'
import { dropChannel } from '../../server/features/drop/channel.ts'
import { feedChannel } from '../../server/features/feeds/channel.ts'
import { feedTasks } from '../../server/features/feeds/run.ts'
import { createGuardedClient } from '../../server/ports/guarded-fetch.ts'
import { createSandboxes } from '../../server/ports/sandbox.ts'
import { uploadChannel } from '../../server/features/upload/channel.ts'
import { holdBlobs } from '../../server/files/blobs.ts'
import { toPublicId } from '../../server/core/ids.ts'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { untilEnded, type Answer } from '../app.ts'
import { importLetterbox } from '../channels/letterbox/import-letterbox.ts'
import { letterboxChannel, openLetter } from '../channels/letterbox/channel.ts'
import { openCsvApp, type CsvApp } from '../csv.ts'
import { contentOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importWays } from '../import-ways.ts'
import { channelSuite } from '../suites/channels.ts'
import { WAIT_MS } from '../wait.ts'

let app: CsvApp
let origin: Origin
let worker: EngineWorker
let connection: string
let client: ReturnType<typeof createGuardedClient>
beforeAll(async () => {
  app = await openCsvApp({}, { channels: [letterboxChannel], workflows: [importLetterbox] })
  origin = await startOrigin()
  const { engine, parts } = app.engine
  const { database, log, secrets } = parts
  client = createGuardedClient({ allowLoopback: true, fileBytes: 1024 ** 3 })
  const sandboxes = createSandboxes(log)
  const sandboxOf = (shop: number) => sandboxes.of(shop)
  const clock = () => new Date()
  const feeds = feedTasks({ database, engine, client, sandboxOf, secrets, clock, log })
  const listing = listingTask({ database, engine, cloud: app.cloud, log })
  worker = await app.engine.startWorker({}, [listing, ...feeds])
  const { body } = await app.owner.call('POST', '/api/connections', { provider: 'demo' })
  connection = body.id
})
afterAll(async () => {
  await worker.stop()
  await client.close()
  await origin.close()
  await app.close()
})

const address = (filename: string) => `${origin.url}/bytes/100/${encodeURIComponent(filename)}`

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield contentOf(100, text)
}

/** Imports one file by each channel. */
const WAYS = {
  ...importWays(() => ({ app, address })),
  drop: async (filename: string) => {
    const { scope, call } = app.owner
    const written = await app.stores.get('primary')!.write(scope.shop, bytesOf(filename))
    await holdBlobs(scope, [{ ...written, location: 'primary', content_type: null }])
    await scope.query(
      `insert into drop_entries (shop_id, folder, name, kind, state, closed_cleanly, hash, location,
         size_bytes)
       values (:shop, '', :filename, 'file', 'waiting', true, decode(:hash, 'hex'), 'primary',
         :size_bytes)`,
      { filename, ...written },
    )
    const { body } = await call('POST', '/api/drop/import')
    return untilEnded(app.owner, body.id)
  },
  cloud: async (filename: string) => {
    const folder = path.join(app.cloud.options.dataDir, 'demo-cloud')
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, filename), contentOf(100, filename))
    const { body } = await app.owner.call('POST', `/api/connections/${connection}/sync`, {})
    return untilEnded(app.owner, body.id)
  },
  feed: async (filename: string) => {
    const { scope, call } = app.owner
    const table = `filename,file_url\n"${filename}",${address(filename)}`
    const { body: feed } = await call('POST', '/api/feeds', {
      name: filename,
      url: `${origin.url}/text/${encodeURIComponent(table)}`,
      mapping: { filename: 'filename', file_url: 'file_url' },
    })
    await call('POST', `/api/feeds/${feed.id}/run`, {})
    await expect
      .poll(() => scope.has(`select from feed_runs where shop_id = :shop and phase = 'reading'`), {
        timeout: WAIT_MS,
      })
      .toBe(false)
    const { body } = await call('GET', `/api/feeds/${feed.id}`)
    return untilEnded(app.owner, body.last_run.operations[0].id)
  },
  letterbox: async (filename: string) => {
    const id = await openLetter(
      app.engine.engine,
      app.owner.scope,
      `${address(filename)}\n`,
      'postman',
    )
    return untilEnded(app.owner, toPublicId('import', id))
  },
} satisfies Record<string, (filename: string) => Promise<Answer['body']>>

for (const channel of [
  apiChannel,
  csvChannel,
  uploadChannel,
  dropChannel,
  cloudChannel,
  feedChannel,
  letterboxChannel,
])
  channelSuite(channel, () => ({ app, imported: WAYS[channel.id as keyof typeof WAYS] }), {
    whole: channel === csvChannel,
  })

test('every channel of the installation that imports files is among them', () => {
  const { channels } = appConfig({})
  expect(channels.flatMap(({ id, imports }) => (imports ? [id] : []))).toEqual([
    'api',
    'csv',
    'upload',
    'drop',
    'cloud',
    'feed',
  ])
})
