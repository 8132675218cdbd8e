// Moving files into packs: products follow, order is kept, and an undo restores every row.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appConfig } from '../../app.config.ts'
import type { Workflow } from '../../plugins/contract/index.ts'
import type { OperationRow } from '../../server/engine/types.ts'
import { createPack, deletePack } from '../../server/features/packs/model/changes.ts'
import { readPack, type PackProduct } from '../../server/features/packs/model/list.ts'
import { readRecords, type FileRecord } from '../../server/files/drafts.ts'
import { toPublicId } from '../../server/core/ids.ts'
import { createTestEngine, type TestEngine } from '../engine.ts'
import { dumpOf, expectSame, fileIds, fillLibrary } from './library.ts'
import { soakTest } from '../scale.ts'

const COUNT = 300
const { plugins, workflows } = appConfig({})
let house: TestEngine
let stop: () => Promise<void>
let ids: string[]

beforeAll(async () => {
  house = await createTestEngine(plugins, workflows)
  await fillLibrary(house, COUNT)
  ids = await fileIds(house.scope)
  stop = (await house.startWorker()).stop
})
afterAll(async () => {
  await stop()
  await house.close()
})

const product = (n: number): PackProduct => ({
  product_id: `gid://shopify/Product/${n}`,
  product_title: `Product ${n}`,
  variant_id: null,
  sku: null,
})
const newPack = (name: string, ...products: PackProduct[]) =>
  house.scope.transaction((tx) => createPack(tx, name, products))
const packOf = (id: string) => readPack(house.scope, id)
const workflow = (options: Record<string, unknown>): Workflow => ({
  ...house.engine.workflow('move-to-pack')!,
  steps: [{ id: 'act', plugin: 'move-to-pack', options }],
})
const into = (id: string) => workflow({ pack: toPublicId('pack', id) })
const movedTo = (id: string) => workflow({ mode: 'move', pack: toPublicId('pack', id) })
async function move(options: Workflow, on: readonly string[]) {
  return house.untilEnd(await house.startOn(options, { ids: on }))
}
async function undo({ id }: OperationRow) {
  return house.untilEnd(await house.engine.undo(house.scope, id, 'Mira', 'admin'))
}
async function records(on: readonly string[]) {
  const found = await readRecords(house.scope, on)
  return on.map((id) => found.get(id)!)
}
const placesOf = ({ pack_places }: FileRecord) =>
  pack_places.map(({ id, position }) => [id, position])
const productsOf = ({ mappings }: { mappings: readonly { product_id: string }[] }) =>
  mappings.map(({ product_id }) => product_id.split('/').at(-1)).sort()

soakTest(
  '300 files move with their products, keep their order, and an undo restores every row exactly',
  async () => {
    // Every third file has Product 1 itself, and some have Product 2.
    const whole = await dumpOf(house.scope)
    const first = await newPack('First', product(1), product(7))
    const second = await newPack('Second', product(8))
    const chosen = ids.toReversed()

    const { operation } = await move(into(first), chosen)
    expect(operation).toMatchObject({ status: 'success', done: COUNT, failed: 0, skipped: 0 })
    expect(await packOf(first)).toMatchObject({ files: COUNT, size_bytes: COUNT * 1000 })
    const there = await records(chosen)
    expect(there.map(placesOf)).toEqual(chosen.map((_, at) => [[first, at + 1]]))
    expect(there.every((record) => record.mapping_state === 'mapped')).toBe(true)
    expect(
      there.every((record) => ['1', '7'].every((one) => productsOf(record).includes(one))),
    ).toBe(true)

    const inFirst = await dumpOf(house.scope)
    const half = ids.slice(0, COUNT / 2)
    const moved = await move(movedTo(second), half)
    expect(moved.operation).toMatchObject({ status: 'success', done: COUNT / 2 })
    for (const record of await records(half)) {
      expect(productsOf(record)).toContain('8')
      expect(productsOf(record)).not.toContain('7')
      const own = record.mappings
        .filter(({ method }) => method !== 'pack')
        .map(({ product_id }) => product_id)
      expect(productsOf(record).includes('1')).toBe(own.includes(product(1).product_id))
    }

    expect((await undo(moved.operation)).operation).toMatchObject({
      status: 'success',
      done: COUNT / 2,
      skipped: 0,
    })
    expectSame(await dumpOf(house.scope), inFirst)
    expect((await undo(operation)).operation).toMatchObject({
      status: 'success',
      done: COUNT,
      skipped: 0,
    })
    expectSame(await dumpOf(house.scope), whole)
  },
)

