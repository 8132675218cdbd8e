// Fifty concurrent orders take licence keys, of a list that the merchant filled and of one that generates
// them, while both workers are killed. No key is given twice, and each buyer has one of each.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOrigin } from '../fakes/origin.ts'
import { startCluster, type Cluster, type Worker } from './cluster.ts'
import { importUntilEnd } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import { readDemo, type RunningServer } from './server.ts'

const ORDERS = 50
const KEYS = ORDERS + 10

let cluster: Cluster
let web: RunningServer
let origin: Awaited<ReturnType<typeof startOrigin>>
let workers: Worker[] = []
let front: string

beforeAll(async () => {
  ;[cluster, origin] = await Promise.all([startCluster(), startOrigin()])
  const { url, dataDir } = cluster
  web = await startLocalServer({ DATABASE_URL: url, DATA_DIR: dataDir, ROLE: 'web' })
  front = (await readDemo(dataDir)).storefront.url
  workers = await Promise.all(['one', 'two'].map((name) => cluster.startWorker(name)))
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await web.stop()
  await origin.close()
  await cluster.close()
})

const api = async <Answer>(method: string, route: string, body?: object): Promise<Answer> => {
  const response = await web.call(method, route, body)
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`)
  return JSON.parse(text) as Answer
}
const make = async (route: string, body: object) =>
  (await api<{ id: string }>('POST', route, body)).id

/** Keys that buyers have now. */
const given = async (): Promise<number> => {
  const { rows } = await cluster.pool.query<{ keys: number }>(
    'select count(*)::int as keys from licence_keys where delivery_id is not null',
  )
  return rows[0]!.keys
}

async function buy(number: number): Promise<void> {
  const answer = await fetch(`${front}/demo/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: `buyer-${number}@example.com`,
      lines: [{ sku: 'EB-001', quantity: 1 }],
    }),
  })
  expect(answer.status).toBe(201)
}

/** Kills a worker once so many keys were given, and starts another one. */
async function killAfter(keys: number, name: string): Promise<void> {
  await expect.poll(given).toBeGreaterThanOrEqual(keys)
  await workers.shift()!.kill()
  workers.push(await cluster.startWorker(name))
}

async function sellWithKeys(): Promise<{ filled: string; generated: string }> {
  const filled = await make('/api/licence-lists', { name: 'Filled' })
  const generated = await make('/api/licence-lists', {
    name: 'Generated',
    generate: { pattern: 'XXXXX-XXXXX-XXXXX', prefix: 'ED-', checksum: true },
  })
  const keys = Array.from({ length: KEYS }, (_, at) => `FILLED-${1000 + at}`).join('\n')
  const added = await fetch(`${web.url}/api/licence-lists/${filled}/keys`, {
    method: 'POST',
    body: keys,
    headers: { authorization: `Bearer ${web.apiKey}`, 'content-type': 'text/plain' },
  })
  expect(added.status).toBe(200)
  const steps = [filled, generated].map((list) => ({
    plugin: 'assign-licence-key',
    options: { list },
  }))
  const workflow = await make('/api/workflows', { name: 'Keys', kind: 'delivery', steps })
  await api('PATCH', '/api/settings', { delivery_workflow: workflow })
  const { files } = await importUntilEnd(web, {
    files: [{ filename: 'editor.pdf', url: `${origin.url}/bytes/1000/e`, product_sku: 'EB-001' }],
  })
  expect(files[0]).toMatchObject({ status: 'imported', product_mapped: true })
  return { filled, generated }
}

test('no key is given twice under 50 concurrent orders and two kills', async () => {
  const { filled, generated } = await sellWithKeys()
  const kills = killAfter(5, 'three').then(() => killAfter(ORDERS, 'four'))
  await Promise.all(Array.from({ length: ORDERS }, (_, at) => buy(at)))
  await kills
  const ready = async () =>
    (await api<{ data: unknown[] }>('GET', '/api/deliveries?status=ready&limit=250')).data.length
  await expect.poll(ready).toBe(ORDERS)

  const { rows } = await cluster.pool.query<{ list: string; buyers: number; keys: number }>(
    `select l.name as list, count(distinct k.delivery_id)::int as buyers, count(*)::int as keys,
       count(distinct k.hash)::int as different
     from licence_keys k join licence_lists l on l.shop_id = k.shop_id and l.id = k.list_id
     where k.delivery_id is not null group by l.name order by l.name`,
  )
  const each = { buyers: ORDERS, keys: ORDERS, different: ORDERS }
  expect(rows).toEqual([
    { list: 'Filled', ...each },
    { list: 'Generated', ...each },
  ])
  // A killed run leaves no key that nobody has.
  expect(await api('GET', `/api/licence-lists/${filled}`)).toMatchObject({
    left: KEYS - ORDERS,
    given: ORDERS,
  })
  expect(await api('GET', `/api/licence-lists/${generated}`)).toMatchObject({ given: ORDERS })
})
