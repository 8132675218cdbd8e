// Orders: 100 a second, each reported by webhooks of which a fifth is delivered twice, while
// workers are killed. Measures the time from the purchase until the mail server has accepted the
// mail. Then the ZIP file of 50 files compared with one file of the same size, and a large library with
// a small one.
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { openDatabase } from '../../server/core/db/database.ts'
import { forShop, type ShopScope } from '../../server/core/db/for-shop.ts'
import { admitFiles } from '../../server/files/admit.ts'
import { draftFrom } from '../../server/files/drafts.ts'
import { createLinks } from '../../server/features/links/model/creation.ts'
import { addMappings } from '../../server/files/mappings.ts'
import { shopSettingsSchema } from '../../server/files/shop-settings.ts'
import { createLogger } from '../../server/core/log.ts'
import { createSecrets } from '../../server/core/secrets.ts'
import { createDiskStore } from '../../server/core/store/disk.ts'
import { startClusterWithPostgres, type Cluster, type Worker } from '../flows/cluster.ts'
import { startMailFake, type MailFake } from '../fakes/smtp.ts'
import { compare, median, type Bench, type Context, type Row } from './bench.ts'
import { libraryRow } from './library.ts'

const A_SECOND = Number(process.env.BENCH_RATE ?? 100)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60)
/** `orders`, `zip` or `library` runs only that part. */
const PART = process.env.BENCH_PART ?? ''
const WAIT_MS = 180_000
const SKU = 'EB-001'
const ZIP_FILES = 50
const ZIP_FILE_BYTES = 20 * 1024 ** 2
const MB = 1024 ** 2

export const ordersBench: Bench = {
  name: 'orders',
  run: async (context) => {
    const mail = await startMailFake()
    const cluster = await startClusterWithPostgres({
      SMTP_URL: mail.url,
      // The platform's rate limit is raised, because it is not what is measured.
      DEMO_POINTS: '10000000/1000000',
    })
    try {
      return await measure(cluster, mail, context)
    } finally {
      await cluster.close()
      await mail.close()
    }
  },
}

async function measure(cluster: Cluster, mail: MailFake, context: Context): Promise<Row[]> {
  const web = await cluster.startWeb()
  const workers = [await cluster.startWorker('one'), await cluster.startWorker('two')]
  const database = openDatabase(
    cluster.url,
    4,
    createLogger('error', () => {}),
  )
  try {
    const { rows } = await database.pool.query<{ id: number }>('select id from shops')
    const scope = forShop(database, rows[0]!.id)
    await sell(scope, cluster.dataDir)
    const library = {
      scope,
      url: web.url,
      addFile: async (name: string, bytes: Buffer, product: string) =>
        mapTo(scope, await addFile(scope, cluster.dataDir, name, [bytes]), product),
    }
    const libraries = PART === '' || PART === 'library' ? [await libraryRow(library, context)] : []
    if (PART === 'library') return libraries
    const zip = PART === 'orders' ? [] : [await zipRow(scope, cluster.dataDir, web.url, context)]
    if (PART === 'zip') return zip
    const orders = await buyAndWait(web.url, workers, cluster, mail, context)
    await check(scope, orders.bought, mail)
    return [...orders.rows, ...zip, ...libraries]
  } finally {
    await database.close()
    for (const worker of workers) await worker.stop()
    await web.stop()
  }
}

async function addFile(scope: ShopScope, dataDir: string, filename: string, bytes: Buffer[]) {
  const store = createDiskStore({ folder: path.join(dataDir, 'files') })
  const written = await store.write(scope.shop, bytes as never)
  const draft = { ...draftFrom({ filename }, shopSettingsSchema.parse({})), download_limit: null }
  const staged = { ...written, location: 'primary', content_type: null }
  const [admitted] = await scope.transaction((tx) =>
    admitFiles(tx, [{ draft, staged, onConflict: 'error', channel: 'api' }], { file_bytes: 2e9 }),
  )
  if (admitted!.status !== 'created') throw new Error(JSON.stringify(admitted))
  return admitted!.fileId
}

/** Attaches one file to the product that is bought. */
export async function sell(scope: ShopScope, dataDir: string): Promise<void> {
  const product = await productOf(scope)
  await mapTo(scope, await addFile(scope, dataDir, 'guide.pdf', [randomBytes(1000)]), product)
}

async function productOf(scope: ShopScope): Promise<string> {
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await delay(200)) {
    const [row] = await scope.query<{ product_id: string }>(
      'select product_id from variants where shop_id = :shop and sku = :sku',
      { sku: SKU },
    )
    if (row) return row.product_id
  }
  throw new Error('The catalog was not mirrored')
}

const mapTo = (scope: ShopScope, fileId: string, product_id: string) =>
  addMappings(scope, [
    {
      fileId,
      mapping: {
        product_id,
        product_title: '',
        variant_id: null,
        sku: null,
        score: 1,
        reason: '',
        method: 'manual',
      },
    },
  ])

