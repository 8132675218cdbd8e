import { inEnglish } from '../../test/english.ts'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { forShop, type ShopScope } from '../../server/core/db/for-shop.ts'
import { hashOf } from '../../test/fakes/content.ts'
import { createTestEngine, makeBytes, workflowOf, type TestEngine } from '../../test/engine.ts'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { PortError, type Item, type Outcome, type WriteContext } from '../contract/index.ts'
import { changeStorage } from './plugin.ts'

const workflow = workflowOf('make-bytes')
let engine: TestEngine
let scope: ShopScope
let stop: () => Promise<void>
let files = 0
beforeAll(async () => {
  engine = await createTestEngine([makeBytes, changeStorage], [workflow])
  scope = forShop(engine.parts.database, engine.shop)
  const worker = await engine.startWorker()
  stop = () => worker.stop()
})
afterAll(async () => {
  await stop()
  await engine.close()
})

const MOVE = { location: 'backup', keep: false } as const
const COPY = { location: 'backup', keep: true } as const

/** A file with real bytes in primary storage; its bytes are its name. */
async function freshFile(): Promise<Item> {
  const { items } = await engine.untilEnd(await engine.start(workflow, [`file-${files++}.txt`]))
  return fileItem(`item-${files}`, { id: items[0]!.file_id!, filename: items[0]!.filename })
}
const placesOf = (items: readonly Item[]) =>
  scope.query<{ location: string; copies: string[] }>(
    `select location, array(select c.location from file_copies c where c.shop_id = v.shop_id
       and c.file_id = v.file_id) as copies
     from versions v where shop_id = :shop and file_id = any(:ids::uuid[])
       order by file_id, number`,
    { ids: items.map(({ file }) => file.id) },
  )
const bytesIn = (location: string, { file }: Item) =>
  path.join(engine.folder, location, String(engine.shop), hashOf(Buffer.from(file.filename)))
const context = async (given: Partial<WriteContext> = {}) =>
  writeContext({ stored: (await engine.parts.ports(scope)).stored, ...given })
const run = async (
  items: readonly Item[],
  options: typeof MOVE | typeof COPY,
  given?: Partial<WriteContext>,
) => Array.fromAsync<Outcome>(changeStorage.run!(items, options, await context(given)))
const plan = async (items: readonly Item[], options: typeof MOVE | typeof COPY) =>
  Array.fromAsync<Outcome>(changeStorage.plan(items, options, await context()))

pluginSuite(changeStorage, async () => {
  const items = [await freshFile(), await freshFile()]
  return { items, options: MOVE, context: await context(), state: () => placesOf(items) }
})

describe('change-storage', () => {
  it('moves a file, and previews which would move', async () => {
    const [one, other] = [await freshFile(), await freshFile()]
    expect(await plan([one, other], MOVE)).toEqual([
      { item: one.id, status: 'ok' },
      { item: other.id, status: 'ok' },
    ])
    expect(await run([one], MOVE)).toEqual([{ item: one.id, status: 'ok' }])
    expect(await placesOf([one, other])).toMatchObject([
      { location: 'backup' },
      { location: 'primary' },
    ])
    const there = { item: one.id, status: 'ok', unchanged: 'It is in backup storage already' }
    expect(inEnglish(await plan([one, other], MOVE))).toEqual([
      there,
      { item: other.id, status: 'ok' },
    ])
    expect(inEnglish(await run([one], MOVE))).toEqual([there])
  })
  soakTest('after a step that creates new bytes moves those too', async () => {
    const item = await freshFile()
    await scope.query(
      `update files set filename = 'new', name_key = 'new' where shop_id = :shop and id = :id`,
      {
        id: item.file.id,
      },
    )
    const steps = [
      { id: 'make', plugin: 'make-bytes' },
      { id: 'move', plugin: 'change-storage', options: MOVE },
    ]
    const both = { ...workflow, action: 'workflow', kind: 'bulk', steps } as const
    await engine.untilEnd(await engine.startOn(both, { ids: [item.file.id!] }))
    expect(await placesOf([item])).toMatchObject([{ location: 'backup' }, { location: 'backup' }])
  })
  soakTest('keeps a copy, once; a file that has one stays unchanged', async () => {
    const item = await freshFile()
    await run([item], COPY)
    expect(inEnglish(await run([item], COPY))).toMatchObject([
      { unchanged: 'It is in backup storage already' },
    ])
    expect(await placesOf([item])).toEqual([{ location: 'primary', copies: ['backup'] }])
    expect(inEnglish(await plan([item], COPY))).toMatchObject([
      { unchanged: 'It is in backup storage already' },
    ])
    expect(await plan([item], MOVE)).toEqual([{ item: item.id, status: 'ok' }])
  })
  it('a missing file fails alone, also in the preview', async () => {
    const [here, gone] = [await freshFile(), fileItem('gone')]
    const failure = { item: 'gone', status: 'failed', code: 'file_not_found', retryable: false }
    expect(await plan([gone, here], MOVE)).toMatchObject([failure, { item: here.id, status: 'ok' }])
    const outcomes = new Map(
      (await run([gone, here], MOVE)).map((outcome) => [outcome.item, outcome]),
    )
    expect(outcomes.get('gone')).toMatchObject(failure)
    expect(outcomes.get(here.id)).toEqual({ item: here.id, status: 'ok' })
  })
  it('bytes that do not match their hash are not moved', async () => {
    const item = await freshFile()
    await writeFile(bytesIn('primary', item), 'damaged')
    expect(await run([item], MOVE)).toMatchObject([
      {
        status: 'failed',
        code: 'file_damaged',
        retryable: false,
      },
    ])
    await rm(bytesIn('primary', item))
    expect(await run([item], MOVE)).toMatchObject([{ status: 'failed', code: 'storage_failed' }])
    expect(await placesOf([item])).toMatchObject([{ location: 'primary' }])
  })
  it('passes a bug on to the engine', async () => {
    const stored = { ...writeContext().stored, relocate: () => Promise.reject(new TypeError('oh')) }
    await expect(run([fileItem('a')], MOVE, { stored })).rejects.toThrow('oh')
    const away = {
      ...stored,
      relocate: () => Promise.reject(new PortError('storage_full', 'full', true)),
    }
    expect(await run([fileItem('a')], MOVE, { stored: away })).toMatchObject([
      { code: 'storage_full' },
    ])
  })
  it('accepts no other locations', () => {
    expect(changeStorage.options.safeParse({ location: 'elsewhere' }).success).toBe(false)
  })
})
