// Every action must do the same whether it is previewed first or not. Two shops have the same files;
// one runs the action, the other previews and confirms it, and then both are compared.
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { appConfig } from '../app.config.ts'
import {
  actionsOf,
  definePlugin,
  type Item,
  type Outcome,
  type Plugin,
  type Step,
  type Workflow,
} from '../plugins/contract/index.ts'
import { quarantineFiles } from '../server/files/quarantine.ts'
import type { ShopScope } from '../server/core/db/for-shop.ts'
import { toPublicId } from '../server/core/ids.ts'
import { addMappings } from '../server/files/mappings.ts'
import { addFile } from './deliveries.ts'
import { documentOf, numberedPages } from './documents.ts'
import { createTestEngine, testEngineOn, type TestEngine } from './engine.ts'
import { photo } from './images.ts'
import { fillMirror, productId } from './mirror.ts'
import { someOf } from './scale.ts'

const { plugins, workflows } = appConfig({})

interface ActionCase {
  options?: Record<string, unknown>
  /** The files are in the trash. */
  trashed?: true
  /** Only files of this type. */
  type?: string
  /** Its files have the same bytes. */
  same?: true
  /** They are in quarantine. */
  infected?: true
}

/** Each action has one. */
const CASES: Readonly<Record<string, ActionCase>> = {
  'tag-files': { options: { mode: 'add', tags: ['new'] } },
  'update-settings': { options: { expiry_days: 7, visibility: 'public' } },
  'delete-files': { options: { remove_mappings: true, backup_first: true } },
  'map-products': {},
  'unmap-products': { options: { product_ids: [productId(2)] } },
  'create-links': { options: { email: 'buyer@example.com', send_emails: true } },
  'tell-buyers': {},
  'give-files': {},
  'export-files': {},
  'zip-files': {},
  'rename-files': { options: { mode: 'pattern', pattern: 'new-{sequence}' } },
  'move-to-pack': { options: { new_pack: 'Course' } },
  'change-storage': { options: { location: 'backup' } },
  'back-up-files': {},
  'optimize-image': {},
  'optimize-pdf': {},
  'watermark-pdf': { options: { text: 'Draft' } },
  'split-pdf': { options: { every: 1 } },
  'merge-pdf': { options: { filename: 'all.pdf' }, type: 'pdf' },
  'replace-tag': { options: { find: 'old', replace: 'older' } },
  'merge-tag-case': {},
  'tag-by-rule': {},
  'restore-files': { trashed: true },
  'purge-files': { trashed: true },
  'merge-duplicates': { same: true },
  // There is no scanner.
  'scan-file': { options: { when_down: 'pass' } },
  'release-files': { options: { reason: 'A false alarm' }, infected: true },
}

const isPhoto = ({ file }: Pick<Item, 'file'>) => file.filename.startsWith('photo')
const renamed = ({ id, file }: Item): Outcome =>
  isPhoto({ file })
    ? { item: id, status: 'ok', change: { set: { filename: `small ${file.filename}` } } }
    : { item: id, status: 'ok', unchanged: 'It is not a photo' }

/**
 * Changes the photo’s bytes and name, without the sandbox: each shop would start a process there.
 */
const changePhoto = definePlugin({
  id: 'change-photo',
  kind: 'optimize',
  title: 'Change photo',
  options: z.strictObject({}),
  undo: 'fields',
  needs: ['stage'],
  bytes: true,
  async *plan(items) {
    yield* items.map(renamed)
  },
  async *run(items, _options, { stage, signal }): AsyncGenerator<Outcome> {
    for (const item of items) {
      const outcome = renamed(item)
      if ('change' in outcome)
        outcome.bytes = await stage.write(Readable.from([Buffer.from('smaller')]), null, signal)
      yield outcome
    }
  },
})

let house: TestEngine
let stop: () => Promise<void>
let bytes: Record<string, Buffer>
beforeAll(async () => {
  house = await createTestEngine([...plugins, changePhoto], workflows)
  stop = (await house.startWorker()).stop
  // Optimizing makes them smaller.
  const spaces = ' '.repeat(100_000)
  const pages = numberedPages(2).map((page) => ({ ...page, draws: page.draws + spaces }))
  bytes = {
    'EB-001 guide.pdf': documentOf(pages),
    'EB-002 notes.pdf': documentOf([...pages].reverse()),
    'photo.jpg': await photo(2400, 1600).jpeg({ quality: 95 }).toBuffer(),
  }
})
afterAll(async () => {
  await stop()
  await house.close()
})

