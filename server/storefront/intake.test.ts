// Webhooks over a real socket: only signed ones are stored, each once, with one job per subject.
import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../test/app.ts'
import { createSecrets } from '../core/secrets.ts'
import { createIntake, isSigned } from './intake.ts'

let app: TestApp
// The secret that demo mode derives from the server's secret.
const secret = createSecrets('the secret of the tests, long enough')
  .derive('demo-platform')
  .toString('hex')
  .slice(32)
const domain = 'harbour.myshopify.com'

beforeAll(async () => void (app = await openTestApp()))
afterAll(() => app.close())

const sign = (body: string, key = secret) => createHmac('sha256', key).update(body).digest('base64')

async function send(
  topic: string,
  content: object | string,
  over: Record<string, string> = {},
): Promise<number> {
  const body = typeof content === 'string' ? content : JSON.stringify(content)
  const headers = {
    'x-shopify-topic': topic,
    'x-shopify-shop-domain': domain,
    'x-shopify-webhook-id': randomUUID(),
    'x-shopify-triggered-at': new Date().toISOString(),
    'x-shopify-hmac-sha256': sign(body),
    ...over,
  }
  return (await fetch(`${app.url}/webhooks`, { method: 'POST', body, headers })).status
}
const changes = () =>
  app.engine.scope.query<{ kind: string; subject: string }>(
    'select kind, subject from platform_changes where shop_id = :shop order by kind, subject',
  )
const jobs = async (task: string) =>
  (
    await app.engine.parts.database.pool.query<{ key: string }>(
      'select key from graphile_worker.jobs where task_identifier = $1 order by key',
      [task],
    )
  ).rows.map(({ key }) => key)

test('a webhook without a valid signature is refused, and stored nowhere', async () => {
  const body = JSON.stringify({ id: 1 })
  for (const signature of ['', 'x', sign(body, 'another secret'), sign(`${body} `)])
    expect(await send('orders/paid', body, { 'x-shopify-hmac-sha256': signature })).toBe(401)
  expect(await changes()).toEqual([])
  expect(isSigned(Buffer.from(body), sign(body, 'before'), ['now', 'before'])).toBe(true)
  expect(isSigned(Buffer.from(body), sign(body, 'older'), ['now', 'before'])).toBe(false)
})

test('a repeated webhook, and several about one order, queue one job', async () => {
  const id = { 'x-shopify-webhook-id': randomUUID() }
  const paid = { id: 1001, admin_graphql_api_id: 'gid://shopify/Order/1001' }
  for (let again = 0; again < 3; again++) expect(await send('orders/paid', paid, id)).toBe(200)
  expect(await send('refunds/create', { id: 5, order_id: 1001 })).toBe(200)
  expect(await send('orders/edited', { order_edit: { order_id: 1001 } })).toBe(200)
  expect(
    await send('orders/risk_assessment_changed', {
      admin_graphql_api_order_id: 'gid://shopify/Order/1001',
    }),
  ).toBe(200)
  expect(await changes()).toEqual([{ kind: 'order', subject: 'gid://shopify/Order/1001' }])
  expect(await jobs('reconcile-orders')).toEqual([`reconcile-orders:${app.engine.shop}`])
  const [stored] = await app.engine.scope.query<{ count: number }>(
    'select count(*) as count from webhooks where shop_id = :shop',
  )
  expect(stored!.count).toBe(4)
})

test('a new order is read if its payment is authorized: other states have topics of their own', async () => {
  const order = (id: number, financial_status: string) =>
    send('orders/create', { id, financial_status })
  expect(await order(2001, 'paid')).toBe(200)
  expect(await order(2002, 'authorized')).toBe(200)
  const subjects = (await changes()).map(({ subject }) => subject)
  expect(subjects).toContain('gid://shopify/Order/2002')
  expect(subjects).not.toContain('gid://shopify/Order/2001')
})

test('ids that a double cannot hold are read exactly', async () => {
  for (const body of ['{"order_id":9007199254740993}', '{ "order_id": 12345678901234567891 }'])
    expect(await send('refunds/create', body)).toBe(200)
  const subjects = (await changes()).map(({ subject }) => subject)
  expect(subjects).toContain('gid://shopify/Order/9007199254740993')
  expect(subjects).toContain('gid://shopify/Order/12345678901234567891')
})

test('two requests to delete a customer are both kept, and no key names the customer', async () => {
  const customer = { id: null, email: 'buyer@example.com', phone: null }
  for (const orders of [[1], [2], [2]])
    expect(await send('customers/redact', { customer, orders_to_redact: orders })).toBe(200)
  const requests = (await changes()).filter(({ kind }) => kind === 'customer-redact')
  expect(requests).toHaveLength(2)
  expect(JSON.stringify(requests)).not.toContain('buyer@')
})

test('an unusable webhook gets a response that prevents useless repeats', async () => {
  const before = await changes()
  expect(await send('orders/paid', 'not JSON')).toBe(400)
  expect(await send('orders/paid', { id: 'x' })).toBe(200)
  expect(await send('unknown/topic', {})).toBe(200)
  expect(await send('orders/paid', { id: 7 }, { 'x-shopify-shop-domain': 'nobody' })).toBe(200)
  expect(await send('orders/paid', { id: 7 }, { 'x-shopify-webhook-id': '' })).toBe(400)
  expect((await fetch(`${app.url}/webhooks`)).status).toBe(405)
  expect(await changes()).toEqual(before)
})

test('an unavailable database gives an error, so that the platform repeats the webhook', async () => {
  const broken = { knex: () => ({ where: () => Promise.reject(new Error('away')) }) } as never
  const log = app.engine.parts.log
  const intake = createIntake(broken, [secret], log)
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => void intake(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const body = JSON.stringify({ id: 1 })
  const answer = await fetch(`http://127.0.0.1:${port}/webhooks`, {
    method: 'POST',
    body,
    headers: {
      'x-shopify-topic': 'orders/paid',
      'x-shopify-webhook-id': '1',
      'x-shopify-hmac-sha256': sign(body),
    },
  })
  server.close()
  expect(answer.status).toBe(503)
})

test('uninstalling stops every link within a second, unless the shop was installed again since', async () => {
  const { scope } = app.owner
  const stranger = await app.stranger('leaving.myshopify.com')
  const at = { 'x-shopify-shop-domain': 'leaving.myshopify.com' }
  const state = async () =>
    (
      await stranger.scope.query<{ gone: boolean }>(
        'select uninstalled_at is not null as gone from shops where id = :shop',
      )
    )[0]!.gone
  const late = { ...at, 'x-shopify-triggered-at': '2020-01-01T00:00:00Z' }
  expect(await send('app/uninstalled', {}, late)).toBe(200)
  expect(await state()).toBe(false)
  expect((await stranger.call('GET', '/api/files')).status).toBe(200)
  expect(await send('app/uninstalled', {}, at)).toBe(200)
  expect(await state()).toBe(true)
  expect((await stranger.call('GET', '/api/files')).status).toBe(401)
  expect(
    (await scope.query('select from shops where id = :shop and uninstalled_at is null')).length,
  ).toBe(1)
})
