import { mkdtemp, rm } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { forShop } from '../../server/core/db/for-shop.ts'
import { holdBlobs } from '../../server/files/blobs.ts'
import { createDropPort } from '../../server/features/drop/port.ts'
import { createDiskStore } from '../../server/core/store/disk.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { contentOf, hashOf } from '../../test/fakes/content.ts'
import { importItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { takeDrop } from './plugin.ts'

const CLAIM: string = randomUUID()

/** A real database and disk, with files that were sent to the drop server. */
async function openWorld() {
  const database = await openTestDatabase()
  const scope = forShop(database, await createTestShop(database))
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-take-drop-'))
  const store = createDiskStore({ folder })
  const drop = async (bytes: Buffer, state: string) => {
    const written = await store.write(scope.shop, oneChunk(bytes))
    await holdBlobs(scope, [{ ...written, location: 'primary', content_type: null }])
    const [row] = await scope.query<{ id: string }>(
      `insert into drop_entries (shop_id, folder, name, kind, state, claim, hash, location,
         size_bytes)
       values (:shop, '', :name, 'file', :state, :claim, decode(:hash, 'hex'), 'primary',
         :size_bytes)
       returning id`,
      { name: randomUUID(), state, claim: CLAIM, ...written },
    )
    return row!.id
  }
  const states = () =>
    scope.query('select id, state from drop_entries where shop_id = :shop order by id')
  return {
    scope,
    drop,
    states,
    context: writeContext({
      drop: createDropPort({ scope, stores: new Map([['primary', store]]) }),
    }),
    close: async () => {
      await database.drop()
      await rm(folder, { recursive: true })
    },
  }
}
type World = Awaited<ReturnType<typeof openWorld>>
const itemOf = (id: string, claim = CLAIM) =>
  importItem(id, { entry: { source: { type: 'drop', id, claim } } })

async function* oneChunk(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

pluginSuite(takeDrop, async () => {
  const world = await openWorld()
  const ids = [
    await world.drop(contentOf(1000, 'one'), 'importing'),
    await world.drop(contentOf(2000, 'two'), 'importing'),
    randomUUID(),
  ]
  const { context, states: state, close } = world
  return { items: ids.map((id) => itemOf(id)), context, state, close }
})

describe('take-drop', () => {
  let world: World
  beforeEach(async () => void (world = await openWorld()))
  afterEach(() => world.close())
  const run = async (id: string, claim?: string) =>
    (await Array.fromAsync(takeDrop.run!([itemOf(id, claim)], {}, world.context)))[0]

  it('returns the stored bytes, and takes a failed file for a retry', async () => {
    const bytes = contentOf(3000, 'bytes')
    const bytesOf = { hash: hashOf(bytes), size_bytes: 3000, location: 'primary' }
    for (const state of ['waiting', 'importing', 'failed']) {
      const id = await world.drop(bytes, state)
      expect(await run(id)).toMatchObject({ item: id, status: 'ok', bytes: bytesOf })
      expect(await world.states()).toContainEqual({ id, state: 'importing' })
    }
  })
  it('reports that another import has claimed the file, or that it was imported', async () => {
    const gone = { status: 'failed', code: 'drop_file_gone', retryable: false }
    const id = await world.drop(contentOf(10, 'x'), 'importing')
    expect(await run(id, randomUUID())).toMatchObject(gone)
    const done = await world.drop(contentOf(10, 'y'), 'processed')
    expect(await run(done)).toMatchObject(gone)
  })
  it('skips items of other channels', async () => {
    const outcomes = takeDrop.run!([importItem('url')], {}, world.context)
    expect(await Array.fromAsync(outcomes)).toMatchObject([{ status: 'skipped' }])
  })
})
