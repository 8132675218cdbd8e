// Files that products got after they were sold, for the buyers of before: noted, counted, given once
// by workers side by side, and taken back exactly.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appConfig } from '../../../app.config.ts'
import type { Mapping } from '../../../plugins/contract/index.ts'
import { addFile } from '../../../test/deliveries.ts'
import { createTestEngine, testEngineOn, type TestEngine } from '../../../test/engine.ts'
import { paidOrder, type MadeOrder } from '../../../test/orders.ts'
import { soakDescribe, soakTest, someOf } from '../../../test/scale.ts'
import { toPublicId } from '../../core/ids.ts'
import { addMappings } from '../../files/mappings.ts'
import type { PlatformLine, PlatformOrder } from '../../storefront/orders.ts'
import { createPack } from '../packs/model/changes.ts'
import { queueDeliveryMails } from './delivery-mail.ts'
import { readMailProgress } from '../messages/mail-progress.ts'
import { CORRECTED } from './mail-writer.ts'
import { changeDelivery, holdDelivery } from './changes.ts'
import { listDeliveries, readDelivery } from './deliveries.ts'
import { chooseForProduct, listNewFiles, listProductChoices, countPastBuyers } from './new-files.ts'
import { newFilesTask } from './new-files-task.ts'
import { reconcileOrder } from './reconcile.ts'

const { plugins, workflows } = appConfig({})
const product = (n: number) => `gid://shopify/Product/${n}`

let house: TestEngine
let stops: (() => Promise<void>)[]
beforeAll(async () => {
  house = await createTestEngine(plugins, workflows)
  stops = [(await house.startWorker()).stop, (await house.startWorker()).stop]
})
afterAll(async () => {
  for (const stop of stops) await stop()
  await house.close()
})

let shops = 0
/** A shop whose product 1 has one file. */
async function openShop() {
  const domain = `gifts-${(shops += 1)}.myshopify.com`
  const shop = await testEngineOn({ ...house, close: () => Promise.resolve() }, domain)
  const { scope } = shop
  const parts = { secrets: house.parts.secrets, now: new Date() }
  let orders = 0
  const map = async (name: string, ...products: readonly number[]): Promise<string> => {
    const file = await addFile(shop, name, Buffer.from(name))
    for (const n of products) await mapTo(file, n)
    return file
  }
  const mapTo = (fileId: string, n: number, over: Partial<Mapping> = {}) =>
    addMappings(scope, [
      {
        fileId,
        mapping: {
          product_id: product(n),
          product_title: `Product ${n}`,
          variant_id: null,
          sku: null,
          score: 1,
          reason: '',
          method: 'manual',
          ...over,
        },
      },
    ]).then(() =>
      scope.query(
        `update files set mapping_state = 'mapped' where shop_id = :shop and id = :fileId`,
        { fileId },
      ),
    )
  const buy = async (
    products: readonly (number | Partial<PlatformLine>)[],
    over: MadeOrder = {},
  ) => {
    const n = (orders += 1)
    const order: PlatformOrder = {
      ...paidOrder({
        products: products.map((one) => (typeof one === 'number' ? product(one) : one)),
        name: `#${n}`,
        email: `buyer-${n}@example.com`,
        ...over,
      }),
      id: `gid://shopify/Order/${n}`,
    }
    await reconcileOrder(scope, order, parts)
    return order
  }
  let seconds = 0
  const change = (order: PlatformOrder, to: Partial<PlatformOrder>) =>
    reconcileOrder(
      scope,
      { ...order, ...to, updated_at: new Date(+order.updated_at + (seconds += 1) * 1000) },
      parts,
    )
  const deliveryOf = async (order: PlatformOrder) => {
    const [found] = await listDeliveries(scope, { order: order.id, limit: 1 })
    return found ? readDelivery(scope, found.id, new Date()) : null
  }
  /** The files that the buyer of the order can download. */
  const filesOf = async (order: PlatformOrder) => {
    const found = await deliveryOf(order)
    const files = (found?.file_list ?? []).filter(({ status }) => status === 'active')
    return found?.status === 'ready' ? files.map(({ filename }) => filename).sort() : []
  }
  const give = async (ids: readonly string[], options: Record<string, unknown> = {}) => {
    const id = await shop.engine.start(scope, {
      workflow: {
        id: 'give-files',
        title: 'Give',
        action: 'give-files',
        kind: 'bulk',
        parallel: 2,
        steps: [{ id: 'give', plugin: 'give-files', options }],
      },
      channel: 'api',
      request: {},
      requestedBy: 'test',
      source: { type: 'files', ids },
    })
    return { id, ...(await shop.untilEnd(id)) }
  }
  const undo = async (id: string) => shop.untilEnd(await shop.engine.undo(scope, id, 'test', 'api'))
  const mails = () =>
    scope.query<{ about: string; delivery: string }>(
      `select payload ->> 'about' as about, payload ->> 'delivery' as delivery from outbox
       where shop_id = :shop and kind = 'email' order by id`,
    )
  const settings = (change: object) =>
    scope.query('update shops set settings = :change where id = :shop', {
      change: JSON.stringify(change),
    })
  return {
    ...shop,
    parts,
    map,
    mapTo,
    buy,
    change,
    deliveryOf,
    filesOf,
    give,
    undo,
    mails,
    settings,
  }
}