test('files are appended to existing ones, and lose the pack’s products when they leave it', async () => {
  const whole = await dumpOf(house.scope)
  const pack = await newPack('Behind', product(7))
  await move(into(pack), ids.slice(0, 10))
  await move(into(pack), ids.slice(10, 20))
  expect((await records(ids.slice(0, 20))).map(placesOf)).toEqual(
    Array.from({ length: 20 }, (_, at) => [[pack, at + 1]]),
  )
  const { operation, items } = await move(workflow({ mode: 'clear' }), ids.slice(5, 25))
  expect(operation).toMatchObject({ done: 15, skipped: 5 })
  expect(
    items.filter(({ status }) => status === 'skipped').map(({ error }) => error!.message),
  ).toEqual(Array.from({ length: 5 }, () => 'It is in no pack'))
  for (const record of await records(ids.slice(5, 20))) {
    expect(record.packs).toEqual([])
    expect(productsOf(record)).not.toContain('7')
    // A file without other products loses its last one, so its links are suspended.
    expect(record.mapping_state).toBe(record.mappings.length > 0 ? 'mapped' : 'unmapped')
  }
  expect((await undo(operation)).operation).toMatchObject({ status: 'success', done: 15 })
  await undo((await house.engine.list(house.scope, { limit: 4, action: 'move-to-pack' }))[1]!)
  await undo((await house.engine.list(house.scope, { limit: 4, action: 'move-to-pack' }))[2]!)
  expectSame(await dumpOf(house.scope), whole)
})

test('a new pack is created once, by the first of two operations, and by no preview', async () => {
  const named = () =>
    house.scope.query<{ id: string; name: string }>(
      `select id, name from packs where shop_id = :shop and name_key like 'both%'`,
    )
  const preview = await house.startOn(workflow({ new_pack: 'Both' }), {
    ids: ids.slice(0, 3),
    dryRun: true,
  })
  await expect
    .poll(async () => (await house.engine.get(house.scope, preview))!.status)
    .toBe('previewed')
  expect((await house.engine.items(house.scope, preview, { limit: 3 }))[0]).toMatchObject({
    after: { packs: { added: [{ name: 'Both' }], removed: [] } },
  })
  expect(await named()).toEqual([])

  const both = await Promise.all([
    house.startOn(workflow({ new_pack: 'Both' }), { ids: ids.slice(100, 200) }),
    house.startOn(workflow({ new_pack: 'BOTH' }), { ids: ids.slice(200, 300) }),
  ])
  for (const id of both)
    expect((await house.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 100 })
  const packs = await named()
  expect(packs).toHaveLength(1)
  expect(await packOf(packs[0]!.id)).toMatchObject({ files: 200 })
  const places = (await records(ids.slice(100))).flatMap(placesOf).map(String)
  expect(new Set(places).size).toBe(200)

  // The preview still applies although the pack exists by now; a file that is there since is skipped.
  await move(into(packs[0]!.id), [ids[1]!])
  await house.engine.move(house.scope, preview, 'confirm')
  const { operation, items } = await house.untilEnd(preview)
  expect(operation).toMatchObject({ status: 'success', done: 2, skipped: 1 })
  expect(items[1]).toMatchObject({
    status: 'skipped',
    error: { message: 'It is in this pack already' },
  })
  expect(await packOf(packs[0]!.id)).toMatchObject({ files: 203 })
})

test('a pack deleted meanwhile fails its files one by one with its name, and so does an undo into it', async () => {
  const [gone, home] = [await newPack('Gone'), await newPack('Home')]
  const there = await move(into(gone), ids.slice(0, 5))
  const back = await move(movedTo(home), ids.slice(0, 5))
  await house.scope.transaction((tx) => deletePack(tx, gone))
  const { operation, items } = await move(into(gone), ids.slice(0, 5))
  expect(operation).toMatchObject({ status: 'failed', failed: 5 })
  const each = Array.from({ length: 5 }, () => 'pack_not_found')
  expect(items.map(({ error }) => error?.code)).toEqual(each)
  const undone = await undo(back.operation)
  expect(undone.items.map(({ error }) => error?.code)).toEqual(each)
  // The others are where they were put since.
  expect((await undo(there.operation)).operation).toMatchObject({ status: 'success', done: 5 })
  expect((await records(ids.slice(0, 5))).map(({ packs }) => packs)).toEqual(each.map(() => [home]))
})

