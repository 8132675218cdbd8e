import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createGuardedClient, type GuardedClient } from '../../server/ports/guarded-fetch.ts'
import { createRemote, createStage } from '../../server/ports/catalog.ts'
import { createDiskStore } from '../../server/core/store/disk.ts'
import { inEnglish } from '../../test/english.ts'
import { contentOf, hashOf, sha256Of } from '../../test/fakes/content.ts'
import { importItem, writeContext } from '../../test/fakes/context.ts'
import { startOrigin, type Origin } from '../../test/fakes/origin.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Outcome, WriteContext } from '../contract/index.ts'
import { fetchUrl } from './plugin.ts'

const FILE_BYTES = 1_000_000

/** A real HTTP origin, client and disk. */
async function openWorld() {
  const origin: Origin = await startOrigin()
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-fetch-'))
  const client: GuardedClient = createGuardedClient({ allowLoopback: true, fileBytes: FILE_BYTES })
  const place = { store: createDiskStore({ folder }), shop: 1, location: 'primary' }
  const remote = createRemote({ client, ...place })
  const context: WriteContext = writeContext({
    remote,
    stage: createStage(place),
    limits: { ...writeContext().limits, file_bytes: FILE_BYTES, large_file_bytes: FILE_BYTES },
  })
  return {
    origin,
    context,
    item: (id: string, at: string) =>
      importItem(id, { entry: { source: { type: 'url', url: origin.url + at } } }),
    blobs: async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true })).filter((e) => e.isFile()),
    close: async () => {
      await client.close()
      await origin.close()
      await rm(folder, { recursive: true })
    },
  }
}
type World = Awaited<ReturnType<typeof openWorld>>

pluginSuite(fetchUrl, async () => {
  const world = await openWorld()
  return {
    items: [
      world.item('a', '/bytes/10/a'),
      world.item('b', '/status/404'),
      world.item('c', '/bytes/99999/c'),
    ],
    context: world.context,
    state: async () => (await world.blobs()).map(({ name }) => name).sort(),
    close: world.close,
  }
})

describe('fetch-url', () => {
  let world: World
  beforeEach(async () => void (world = await openWorld()))
  afterEach(() => world.close())
  const run = async (ats: readonly string[], options = {}) => {
    const items = ats.map((at) => world.item(at, at))
    const outcomes = fetchUrl.run!(items, fetchUrl.options.parse(options), world.context)
    return new Map((await Array.fromAsync(outcomes)).map((outcome) => [outcome.item, outcome]))
  }

  it('returns the bytes of every file, and the reason of every failure', async () => {
    const got = await run([
      '/bytes/10/x',
      '/status/403',
      '/short/100/50',
      '/huge',
      '/bytes/70000/y',
    ])
    expect(got.get('/bytes/70000/y')).toEqual({
      item: '/bytes/70000/y',
      status: 'ok',
      bytes: {
        hash: hashOf(contentOf(70_000, 'y')),
        size_bytes: 70_000,
        location: 'primary',
        content_type: 'application/octet-stream',
      },
    } satisfies Outcome)
    const failure = {
      status: 'failed',
      code: 'url_not_accessible',
      message: 'File URL not accessible',
    }
    // Whether it is final depends on the other requests to the host (server/ports/busy-hosts.test.ts).
    expect(inEnglish(got.get('/status/403'))).toMatchObject({
      ...failure,
      detail: expect.stringContaining('403'),
    })
    expect(got.get('/short/100/50')).toMatchObject({ ...failure, retryable: true })
    expect(got.get('/huge')).toMatchObject({
      status: 'failed',
      code: 'file_too_large',
      retryable: false,
    })
    expect(await world.blobs()).toHaveLength(2)
  })
  it('runs no more concurrent downloads than its option allows', async () => {
    const ats = Array.from({ length: 21 }, (_, n) => `/together/3/bytes/1000/${n}`)
    await run(ats, { at_once: 3 })
    expect(world.origin.mostAtOnce).toBe(3)
    expect(world.origin.connections).toBe(3)
  })
  it('refuses files that are too large in the preview', async () => {
    const plan = fetchUrl.plan(
      [world.item('a', '/huge')],
      fetchUrl.options.parse({}),
      world.context,
    )
    expect(await Array.fromAsync(plan)).toMatchObject([
      { status: 'failed', code: 'file_too_large' },
    ])
  })
  it('skips items without an entry', async () => {
    const items = [{ ...world.item('a', '/'), entry: null }]
    const outcomes = fetchUrl.run!(items, fetchUrl.options.parse({}), world.context)
    expect(await Array.fromAsync(outcomes)).toMatchObject([{ status: 'skipped' }])
  })
})

it('fails an item whose bytes have another SHA-256 than its entry names, and keeps nothing of it', async () => {
  const world = await openWorld()
  onTestFinished(world.close)
  const sha256 = sha256Of(contentOf(1000, 'a'))
  const named = (id: string, hash: string) => {
    const item = world.item(id, '/bytes/1000/a')
    return { ...item, entry: { ...item.entry!, sha256: hash } }
  }
  const items = [named('right', sha256), named('wrong', '0'.repeat(64))]
  const outcomes = await Array.fromAsync(
    fetchUrl.run!(items, fetchUrl.options.parse({}), world.context),
  )
  expect(inEnglish(outcomes.toSorted((a, b) => (a.item < b.item ? -1 : 1)))).toMatchObject([
    { item: 'right', status: 'ok' },
    {
      item: 'wrong',
      status: 'failed',
      code: 'sha256_mismatch',
      retryable: false,
      detail: `The bytes at the address have the SHA-256 ${sha256}`,
    },
  ])
  expect(await world.blobs()).toHaveLength(1)
})