describe('a new file of a product that was sold', () => {
  test('is noted once, counted, given to those who paid, and forgotten', async () => {
    const shop = await openShop()
    await shop.map('guide.pdf', 1)
    const [one, two] = [await shop.buy([1]), await shop.buy([1], { email: 'Buyer-1@example.com' })]
    const refunded = await shop.buy([1])
    const cancelled = await shop.buy([1])
    const held = await shop.buy([1], { recommendation: 'CANCEL' })
    const unpaid = await shop.buy([1], { financial_status: 'PENDING' })
    await shop.change(refunded, { lines: refunded.lines.map((line) => ({ ...line, quantity: 0 })) })
    await shop.change(cancelled, { cancelled_at: new Date() })
    expect(await listNewFiles(shop.scope)).toEqual([])

    const file = await shop.map('extra.pdf', 1)
    expect(await listNewFiles(shop.scope)).toEqual([
      {
        product_id: product(1),
        title: 'Product 1',
        files: [{ id: file, filename: 'extra.pdf' }],
        orders: 2,
        buyers: 1,
        new_files: null,
      },
    ])
    const wanted = { files: [file], product: null }
    expect(await countPastBuyers(shop.scope, wanted)).toEqual({ files: 1, orders: 2, buyers: 1 })

    const { operation, items } = await shop.give([file])
    expect(operation).toMatchObject({ status: 'success', done: 1 })
    expect(items[0]?.after).toMatchObject({ orders: 2, buyers: 1 })
    for (const order of [one, two])
      expect(await shop.filesOf(order)).toEqual(['extra.pdf', 'guide.pdf'])
    for (const order of [refunded, cancelled, held, unpaid]) {
      expect(await shop.filesOf(order)).toEqual([])
      const listed = (await shop.deliveryOf(order))?.file_list.map(({ filename }) => filename) ?? []
      expect(listed).not.toContain('extra.pdf')
    }
    expect(await listNewFiles(shop.scope)).toEqual([])
    const added = (await shop.mails()).filter(({ about }) => about === 'added')
    expect(added.length).toBe(2)

    // Twice gives nothing twice.
    const again = await shop.give([file])
    expect(again.operation).toMatchObject({ status: 'success', done: 0, skipped: 1 })
    expect((await shop.mails()).filter(({ about }) => about === 'added')).toEqual(added)
  })

  soakTest('is given to the buyers of a bundle, with a limit for each unit', async () => {
    const shop = await openShop()
    await shop.map('guide.pdf', 1)
    const bundle = { id: 'gid://shopify/LineItemGroup/1', quantity: 2 }
    const bundled = await shop.buy([
      { product_id: product(1), bundle: { ...bundle, product_id: product(9), variant_id: null } },
    ])
    const file = await shop.map('bundle.pdf', 9)
    await shop.scope.query(
      'update files set download_limit = 5 where shop_id = :shop and id = :file',
      { file },
    )
    await shop.give([file], { email: false })
    expect(await shop.filesOf(bundled)).toEqual(['bundle.pdf', 'guide.pdf'])
    const limits = (await shop.deliveryOf(bundled))?.file_list
    expect(limits?.find(({ filename }) => filename === 'bundle.pdf')?.download_limit).toBe(10)
  })

  test.each(
    someOf(
      [
        [false, []],
        [true, ['fulfil']],
      ] as const,
      (_, at) => at < 1,
    ),
  )('with email: %s, the platform sends its mail for %j', async (email, sent) => {
    const shop = await openShop()
    await shop.settings({ delivery_mail: 'platform' })
    await shop.map('guide.pdf', 1)
    const order = await shop.buy([2, 1])
    await shop.change(order, {
      lines: order.lines.map((line, at) => ({ ...line, quantity: at === 1 ? 0 : 1 })),
    })
    await shop.scope.query('delete from order_effects where shop_id = :shop')
    const file = await shop.map('late.pdf', 2)
    await shop.give([file], { email })
    expect(await shop.filesOf(order)).toEqual(['late.pdf'])
    const queued = await shop.scope.query<{ kind: string }>(
      'select kind from order_effects where shop_id = :shop',
    )
    expect(queued.map(({ kind }) => kind).filter((kind) => kind === 'fulfil')).toEqual(sent)
  })

  soakTest(
    'reaches an order whose product had no file, without a mail about the order',
    async () => {
      const shop = await openShop()
      await shop.map('guide.pdf', 1)
      const order = await shop.buy([2, 1])
      await shop.change(order, {
        lines: order.lines.map((line, at) => ({ ...line, quantity: at === 1 ? 0 : 1 })),
      })
      expect(await shop.filesOf(order)).toEqual([])
      const file = await shop.map('late.pdf', 2)
      const mailed = await shop.mails()
      const { id } = await shop.give([file], { email: false })
      expect(await shop.filesOf(order)).toEqual(['late.pdf'])
      expect(await shop.mails()).toEqual(mailed)
      // Nor does the order's next change give back what was undone.
      await shop.undo(id)
      await shop.change(order, {
        lines: order.lines.map((line, at) => ({ ...line, quantity: at === 1 ? 0 : 2 })),
      })
      expect(await shop.filesOf(order)).toEqual([])
      await shop.give([file], { email: false })
      expect(await shop.filesOf(order)).toEqual(['late.pdf'])
    },
  )

  soakTest('is noted when it is added to a pack that was sold', async () => {
    const shop = await openShop()
    await shop.map('guide.pdf', 1)
    const order = await shop.buy([1])
    const about = { product_id: product(1), product_title: '', variant_id: null, sku: null }
    const pack = await shop.scope.transaction((tx) => createPack(tx, 'Course', [about]))
    const file = await shop.map('lesson.pdf')
    const options = { pack: toPublicId('pack', pack) }
    const steps = [{ id: 'move', plugin: 'move-to-pack', options }]
    const move = {
      id: 'move',
      title: 'Move',
      action: 'move-to-pack',
      kind: 'bulk',
      parallel: 1,
    } as const
    await shop.untilEnd(await shop.startOn({ ...move, steps }, { ids: [file] }))
    expect(await listNewFiles(shop.scope)).toMatchObject([{ product_id: product(1), orders: 1 }])
    await shop.give([file])
    expect(await shop.filesOf(order)).toEqual(['guide.pdf', 'lesson.pdf'])
  })

  soakTest('follows the order afterwards', async () => {
    const shop = await openShop()
    await shop.map('guide.pdf', 1)
    const order = await shop.buy([1, 3])
    const file = await shop.map('extra.pdf', 1)
    await shop.give([file])
    await shop.change(order, {
      lines: order.lines.map((line, at) => ({ ...line, quantity: at === 0 ? 0 : 1 })),
    })
    expect(await shop.filesOf(order)).toEqual([])
  })
})