test('a deleted pack keeps its files, without the pack’s products', async () => {
  const pack = await newPack('Short-lived', product(7))
  const [plain, own] = [ids[40]!, ids[41]!]
  await house.scope.query(
    `delete from mappings where shop_id = :shop and file_id = any(:both::uuid[])`,
    {
      both: [plain, own],
    },
  )
  await house.scope.query(
    `with left_packs as (
       delete from pack_files where shop_id = :shop and file_id = any(:both::uuid[]))
     update files set mapping_state = 'never' where shop_id = :shop
       and id = any(:both::uuid[])`,
    { both: [plain, own] },
  )
  await house.scope.insert('mappings', {
    file_id: own,
    product_id: 'gid://shopify/Product/3',
    product_title: 'Own',
    method: 'manual',
    score: 1,
    reason: 'Chosen manually',
  })
  await house.scope.query(
    `update files set mapping_state = 'mapped' where shop_id = :shop and id = :own`,
    { own },
  )
  await move(into(pack), [plain, own])
  expect((await records([plain, own])).map(productsOf)).toEqual([['7'], ['3', '7']])
  await house.scope.transaction((tx) => deletePack(tx, pack))
  expect(await records([plain, own])).toMatchObject([
    {
      packs: [],
      mapping_state: 'unmapped',
      mappings: [],
      deleted_at: null,
    },
    {
      packs: [],
      mapping_state: 'mapped',
      mappings: [{ product_title: 'Own' }],
    },
  ])
})

test('a file is in several packs; an undo of one of them keeps the others, with what they give', async () => {
  const chosen = ids.slice(60, 64)
  const [left, right] = [
    await newPack('Left', product(11), product(12)),
    await newPack('Right', product(12), product(13)),
  ]
  const first = await move(into(left), chosen)
  const second = await move(into(right), chosen.toReversed())
  expect((await records(chosen)).map(placesOf)).toEqual(
    chosen.map((_, at) => [
      [left, at + 1],
      [right, 4 - at],
    ]),
  )
  const given = async () =>
    (await records(chosen)).map((record) =>
      productsOf(record).filter((one) => ['11', '12', '13'].includes(one!)),
    )
  expect(await given()).toEqual(chosen.map(() => ['11', '12', '13']))

  // The other pack has the product that both have.
  const undone = await undo(first.operation)
  expect(undone.operation).toMatchObject({ status: 'success', done: 4, skipped: 0 })
  expect((await records(chosen)).map(({ packs }) => packs)).toEqual(chosen.map(() => [right]))
  expect(await given()).toEqual(chosen.map(() => ['12', '13']))

  const again = await move(into(left), chosen)
  const removed = await move(workflow({ mode: 'remove', pack: toPublicId('pack', right) }), chosen)
  expect(await given()).toEqual(chosen.map(() => ['11', '12']))
  expect((await undo(removed.operation)).operation).toMatchObject({ status: 'success', done: 4 })
  await undo(again.operation)
  expect((await undo(second.operation)).operation).toMatchObject({ status: 'success', done: 4 })
  expect((await records(chosen)).map(({ packs }) => packs)).toEqual(chosen.map(() => []))
  // A deleted pack leaves what another one gives.
  await move(into(left), chosen)
  await move(into(right), chosen)
  await house.scope.transaction((tx) => deletePack(tx, left))
  expect(await given()).toEqual(chosen.map(() => ['12', '13']))
})

test('concurrent operations on the packs of the same files lose nothing', async () => {
  const packs = await Promise.all(['P1', 'P2', 'P3'].map((name) => newPack(name, product(21))))
  const chosen = ids.slice(70, 90)
  const started = await Promise.all(packs.map((pack) => house.startOn(into(pack), { ids: chosen })))
  for (const id of started)
    expect((await house.untilEnd(id)).operation).toMatchObject({ status: 'success', done: 20 })
  for (const { packs: has } of await records(chosen))
    expect([...has].sort()).toEqual([...packs].sort())
  // A purged file leaves its packs.
  await house.scope.query('delete from files where shop_id = :shop and id = :id', { id: chosen[0] })
  for (const pack of packs) expect(await packOf(pack)).toMatchObject({ files: 19 })
})
