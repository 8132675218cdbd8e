// Cloud connections for tests: an app with a worker that lists and syncs, and the folder of the
// sample provider.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, onTestFinished } from 'vitest'
import type { CloudOptions } from '../server/features/cloud/cloud.ts'
import { documentTask } from '../server/features/cloud/documents.ts'
import { dueTask } from '../server/features/cloud/due.ts'
import { listingTask } from '../server/features/cloud/listing-task.ts'
import type { EngineWorker } from '../server/engine/worker.ts'
import { addMappings } from '../server/files/mappings.ts'
import { admitVersion } from '../server/files/admit-version.ts'
import { parsePublicId } from '../server/core/ids.ts'
import { openTestApp, untilOperation, type Answer, type AppOptions, type TestApp } from './app.ts'
import { silent } from './database.ts'
import { startBucket } from './fakes/bucket.ts'
import { startClouds } from './fakes/clouds.ts'
import { agree } from './fakes/clouds/tokens.ts'

export interface CloudApp extends TestApp {
  /** DATA_DIR/demo-cloud. */
  folder: string
  /** Writes files at the sample provider. */
  put(files: Readonly<Record<string, string | Buffer>>): Promise<void>
  /** Deleted after the test: each sync looks through all connections of the shop. */
  connect(body: object): Promise<string>
  /** Signs in at an emulated provider. */
  authorize(connection: string): Promise<Answer['body']>
  /** Syncs, and returns the operation once it has ended or is a preview. */
  sync(connection: string, body?: object): Promise<Answer['body']>
  /** The shop's files by file name. */
  files(): Promise<Record<string, Answer['body']>>
  get(route: string): Promise<Answer['body']>
  /** The connection's last sync. */
  lastSync(connection: string): Promise<Answer['body']>
  /** Gives a file a new version. */
  replace(file: string, content: string): Promise<void>
  /** Maps a file to a product. */
  map(file: string): Promise<void>
  worker: EngineWorker
}

/** The operator's app at each provider with OAuth. */
const CLIENT = { id: 'client-id', secret: 'client-secret-canary' }

/**
 * An app, an S3 bucket and the emulated providers, for all tests of the calling file. They are
 * closed after its last test.
 */
export async function useClouds() {
  const [bucket, clouds] = await Promise.all([startBucket(), startClouds()])
  const app = await openCloudApp({
    emulators: clouds.emulators,
    clients: { GOOGLE: CLIENT, DROPBOX: CLIENT, MICROSOFT: CLIENT },
  })
  afterAll(async () => {
    await app.close()
    await bucket.close()
    await clouds.close()
  })
  return { app, bucket, clouds }
}

/** For tests that only use the sample provider; as `useClouds`. */
export async function useSampleFolder(): Promise<CloudApp> {
  const app = await openCloudApp()
  afterAll(() => app.close())
  return app
}

/** `count` small files in a folder. */
export const manyFiles = (folder: string, count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`${folder}/${folder} ${n}.txt`, `${folder} ${n}`]),
  )

export async function openCloudApp(
  options: AppOptions & { emulators?: CloudOptions['emulators'] } = {},
): Promise<CloudApp> {
  const app = await openTestApp(options)
  const { cloud } = app
  const { engine, parts: engineParts } = app.engine
  const { database } = engineParts
  const parts = { database, engine, cloud, log: silent }
  const tasks = [
    listingTask(parts),
    dueTask(parts),
    documentTask({ ...parts, stores: app.stores, delays: Array.from({ length: 500 }, () => 20) }),
  ]
  const worker = await app.engine.startWorker({}, tasks)
  const folder = path.join(cloud.options.dataDir, 'demo-cloud')
  const call = app.owner.call
  const get = async (route: string) => (await call('GET', route)).body
  return {
    ...app,
    worker,
    folder,
    get,
    lastSync: async (connection) => (await get(`/api/connections/${connection}`)).last_sync,
    authorize: async (connection) => {
      const { body } = await call('POST', `/api/connections/${connection}/authorize`)
      const done = await call('POST', `/api/connections/${connection}/authorized`, agree(body.url))
      if (done.status !== 200) throw new Error(`${done.status}: ${JSON.stringify(done.body)}`)
      return done.body
    },
    put: async (files) => {
      for (const [name, content] of Object.entries(files)) {
        const file = path.join(folder, name)
        await mkdir(path.dirname(file), { recursive: true })
        await writeFile(file, content)
      }
    },
    connect: async (body) => {
      const { status, body: made } = await call('POST', '/api/connections', body)
      if (status !== 201) throw new Error(`${status}: ${JSON.stringify(made)}`)
      onTestFinished(async () => void (await call('DELETE', `/api/connections/${made.id}`)))
      return made.id
    },
    sync: async (connection, body = {}) => {
      const begun = await call('POST', `/api/connections/${connection}/sync`, body)
      if (begun.status !== 202) throw new Error(`${begun.status}: ${JSON.stringify(begun.body)}`)
      return untilEndedOrPreview(app, begun.body.id)
    },
    files: async () => {
      const { data } = await get('/api/files?limit=250')
      return Object.fromEntries(data.map((file: { filename: string }) => [file.filename, file]))
    },
    replace: async (file, content) => {
      const { stage } = await engineParts.ports(app.owner.scope)
      const source = Readable.from([Buffer.from(content)])
      const bytes = await stage.write(source, null, new AbortController().signal)
      const id = parsePublicId('file', file)!
      await app.owner.scope.transaction((tx) => admitVersion(tx, id, bytes))
    },
    map: async (file) => {
      const fileId = parsePublicId('file', file)!
      const product = { product_id: 'gid://shopify/Product/1', product_title: 'Boat', sku: null }
      const how = { method: 'manual', score: 1, reason: 'test' } as const
      await app.owner.scope.transaction(async (tx) => {
        await addMappings(tx, [{ fileId, mapping: { ...product, ...how } as never }])
        const mapped =
          "update files set mapping_state = 'mapped' where shop_id = :shop and id = :fileId"
        await tx.query(mapped, { fileId })
      })
    },
    close: async () => {
      await worker.stop()
      await app.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until the operation has ended or is a preview. */
export const untilEndedOrPreview = (app: TestApp, id: string): Promise<Answer['body']> =>
  untilOperation(app.owner, id, `finished_at is not null or status = 'previewed'`)
