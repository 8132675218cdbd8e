import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../../test/database.ts'
import { openDepot, type Depot } from '../../../test/delivery.ts'
import { present } from '../../core/lazy.ts'
import type { TaskRun } from '../../core/queue/background.ts'
import { startDemoStorefront, type DemoStorefront } from '../../demo/listener.ts'
import { signSessionToken } from '../../demo/session-token.ts'
import { createDemoTransport } from '../../demo/transport.ts'
import { addMappings } from '../../files/mappings.ts'
import { createStorefront } from '../../storefront/platform.ts'
import type { Storefront } from '../../storefront/storefront.ts'
import { publishTask, SAMPLE_FIELDS } from './publish-task.ts'

const DOMAIN = 'harbour.myshopify.com'
const BASE = 'https://files.example.com'
const CREDENTIALS = { apiKey: 'the-key', apiSecret: 'the secret of the app, 32 characters' }

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let demo: DemoStorefront
let storefront: Storefront
let closeTransport: () => Promise<void>
beforeAll(async () => {
  database = await openTestDatabase()
  const shop = await createTestShop(database, DOMAIN)
  depot = await openDepot(database, shop)
  demo = await startDemoStorefront({
    catalog: null,
    bucket: 1_000_000,
    restore: 100_000,
    log: silent,
    ...CREDENTIALS,
    shop: { domain: DOMAIN, name: 'Harbour Books', email: 'owner@harbour.example' },
  })
  const { transport, close } = createDemoTransport(demo.url)
  closeTransport = async () => close()
  storefront = createStorefront({
    database,
    secrets: depot.secrets,
    log: silent,
    platform: CREDENTIALS,
    transport,
    appUrl: BASE,
  })
  await storefront.ensureAccess(shop, signSessionToken(demo.app))
})
afterAll(async () => {
  await storefront.close()
  await closeTransport()
  await demo.close()
  await depot.close()
  await database.drop()
})

const task = () => publishTask({ database, storefront, baseUrl: BASE })
/** Runs the task if it is wanted; false: nothing changed. */
async function publish(): Promise<boolean> {
  const { rows } = await database.pool.query<{ key: string }>(present(task().wanted, 'The keys'))
  for (const { key } of rows)
    await task().run({
      shop: Number(key),
      key,
      attempt: 1,
      signal: new AbortController().signal,
    } as TaskRun)
  return rows.length > 0
}

const shown = (product: number): unknown => {
  const key = `products_${product % SAMPLE_FIELDS}`
  const field = demo.installation.metafield({ namespace: 'samples', key }) as {
    value: string
  } | null
  return field && (JSON.parse(field.value) as Record<string, unknown>)[product]
}

async function addSample(filename: string, product: number): Promise<string> {
  const named = { filename, name_key: filename.toLowerCase(), mapping_state: 'mapped' }
  const type = filename.endsWith('.pdf') ? 'application/pdf' : 'audio/mpeg'
  const file = await depot.addFile(randomBytes(10), {
    ...named,
    content_type: type,
    sample_pages: 3,
    sample_seconds: 30,
  })
  await addMappings(depot.scope, [
    {
      fileId: file,
      mapping: {
        product_title: '',
        variant_id: null,
        sku: null,
        score: 1,
        reason: '',
        product_id: `gid://shopify/Product/${product}`,
        method: 'manual',
      },
    },
  ])
  await depot.scope.query(
    `insert into samples (shop_id, file_id, token, source_hash, length, hash, location, size_bytes,
       content_type)
     select :shop, :file, :token, v.hash, 3, v.hash, v.location, v.size_bytes, :type
     from versions v where v.shop_id = :shop and v.file_id = :file`,
    { file, token: randomBytes(16).toString('hex'), type },
  )
  return file
}

test('the platform gets the samples of each product, and only what changed', async () => {
  expect(await publish()).toBe(false)
  const guide = await addSample('Guide.pdf', 7)
  await addSample('Waves.mp3', 7)
  await addSample('Song.mp3', 8)
  expect(await publish()).toBe(true)
  expect(shown(7)).toEqual([
    {
      name: 'Guide.pdf',
      kind: 'document',
      length: 3,
      url: expect.stringMatching(/^https:\/\/files.example.com\/samples\/[0-9a-f]{32}\/Guide/),
    },
    expect.objectContaining({ name: 'Waves.mp3', kind: 'audio' }),
  ])
  expect(shown(8)).toHaveLength(1)
  expect(await publish()).toBe(false)
  await depot.scope.query(
    'update files set sample_pages = null where shop_id = :shop and id = :id',
    {
      id: guide,
    },
  )
  const queries = demo.counts.admin.queries
  expect(await publish()).toBe(true)
  // The id of the installation, and the one metafield that changed.
  expect(demo.counts.admin.queries - queries).toBe(2)
  expect(shown(7)).toEqual([expect.objectContaining({ name: 'Waves.mp3' })])
  await depot.scope.query('update files set deleted_at = now() where shop_id = :shop')
  expect(await publish()).toBe(true)
  expect([shown(7), shown(8)]).toEqual([undefined, undefined])
})

test('samples that do not fit are left out with one notice', async () => {
  for (let n = 0; n < 22; n++) await addSample(`Track ${n}.mp3`, 9)
  await publish()
  expect(shown(9)).toHaveLength(20)
  const notices = await depot.scope.query<{ body: string }>(
    `select body from notices where shop_id = :shop`,
  )
  expect(notices.map(({ body }) => body.slice(0, 24))).toEqual(['2 samples were left out:'])
})

const THEME = 'web/extensions/product-sample'

test('the block reads the same metafields, and has its texts in each language', async () => {
  const block = await readFile(`${THEME}/blocks/samples.liquid`, 'utf8')
  expect(block).toContain(`modulo: ${SAMPLE_FIELDS}`)
  const schema = /{% schema %}([^]*){% endschema %}/.exec(block)?.[1]
  expect(JSON.parse(present(schema, 'The schema'))).toMatchObject({ target: 'section' })
  const files = (await readdir(`${THEME}/locales`)).filter((name) => !name.includes('.schema.'))
  expect(files).toHaveLength(6)
  const used = [...block.matchAll(/'samples\.(\w+)' \| t/g)].map(([, name = '']) => name)
  const labels = [...block.matchAll(/"t:block\.(\w+)"/g)].map(([, name = '']) => name)
  const textsIn = async (name: string) =>
    JSON.parse(await readFile(`${THEME}/locales/${name}`, 'utf8')) as Record<string, object>
  for (const name of files) {
    const texts = await textsIn(name)
    expect(Object.keys(texts.samples ?? {}).toSorted()).toEqual([...new Set(used)].toSorted())
    const shownTexts = await textsIn(name.replace('.json', '.schema.json'))
    expect(Object.keys(shownTexts.block ?? {}).toSorted()).toEqual(labels.toSorted())
  }
})
