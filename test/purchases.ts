// Purchases in the stand-in's shop front. The test runs the tasks that deliver them: no webhook
// arrives, because nothing listens at the stand-in's webhook address.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { addMappings } from '../server/files/mappings.ts'
import type { TwilioAccount } from '../server/core/configuration/environment.ts'
import type { ShopScope } from '../server/core/db/for-shop.ts'
import { forShop } from '../server/core/db/for-shop.ts'
import type { BackgroundTask } from '../server/core/queue/background.ts'
import { openOutbox, type Outbox, type OutboxOptions } from '../server/startup/outbox.ts'
import {
  listDeliveries,
  readDelivery,
  type DeliveryDetail,
} from '../server/features/orders/deliveries.ts'
import { effectTask } from '../server/features/orders/effects.ts'
import { reconcileTask, syncTask } from '../server/features/orders/tasks.ts'
import { createSecrets } from '../server/core/secrets.ts'
import type { DemoOrder } from '../server/demo/orders/order.ts'
import { databaseOrders } from '../server/demo/orders/store.ts'
import { startDemoStorefront } from '../server/demo/listener.ts'
import { signSessionToken } from '../server/demo/session-token.ts'
import { createDemoTransport } from '../server/demo/transport.ts'
import { createStorefront } from '../server/storefront/platform.ts'
import { openTestWorker } from './background.ts'
import { createTestShop, openTestDatabase, silent } from './database.ts'

export interface Buyer {
  email: string | null
  phone?: string
  name?: string
  locale?: string
}

export interface Purchases {
  database: Awaited<ReturnType<typeof openTestDatabase>>
  scope: ShopScope
  secrets: ReturnType<typeof createSecrets>
  /** The webhooks that the stand-in sent and that were not received. */
  withheld: string[]
  /**
   * Buys one unit, or one line of one unit for each location that ships; returns the order's id.
   */
  buy(buyer: Buyer, locations?: readonly number[]): Promise<string>
  /** The order on the platform. */
  order(id: string): Promise<DemoOrder>
  /** Changes the order on the platform. */
  change(id: string, change: (order: DemoOrder) => void): Promise<void>
  delivery(order: string): Promise<DeliveryDetail | null>
  /** Runs every due job of a task, as another worker would. */
  run(task: 'sync' | 'reconcile' | 'effects' | 'mails'): Promise<void>
  /** Delivers every waiting text message once. */
  sendTexts(): Promise<void>
  close(): Promise<void>
}

const DOMAIN = 'harbour.myshopify.com'
const CREDENTIALS = { apiKey: 'the-key', apiSecret: 'the secret of the app, 32 characters' }
const SKU = 'EB-001'

/**
 * @param smtpUrl the mail server's URL; null: none.
 * @param twilio the account for text messages; null: none.
 */