async function buyAndWait(
  url: string,
  workers: Worker[],
  cluster: Cluster,
  mail: MailFake,
  { say }: Context,
): Promise<{ rows: Row[]; bought: number }> {
  const count = A_SECOND * SECONDS
  const boughtAt = new Map<string, number>()
  const took: number[] = []
  const arrived = new Set<string>()
  let read = 0
  mail.onAccepted = () => {
    for (; read < mail.mails.length; read++) {
      const [to] = mail.mails[read]!.to
      const at = to === undefined ? undefined : boughtAt.get(to)
      if (at === undefined || arrived.has(to!)) continue
      arrived.add(to!)
      took.push(performance.now() - at)
    }
  }
  const agent = new Agent({ connections: 32 })
  const begun = performance.now()
  const sending: Promise<unknown>[] = []
  for (let number = 0; number < count; number++) {
    const due = begun + (number * 1000) / A_SECOND
    if (due > performance.now()) await delay(due - performance.now())
    const email = `buyer-${number}@example.com`
    boughtAt.set(email, performance.now())
    sending.push(buy(agent, url, email))
    if (number === Math.floor(count / 3) || number === Math.floor((2 * count) / 3))
      sending.push(killOne(workers, cluster, say))
  }
  await Promise.all(sending)
  say(`${count} orders in ${Math.round((performance.now() - begun) / 1000)} s`)
  for (const until = Date.now() + WAIT_MS; arrived.size < count && Date.now() < until;)
    await delay(100)
  await agent.close()
  say(`${arrived.size} mails; the slowest took ${Math.round(Math.max(...took))} ms`)
  const sorted = took.toSorted((a, b) => a - b)
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Infinity
  const row = (what: string, ours: number, most: number): Row => ({
    what,
    ours,
    theirs: most,
    unit: 'ms',
    ratio: ours / most,
    ceiling: 1,
  })
  return {
    rows: [
      row('purchase to mail, median', median(took), 2000),
      row('purchase to mail, 99th percentile', p99, 5000),
    ],
    bought: count,
  }
}

async function buy(dispatcher: Agent, url: string, email: string): Promise<void> {
  const { statusCode, body } = await request(`${url}/demo/orders`, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, lines: [{ sku: SKU, quantity: 1 }] }),
  })
  const text = await body.text()
  if (statusCode !== 201) throw new Error(`The purchase was answered with ${statusCode}: ${text}`)
}

/** Kills one worker with `kill -9` and starts another one. */
async function killOne(workers: Worker[], cluster: Cluster, say: (text: string) => void) {
  const worker = workers.shift()!
  await worker.kill()
  say(`killed worker ${worker.name}`)
  workers.push(await cluster.startWorker(`${worker.name}-again`))
}

/**
 * No mail may be missing or sent twice. A mail that a killed worker may or may not have sent is
 * reported as unknown.
 */
async function check(scope: ShopScope, bought: number, mail: MailFake): Promise<void> {
  const [found] = await scope.query<{ deliveries: number; mails: number; unknown: number }>(
    `select count(distinct d.id) as deliveries, count(m.id) as mails,
       count(m.id) filter (where m.status <> 'sent') as unknown
     from orders o left join deliveries d on d.shop_id = o.shop_id and d.order_id = o.id
     left join outbox m on m.shop_id = d.shop_id and m.payload ->> 'delivery' = d.id::text
     where o.shop_id = :shop and o.email like 'buyer-%'`,
  )
  const addresses = mail.mails.map(({ to }) => to[0]).filter((to) => to?.startsWith('buyer-'))
  const twice = addresses.length - new Set(addresses).size
  const { deliveries, mails, unknown } = found!
  if (deliveries !== bought || mails !== bought || twice > 0)
    throw new Error(`Of ${bought} orders: ${deliveries} deliveries, ${mails} mails, ${twice} twice`)
  if (new Set(addresses).size + unknown < bought)
    throw new Error(`Mails are missing: ${addresses.length} of ${bought}, ${unknown} unknown`)
}

async function zipRow(
  scope: ShopScope,
  dataDir: string,
  url: string,
  { rounds, say }: Context,
): Promise<Row> {
  say('writing 2 GB of files')
  const secrets = createSecrets('a secret for this test alone, long enough')
  const piece = () => randomBytes(ZIP_FILE_BYTES)
  const product = 'gid://shopify/Product/1'
  const ids: string[] = []
  for (let at = 0; at < ZIP_FILES; at++) {
    const id = await addFile(scope, dataDir, `part-${at}.bin`, [piece()])
    await mapTo(scope, id, product)
    ids.push(id)
  }
  const whole = await addFile(scope, dataDir, 'whole.bin', Array.from({ length: ZIP_FILES }, piece))
  const { reconcileOrder } = await import('../../server/features/orders/reconcile.ts')
  const { paidOrder } = await import('../orders.ts')
  const order = paidOrder({ id: 'gid://shopify/Order/99999999', products: [product] })
  await reconcileOrder(scope, order, { secrets, now: new Date() })
  const [page] = await scope.query<{ id: string }>(
    `select l.id from links l join deliveries d on d.shop_id = l.shop_id and d.id = l.delivery_id
     where l.shop_id = :shop and d.order_id = :order`,
    { order: order.id },
  )
  const [link] = await createLinks(scope, secrets, { file_ids: [whole] }, new Date())
  const zip = `${url}/download?key=${secrets.linkKey(page!.id, 0)}&all=1`
  const file = `${url}/download?key=${link!.key}`
  // The first request computes the checksums.
  await fetchAll(zip)
  const [ours, theirs]: number[][] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ours!.push(await fetchAll(zip))
    theirs!.push(await fetchAll(file))
  }
  return compare('ZIP of 50 × 20 MB compared with one file', 'MB/s', ours!, theirs!, { floor: 0.8 })
}

/** MB per second. */
async function fetchAll(url: string): Promise<number> {
  const begun = performance.now()
  const { statusCode, headers, body } = await request(url)
  let bytes = 0
  for await (const chunk of body) bytes += (chunk as Buffer).length
  if (statusCode !== 200 || bytes !== Number(headers['content-length']))
    throw new Error(`${url} was answered ${statusCode} with ${bytes} bytes`)
  return bytes / MB / ((performance.now() - begun) / 1000)
}