describe('an undo', () => {
  test('withdraws exactly what was added', async () => {
    const shop = await openShop()
    await shop.map('guide.pdf', 1)
    const past = await shop.buy([1])
    const file = await shop.map('extra.pdf', 1)
    const [later, both] = [await shop.buy([1]), await shop.buy([3, 1])]
    const { id } = await shop.give([file])
    expect(await shop.filesOf(past)).toEqual(['extra.pdf', 'guide.pdf'])
    // Another line gives the file to the past buyer too.
    const entitled = await shop.buy([1])
    expect((await shop.undo(id)).operation.status).toBe('success')
    expect(await shop.filesOf(past)).toEqual(['guide.pdf'])
    for (const order of [later, both, entitled])
      expect(await shop.filesOf(order)).toEqual(['extra.pdf', 'guide.pdf'])
    // An event about the order does not give it back; another operation does.
    await shop.change(past, { lines: past.lines.map((line) => ({ ...line, quantity: 2 })) })
    expect(await shop.filesOf(past)).toEqual(['guide.pdf'])
    await shop.give([file])
    expect(await shop.filesOf(past)).toEqual(['extra.pdf', 'guide.pdf'])
  })

  soakTest(
    'a file that is given again has its own terms, not those of the one that was withdrawn',
    async () => {
      const shop = await openShop()
      await shop.map('guide.pdf', 1)
      const past = await shop.buy([1])
      const file = await shop.map('extra.pdf', 1)
      const { id } = await shop.give([file])
      const askOfExtra = async () =>
        (
          await shop.scope.query(
            `select l.ask_for, l.download_limit from links l join files f on f.shop_id = l.shop_id
           and f.id = l.file_id where l.shop_id = :shop and f.filename = 'extra.pdf'`,
          )
        )[0]
      const before = await askOfExtra()
      expect(before).toMatchObject({ ask_for: null })
      await shop.scope.query(
        `update links l set ask_for = 'email', download_limit = 1 from files f where l.shop_id = :shop
       and f.shop_id = l.shop_id and f.id = l.file_id and f.filename = 'extra.pdf'`,
      )
      await shop.undo(id)
      await shop.give([file])
      expect(await shop.filesOf(past)).toEqual(['extra.pdf', 'guide.pdf'])
      expect(await askOfExtra()).toEqual(before)
    },
  )

  soakTest('asks the shop again, as before', async () => {
    const shop = await openShop()
    await shop.map('guide.pdf', 1)
    await shop.buy([1])
    const file = await shop.map('extra.pdf', 1)
    const asked = await listNewFiles(shop.scope)
    expect(asked).toMatchObject([{ orders: 1, files: [{ filename: 'extra.pdf' }] }])
    const { id } = await shop.give([file])
    expect(await listNewFiles(shop.scope)).toEqual([])
    await shop.undo(id)
    expect(await listNewFiles(shop.scope)).toEqual(asked)
  })

  soakTest('leaves a file to which another line entitles the buyer since', async () => {
    const shop = await openShop()
    await shop.map('guide.pdf', 1)
    const order = await shop.buy([1])
    const file = await shop.map('extra.pdf', 1, 2)
    const { id } = await shop.give([file])
    const [line] = order.lines
    await shop.change(order, {
      lines: [
        ...order.lines,
        { ...line!, id: 'gid://shopify/LineItem/77', product_id: product(2) },
      ],
    })
    await shop.undo(id)
    expect(await shop.filesOf(order)).toEqual(['extra.pdf', 'guide.pdf'])
  })
})