export async function openPurchases(
  smtpUrl: string | null,
  twilio: TwilioAccount | null = null,
): Promise<Purchases> {
  const database = await openTestDatabase()
  const shop = await createTestShop(database, DOMAIN)
  const scope = forShop(database, shop)
  const secrets = createSecrets('the secret of the tests, long enough')
  const refusing = await refuseWebhooks()
  const demo = await startDemoStorefront({
    catalog: null,
    bucket: 1_000_000,
    restore: 100_000,
    log: silent,
    ...CREDENTIALS,
    shop: { domain: DOMAIN, name: 'Harbour Books', email: 'owner@harbour.example' },
    orders: databaseOrders(database, shop),
    appAddress: refusing.url,
  })
  const { transport, close } = createDemoTransport(demo.url)
  const storefront = createStorefront({
    database,
    secrets,
    log: silent,
    platform: CREDENTIALS,
    transport,
    firstBackoffMs: 5,
    appUrl: 'https://files.example.com',
  })
  await storefront.ensureAccess(shop, signSessionToken(demo.app))
  const outbox = openTestOutbox(database, secrets, { smtpUrl, twilio })
  const parts = { database, storefront, secrets, clock: () => new Date(), log: silent }
  const tasks: Record<Parameters<Purchases['run']>[0], BackgroundTask> = {
    sync: syncTask(parts),
    reconcile: reconcileTask(parts),
    effects: effectTask({ ...parts, baseUrl: 'https://files.example.com', gatherMs: 0 }),
    mails: outbox.tasks.find(({ name }) => name === 'send-mails')!,
  }
  const worker = await openTestWorker(database, Object.values(tasks))
  const post = async (route: string, body: object): Promise<{ order_id: string }> => {
    const answer = await fetch(demo.url + route, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.status !== 201) throw new Error(await answer.text())
    return (await answer.json()) as { order_id: string }
  }
  const purchases: Purchases = {
    database,
    scope,
    secrets,
    withheld: refusing.topics,
    buy: async (buyer, locations = [0]) => {
      const lines = locations.map((location) => ({ sku: SKU, quantity: 1, location }))
      return (await post('/demo/orders', { ...buyer, lines })).order_id
    },
    order: async (id) => {
      const [found] = await databaseOrders(database, shop).get([Number(id.split('/').pop())])
      return found!
    },
    change: async (id, change) => {
      await databaseOrders(database, shop).change(Number(id.split('/').pop()), change)
    },
    delivery: async (order) => {
      const [found] = await listDeliveries(scope, { order, limit: 1 })
      return found ? readDelivery(scope, found.id, new Date()) : null
    },
    run: (task) => worker.runWanted(tasks[task]),
    sendTexts: async () => {
      const waiting = await scope.query<{ id: string }>(
        `select id from outbox where shop_id = :shop and kind = 'sms' and status = 'waiting'
         order by id`,
      )
      for (const { id } of waiting) await outbox.deliver({ shop, message: id })
    },
    close: async () => {
      await outbox.close()
      await storefront.close()
      await close()
      await demo.close()
      await refusing.close()
      await database.drop()
    },
  }
  await attachFile(purchases)
  return purchases
}

const openTestOutbox = (
  database: Awaited<ReturnType<typeof openTestDatabase>>,
  secrets: Purchases['secrets'],
  servers: Pick<OutboxOptions, 'smtpUrl' | 'twilio'>,
): Outbox =>
  openOutbox({
    database,
    ...servers,
    secrets,
    log: silent,
    clock: () => new Date(),
    from: 'Stevedore <files@example.com>',
    baseUrl: 'https://files.example.com',
    client: { post: () => Promise.reject(new Error('no callback in this test')) },
    operationRecord: () => Promise.resolve({}),
  })

/** Answers every webhook with 503, as an app does that cannot store it. */
async function refuseWebhooks() {
  const topics: string[] = []
  const server = createServer((request: IncomingMessage, response) => {
    topics.push(String(request.headers['x-shopify-topic']))
    request.resume()
    response.writeHead(503).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    topics,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Attaches one file to the product that is bought. */
async function attachFile({ scope, buy, order }: Purchases): Promise<void> {
  const { lines } = await order(await buy({ email: 'first@example.com' }))
  await scope.query('delete from demo_orders where shop_id = :shop')
  await fileProduct(scope, lines[0]!.productId, 'guide.pdf')
}

/** Attaches a file to the product. All of these files have the same bytes. */
export async function fileProduct(scope: ShopScope, product: number, name: string): Promise<void> {
  const about = { size_bytes: 10, content_type: 'application/pdf' }
  const hash = Buffer.alloc(32, 1)
  const file = { filename: name, name_key: name, extension: 'pdf', channel: 'api' }
  const fileId = await scope.transaction(async (tx) => {
    await tx.insert('blobs', { hash, size_bytes: 10 }).onConflict().ignore()
    await tx.insert('blob_locations', { hash, location: 'primary' }).onConflict().ignore()
    const [row] = (await tx
      .insert('files', { ...file, ...about, mapping_state: 'mapped' })
      .returning('id')) as [{ id: string }]
    await tx.insert('versions', {
      file_id: row.id,
      number: 1,
      hash,
      location: 'primary',
      ...about,
    })
    return row.id
  })
  const product_id = `gid://shopify/Product/${product}`
  const mapping = { product_title: '', variant_id: null, sku: null, score: 1, reason: '' }
  await addMappings(scope, [{ fileId, mapping: { ...mapping, product_id, method: 'manual' } }])
}