let shops = 0
/** A shop with the files, a product for two of them, and a buyer of all. */
async function openShop({ trashed, same, infected }: ActionCase): Promise<TestEngine> {
  const domain = `shop-${(shops += 1)}.myshopify.com`
  const shop = await testEngineOn({ ...house, close: () => Promise.resolve() }, domain)
  const { scope } = shop
  await fillMirror(scope, [
    { title: 'Guide', skus: ['EB-001'] },
    { title: 'Notes', skus: ['EB-002'] },
  ])
  const files: string[] = []
  const [first] = Object.values(bytes)
  for (const [name, content] of Object.entries(bytes))
    files.push(await addFile(shop, name, same ? first! : content))
  await scope.query(`update files set tags = '{old,Old,keep}' where shop_id = :shop`)
  await addMappings(scope, [{ fileId: files[2]!, mapping: mappingTo(productId(2)) }])
  await scope.query(
    `update files set mapping_state = 'mapped' where shop_id = :shop and id = :id`,
    { id: files[2] },
  )
  await sellTo(scope, files)
  if (infected)
    await scope.transaction((tx) =>
      quarantineFiles(
        tx,
        files.map((file) => ({ file, found: 'Eicar' })),
      ),
    )
  if (trashed) await scope.query('update files set deleted_at = now() where shop_id = :shop')
  return shop
}

const mappingTo = (product_id: string) =>
  ({
    product_id,
    product_title: 'Notes',
    variant_id: null,
    sku: null,
    score: 1,
    reason: '',
    method: 'manual',
  }) as const

async function sellTo(scope: ShopScope, files: readonly string[]): Promise<void> {
  await scope.query(
    `insert into orders (shop_id, id, name, email, ordered_at, changed_at)
     values (:shop, 'gid://shopify/Order/1', '#1001', 'buyer@example.com', now(), now())`,
  )
  const [row] = await scope.query<{ id: string }>(
    `insert into deliveries (shop_id, order_id) values (:shop, 'gid://shopify/Order/1')
     returning id`,
  )
  // Another buyer of the product, from before it had a file.
  await scope.query(
    `insert into orders (shop_id, id, name, email, ordered_at, changed_at)
     values (:shop, 'gid://shopify/Order/2', '#1002', 'past@example.com', now(), now())`,
  )
  await scope.query(
    `insert into order_lines (shop_id, order_id, id, position, title, product_id, quantity,
       entitled)
     values (:shop, 'gid://shopify/Order/2', 'gid://shopify/LineItem/2', 0, 'Notes', :product, 1,
       true)`,
    { product: productId(2) },
  )
  await scope.query(
    `insert into delivery_files (shop_id, delivery_id, line_id, file_id)
     select :shop, :delivery, 'gid://shopify/LineItem/1', unnest(:files::uuid[])`,
    { delivery: row!.id, files },
  )
}

async function run(
  shop: TestEngine,
  workflow: Workflow,
  { trashed, type }: ActionCase,
  preview: boolean,
) {
  const filter = { ...(trashed && { deleted: true }), ...(type && { type: [type] }) }
  const id = await shop.engine.start(shop.scope, {
    workflow,
    channel: 'api',
    request: {},
    requestedBy: 'test',
    dryRun: preview,
    source: { type: 'filter', filter },
  })
  if (!preview) return shop.untilEnd(id)
  await expect
    .poll(() => shop.engine.get(shop.scope, id))
    .toMatchObject({ status: 'previewed', failed: 0 })
  await shop.engine.move(shop.scope, id, 'confirm')
  return shop.untilEnd(id)
}

/** Everything that the operation left, comparable between shops. */
async function left({ scope }: TestEngine) {
  const files = await scope.query(
    `select filename, tags, expiry_days, visibility, (select count(*) from pack_files k
       where k.shop_id = files.shop_id and k.file_id = files.id) as packs, version,
       deleted_at is not null as trashed, size_bytes, mapping_state from files
     where shop_id = :shop order by filename`,
  )
  const mappings = await scope.query(
    `select f.filename, m.product_id, m.method from mappings m
     join files f on f.shop_id = m.shop_id and f.id = m.file_id
     where m.shop_id = :shop order by 1, 2`,
  )
  const stored = await scope.query(
    `select f.filename, v.number, v.location, v.quarantined from versions v
     join files f on f.shop_id = v.shop_id and f.id = v.file_id where v.shop_id = :shop
     order by 1, 2`,
  )
  const copies = await scope.query(
    'select location, count(*)::int as copies from backups where shop_id = :shop group by 1 order by 1',
  )
  const links = await scope.query(
    'select email, count(*)::int as links from links where shop_id = :shop group by 1 order by 1',
  )
  const mails = await scope.query(
    `select payload ->> 'template' as template, count(*)::int as mails from outbox
     where shop_id = :shop group by 1 order by 1`,
  )
  return { files, mappings, stored, copies, links, mails }
}