describe('what the merchant decided', () => {
  test('stays: a replaced file is not given again, and a held delivery gets nothing', async () => {
    const shop = await openShop()
    const guide = await shop.map('guide.pdf', 1)
    const other = await shop.map('other.pdf')
    const [replaced, held] = [await shop.buy([1]), await shop.buy([1])]
    const { id } = (await shop.deliveryOf(replaced))!
    const asks = () =>
      shop.scope.query(
        `select f.filename, l.ask_for from links l join files f on f.shop_id = l.shop_id
           and f.id = l.file_id where l.shop_id = :shop and l.revoked_at is null
           and l.ask_for is not null order by 1`,
      )
    await shop.scope.query(
      `update links l set ask_for = 'email' from links p where l.shop_id = :shop
         and p.shop_id = l.shop_id and p.id = l.parent_id and p.delivery_id = :id`,
      { id },
    )
    const change = { replace: [{ file_id: guide, with: other }] }
    await changeDelivery(shop.scope, id, change, shop.parts)
    expect(await asks()).toEqual([{ filename: 'other.pdf', ask_for: 'email' }])
    await holdDelivery(shop.scope, (await shop.deliveryOf(held))!.id, shop.parts)
    const file = await shop.map('extra.pdf', 1)
    await shop.give([guide, file], { email: false })
    expect(await shop.filesOf(replaced)).toEqual(['extra.pdf', 'other.pdf'])
    const listed = (await shop.deliveryOf(held))!.file_list.map(({ filename }) => filename)
    expect(listed).toEqual(['guide.pdf'])
  })

  soakTest('limits it to the buyers of one product', async () => {
    const shop = await openShop()
    await shop.map('one.pdf', 1)
    await shop.map('two.pdf', 2)
    const [first, second] = [await shop.buy([1]), await shop.buy([2])]
    const file = await shop.map('extra.pdf', 1, 2)
    await shop.give([file], { product_id: product(2) })
    expect([await shop.filesOf(first), await shop.filesOf(second)]).toEqual([
      ['one.pdf'],
      ['extra.pdf', 'two.pdf'],
    ])
    expect((await listNewFiles(shop.scope)).map(({ product_id }) => product_id)).toEqual([
      product(1),
    ])
  })
})

