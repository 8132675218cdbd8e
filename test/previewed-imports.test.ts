// A preview of an import must foresee what the import does: every conflict policy, with names that
// are taken, that repeat within the import, and that are invalid.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createTestEngine,
  entryOf,
  makeBytes,
  testEngineOn,
  workflowOf,
  type TestEngine,
} from './engine.ts'
import { ON_CONFLICT, type Entry } from '../plugins/contract/index.ts'
import { addMappings } from '../server/files/mappings.ts'

const WORKFLOW = { ...workflowOf('make-bytes'), parallel: 1 }
const NAMES = ['new.pdf', 'NEW.pdf', 'taken.pdf', 'Taken.pdf', 'bad/name.pdf', 'other.pdf']

let house: TestEngine
let stop: () => Promise<void>
let shops = 0
beforeAll(async () => {
  house = await createTestEngine([makeBytes], [WORKFLOW])
  stop = (await house.startWorker()).stop
})
afterAll(async () => {
  await stop()
  await house.close()
})

async function start(
  shop: TestEngine,
  names: readonly string[],
  on_conflict: Entry['on_conflict'],
  dryRun: boolean,
): Promise<string> {
  return shop.engine.start(shop.scope, {
    workflow: WORKFLOW,
    channel: 'api',
    request: {},
    requestedBy: 'test',
    dryRun,
    source: { type: 'entries', entries: names.map((name) => entryOf(name, on_conflict)) },
  })
}

/** A shop with the file TAKEN.pdf, which has other bytes than taken.pdf, and a product. */
async function openShop(): Promise<TestEngine> {
  const domain = `shop-${(shops += 1)}.myshopify.com`
  const shop = await testEngineOn({ ...house, close: () => Promise.resolve() }, domain)
  const { items } = await shop.untilEnd(await start(shop, ['TAKEN.pdf'], 'error', false))
  const fileId = items[0]!.file_id!
  await addMappings(shop.scope, [
    {
      fileId,
      mapping: {
        product_id: 'gid://shopify/Product/1',
        product_title: 'Taken',
        variant_id: null,
        sku: null,
        score: 1,
        reason: '',
        method: 'manual',
      },
    },
  ])
  await shop.scope.query(
    `update files set mapping_state = 'mapped' where shop_id = :shop and id = :fileId`,
    { fileId },
  )
  return shop
}

describe.each(ON_CONFLICT)('names that are taken: %s', (policy) => {
  test('the preview says for each entry what the import does', async () => {
    const [previewed, imported] = [await openShop(), await openShop()]
    const preview = await start(previewed, NAMES, policy, true)
    await expect
      .poll(async () => (await previewed.engine.get(previewed.scope, preview))?.status)
      .toBe('previewed')
    const foreseen = await previewed.engine.items(previewed.scope, preview, { limit: 100 })
    const { items } = await imported.untilEnd(await start(imported, NAMES, policy, false))
    // A preview counts the versions of a file once, also if several entries add one. The file for which
    // an entry is left out has another id in each shop, and in a preview perhaps none yet.
    const shown = (rows: typeof items) =>
      rows.map(({ status, error, after }) => ({
        status,
        error: error && { ...error, existing: undefined },
        after: { ...after, version: after?.version !== undefined },
      }))
    expect(shown(foreseen)).toEqual(shown(items))
    expect(await previewed.scope.query('select 1 from files where shop_id = :shop')).toHaveLength(1)

    await previewed.engine.move(previewed.scope, preview, 'confirm')
    const confirmed = await previewed.untilEnd(preview)
    expect(shown(confirmed.items)).toEqual(shown(items))
  })
})

test.each(['overwrite', 'new_version'] as const)(
  '%s of a file with a product reports the product',
  async (policy) => {
    const shop = await openShop()
    const { items } = await shop.untilEnd(await start(shop, ['taken.pdf'], policy, false))
    expect(items).toMatchObject([{ status: 'done', after: { product_mapped: true } }])
  },
)