const workflowOf = (
  id: string,
  options: ActionCase['options'] = {},
  first: readonly Step[],
): Workflow => ({
  id: 'test',
  title: 'Test',
  action: id,
  kind: 'bulk',
  parallel: 1,
  steps: [...first, { id: 'act', plugin: id, options }],
})

/** The options that merge all files of a shop. */
async function mergedInto({ scope }: TestEngine, name: string) {
  const rows = await scope.query<{ id: string; filename: string }>(
    'select id, filename from files where shop_id = :shop order by filename',
  )
  const idsOf = (of: typeof rows) => of.map(({ id }) => toPublicId('file', id))
  const [keep] = idsOf(rows.filter(({ filename }) => filename === name))
  return { groups: [{ keep, others: idsOf(rows.filter(({ filename }) => filename !== name)) }] }
}

/** Actions that change no files. */
const EXPORTS: ReadonlySet<string> = new Set(['export-files', 'zip-files'])

/** With a step on bytes the engine executes each file; without one it plans whole batches. */
const ON_BYTES: Step = { id: 'first', plugin: changePhoto.id }
const ACTIONS = plugins.filter((plugin) => actionsOf(plugin).length > 0)
const isPlanned = (plugin: Plugin) =>
  plugin.scope !== 'operation' && !plugin.bytes && !CASES[plugin.id]?.trashed

/** What these write is written as by the action that follows: in npm test that one represents them. */
const REPRESENTED: Readonly<Record<string, string>> = {
  'watermark-pdf': 'optimize-image',
  'optimize-pdf': 'optimize-image',
  'merge-pdf': 'split-pdf',
  'zip-files': 'export-files',
  'back-up-files': 'change-storage',
  'unmap-products': 'map-products',
  'replace-tag': 'tag-files',
  'merge-tag-case': 'tag-files',
  'tag-by-rule': 'tag-files',
}
const represents = ({ id }: Plugin) => !(id in REPRESENTED)
/** In npm test each of these runs in batches or file by file, in soak in both ways. */
const PLANNED = ACTIONS.filter(isPlanned)
const REPRESENTING = PLANNED.filter(represents)

test('each action has a case', () => {
  expect(ACTIONS.map(({ id }) => id).filter((id) => !CASES[id])).toEqual([])
})

test.each([
  ...someOf(
    ACTIONS.filter((action) => !isPlanned(action)),
    represents,
  ).map(({ id }) => [id, 'does the same after a preview', []] as const),
  ...someOf(PLANNED, (action) => REPRESENTING.indexOf(action) % 2 === 0).map(
    ({ id }) => [id, 'does the same after a preview', []] as const,
  ),
  ...someOf(PLANNED, (action) => REPRESENTING.indexOf(action) % 2 === 1).map(
    ({ id }) => [id, 'does the same after a preview, file by file', [ON_BYTES]] as const,
  ),
])('%s %s', async (id, _, first) => {
  const given = CASES[id]!
  const [direct, previewed] = [await openShop(given), await openShop(given)]
  const before = await left(direct)
  const runIn = async (shop: TestEngine, preview: boolean) => {
    const options = given.same ? await mergedInto(shop, 'EB-001 guide.pdf') : given.options
    return run(shop, workflowOf(id, options, first), given, preview)
  }
  const [a, b] = [await runIn(direct, false), await runIn(previewed, true)]
  const outcomes = ({ items }: typeof a) =>
    items.map(({ status, error, warnings }) => ({ status, error, warnings }))
  expect(a.operation.done).toBeGreaterThan(0)
  expect(b.operation).toMatchObject({
    status: a.operation.status,
    done: a.operation.done,
    skipped: a.operation.skipped,
  })
  expect(outcomes(b)).toEqual(outcomes(a))
  expect(await left(previewed)).toEqual(await left(direct))
  if (!EXPORTS.has(id)) expect(await left(direct)).not.toEqual(before)
})