soakTest('many files for many orders are each given once, by two workers', async () => {
  const shop = await openShop()
  await shop.map('guide.pdf', 1)
  const orders: PlatformOrder[] = []
  for (let n = 0; n < 30; n++) orders.push(await shop.buy([1]))
  const files: string[] = []
  for (let n = 0; n < 10; n++) files.push(await shop.map(`extra-${n}.pdf`, 1))
  const ended = await Promise.all([
    shop.give(files),
    shop.give(files),
    shop.give(files.toReversed()),
  ])
  const given = ended.flatMap(({ items }) => items.map(({ after }) => Number(after?.orders ?? 0)))
  expect(given.reduce((sum, count) => sum + count, 0)).toBe(300)
  const rows = await shop.scope.one<{ rows: number; links: number }>(
    `select (select count(*) from delivery_files where shop_id = :shop)::int as rows,
       (select count(*) from links where shop_id = :shop and parent_id is not null)::int as links`,
  )
  expect(rows).toEqual({ rows: 330, links: 330 })
})

soakDescribe('mails at a rate', () => {
  const due = ({ scope }: Awaited<ReturnType<typeof openShop>>) =>
    scope.query<{ after: number; job: boolean }>(
      `select extract(epoch from due_at - min(due_at) over ())::float8 as after,
         exists (select from graphile_worker._private_jobs j where j.key = 'message:' || o.id
           and j.run_at = o.due_at) as job
       from outbox o where shop_id = :shop and payload ->> 'about' = 'added' order by due_at`,
    )
  test('have their times, over all batches, and an undo drops those that wait', async () => {
    const shop = await openShop()
    await shop.map('guide.pdf', 1, 2)
    const orders = []
    for (let n = 0; n < 3; n++) orders.push(await shop.buy([1]))
    for (let n = 0; n < 2; n++) orders.push(await shop.buy([2]))
    // Batches of the operation: the second one continues where the first one ends.
    const files = [await shop.map('one.pdf', 1), await shop.map('two.pdf', 2)]
    const { id } = await shop.give(files, { mails_per_hour: 60 })
    expect(await shop.filesOf(orders[0]!)).toEqual(['guide.pdf', 'one.pdf'])
    const times = await due(shop)
    expect(times.map(({ after }) => Math.round(after))).toEqual([0, 60, 120, 180, 240])
    expect(times.slice(1).map(({ job }) => job)).toEqual([true, true, true, true])
    await shop.scope.transaction((tx) =>
      queueDeliveryMails(tx, [], { about: 'added', operation: id, perHour: 60 }),
    )
    const progress = await readMailProgress(shop.scope, id)
    expect(progress.total).toBe(5)
    expect(progress.waiting).toBeGreaterThanOrEqual(4)
    // A mail that came back did not arrive; one that was reported as spam did.
    await shop.scope.query(
      `update outbox set status = (array['bounced', 'complained'])[n] from (
         select id, row_number() over (order by due_at desc) as n from outbox
         where shop_id = :shop and operation_id = :id) last
       where outbox.shop_id = :shop and outbox.id = last.id and n <= 2`,
      { id },
    )
    const later = await readMailProgress(shop.scope, id)
    expect(later.sent + later.waiting + later.failed).toBe(5)
    expect(later.failed).toBe(progress.failed + 1)
    // One that another mail replaced is not among them.
    await shop.scope.query(
      `update outbox set status = 'failed', error = :error
       where shop_id = :shop and status = 'bounced'`,
      { error: CORRECTED },
    )
    const replaced = await readMailProgress(shop.scope, id)
    expect([replaced.total, replaced.failed]).toEqual([4, progress.failed])
    await shop.scope.query(
      `update outbox set status = 'waiting'
       where shop_id = :shop and (status = 'complained' or error = :error)`,
      { error: CORRECTED },
    )
    await shop.undo(id)
    const left = await shop.scope.query<{ status: string }>(
      `select status from outbox where shop_id = :shop and payload ->> 'about' = 'added'`,
    )
    expect(left.filter(({ status }) => status === 'waiting')).toEqual([])
    expect(left.length).toBeLessThanOrEqual(1)
  })
})

