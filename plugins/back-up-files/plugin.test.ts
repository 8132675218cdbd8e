import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forShop, type ShopScope } from '../../server/core/db/for-shop.ts'
import { createTestEngine, makeBytes, workflowOf, type TestEngine } from '../../test/engine.ts'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { PortError, type Item, type Outcome, type WriteContext } from '../contract/index.ts'
import { backUpFiles } from './plugin.ts'

const workflow = workflowOf('make-bytes')
let engine: TestEngine
let scope: ShopScope
let stop: () => Promise<void>
let files = 0
beforeAll(async () => {
  engine = await createTestEngine([makeBytes], [workflow])
  scope = forShop(engine.parts.database, engine.shop)
  const worker = await engine.startWorker()
  stop = () => worker.stop()
})
afterAll(async () => {
  await stop()
  await engine.close()
})

/** A file with real bytes that has never been backed up. */
async function freshFile(): Promise<Item> {
  const { items } = await engine.untilEnd(await engine.start(workflow, [`file-${files++}.txt`]))
  return fileItem(`item-${files}`, { id: items[0]!.file_id!, filename: items[0]!.filename })
}
const backups = (items: readonly Item[]) =>
  scope.query<{ hash: string; location: string; record: Record<string, unknown> }>(
    `select encode(hash, 'hex') as hash, location, record from backups
     where shop_id = :shop and file_id = any(:ids::uuid[]) order by id`,
    { ids: items.map(({ file }) => file.id) },
  )
const context = async (given: Partial<WriteContext> = {}) =>
  writeContext({ stored: (await engine.parts.ports(scope)).stored, ...given })
const run = async (items: readonly Item[], given?: Partial<WriteContext>): Promise<Outcome[]> =>
  Array.fromAsync(backUpFiles.run!(items, {}, await context(given)))

pluginSuite(backUpFiles, async () => {
  const items = [await freshFile(), await freshFile()]
  return { items, context: await context(), state: () => backups(items) }
})

describe('back-up-files', () => {
  it('keeps the bytes and record of each file; a repetition adds nothing, a changed file adds a version', async () => {
    const item = await freshFile()
    await run([item])
    const [first] = await backups([item])
    expect(first).toMatchObject({
      location: 'backup',
      record: { filename: item.file.filename, tags: [], version: 1 },
    })
    await run([item])
    expect(await backups([item])).toHaveLength(1)
    await scope.query(`update files set tags = '{summer}' where shop_id = :shop and id = :id`, {
      id: item.file.id,
    })
    await run([item])
    expect((await backups([item])).map(({ record }) => record.tags)).toEqual([[], ['summer']])
  })
  it('a missing file fails alone', async () => {
    const [here, gone] = [await freshFile(), fileItem('gone')]
    const outcomes = new Map((await run([gone, here])).map((outcome) => [outcome.item, outcome]))
    expect(outcomes.get(here.id)).toEqual({ item: here.id, status: 'ok' })
    expect(outcomes.get('gone')).toMatchObject({
      status: 'failed',
      code: 'file_not_found',
      retryable: false,
    })
  })
  it('a location that does not answer fails the file, to be retried', async () => {
    const away = {
      ...writeContext().stored,
      backUp: () =>
        Promise.reject(
          new PortError('storage_failed', 'The storage location did not answer', true),
        ),
    }
    expect(await run([fileItem('a')], { stored: away })).toMatchObject([
      { status: 'failed', code: 'storage_failed', retryable: true },
    ])
  })
  it('passes a bug on to the engine', async () => {
    const broken = { ...writeContext().stored, backUp: () => Promise.reject(new TypeError('oh')) }
    await expect(run([fileItem('a')], { stored: broken })).rejects.toThrow('oh')
  })
})