describe('the shop’s setting', () => {
  const runTask = async (shop: Awaited<ReturnType<typeof openShop>>) => {
    const task = newFilesTask({ database: house.parts.database, engine: shop.engine })
    await task.run({
      shop: shop.shop,
      key: String(shop.shop),
      attempt: 1,
      lease: { number: 1, hold: () => Promise.resolve() },
      signal: new AbortController().signal,
    })
  }
  const lastOperation = async ({ scope, untilEnd }: Awaited<ReturnType<typeof openShop>>) => {
    const [row] = await scope.query<{ id: string }>(
      `select id from operations where shop_id = :shop order by id desc limit 1`,
    )
    return row && untilEnd(row.id)
  }

  test('always gives them without a question', async () => {
    const shop = await openShop()
    await shop.settings({ new_files: 'always', new_files_mail: false })
    await shop.map('guide.pdf', 1)
    const order = await shop.buy([1])
    await shop.map('extra.pdf', 1)
    await runTask(shop)
    expect((await lastOperation(shop))?.operation).toMatchObject({
      status: 'success',
      action: 'give-files',
      done: 1,
    })
    expect(await shop.filesOf(order)).toEqual(['extra.pdf', 'guide.pdf'])
    expect((await shop.mails()).map(({ about }) => about)).toEqual(['order'])
    await runTask(shop)
    expect(await listNewFiles(shop.scope)).toEqual([])
  })

  soakTest('is replaced by that of the product, and this by that of the rule', async () => {
    const shop = await openShop()
    await shop.settings({ new_files: 'never' })
    for (const n of [1, 2, 3]) await shop.map(`guide-${n}.pdf`, n)
    const orders = [await shop.buy([1]), await shop.buy([2]), await shop.buy([3])]
    await chooseForProduct(shop.scope, product(1), 'always')
    await chooseForProduct(shop.scope, product(2), 'ask')
    await expect(chooseForProduct(shop.scope, 'unknown', 'ask')).rejects.toThrow()
    for (const n of [1, 2, 3]) await shop.map(`extra-${n}.pdf`, n)
    const ruled = await shop.map('ruled.pdf')
    await shop.mapTo(ruled, 1, { new_files: 'never' })
    await shop.mapTo(ruled, 3, { new_files: 'always' })
    expect((await listNewFiles(shop.scope)).map(({ product_id }) => product_id)).toEqual([
      product(2),
    ])
    await runTask(shop)
    await lastOperation(shop)
    const rows = await shop.scope.query<{ id: string }>(
      'select id from operations where shop_id = :shop',
    )
    for (const { id } of rows) await shop.untilEnd(id)
    expect(await Promise.all(orders.map((one) => shop.filesOf(one)))).toEqual([
      ['extra-1.pdf', 'guide-1.pdf'],
      ['guide-2.pdf'],
      ['guide-3.pdf', 'ruled.pdf'],
    ])
    await chooseForProduct(shop.scope, product(2), null)
    expect(await listProductChoices(shop.scope)).toMatchObject([
      { product_id: product(1), new_files: 'always' },
    ])
    await runTask(shop)
    expect(await shop.scope.query('select from new_files where shop_id = :shop')).toEqual([])
  })

  soakTest('never notes none', async () => {
    const shop = await openShop()
    await shop.settings({ new_files: 'never' })
    await shop.map('guide.pdf', 1)
    await shop.buy([1])
    await shop.map('extra.pdf', 1)
    expect(await listNewFiles(shop.scope)).toEqual([])
    await runTask(shop)
    expect(await lastOperation(shop)).toBeUndefined()
  })
})
