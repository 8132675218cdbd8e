import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { DEMO_SHOP } from '../../demo/app.ts'
import { signToken } from '../../demo/jwt.ts'
import { customerOf } from '../../demo/orders/shop.ts'
import { signSessionToken } from '../../demo/session-token.ts'
import { demoCredentials } from '../../startup/ports.ts'
import { ACCOUNT_PATH } from './account.ts'

const ADA = 'ada@example.com'

let app: TestApp
let platform: ReturnType<typeof demoCredentials>
beforeAll(async () => {
  app = await openTestApp()
  platform = demoCredentials(app.engine.parts.secrets)
  const session = signSessionToken({ ...platform, shopDomain: DEMO_SHOP.domain })
  // The first page of the admin gets the app its token.
  await fetch(`${app.url}/api/shop`, { headers: { authorization: `Bearer ${session}` } })
  const answer = await fetch(`${app.shopFrontUrl}/demo/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ADA, lines: [{ sku: 'EB-001', quantity: 1 }] }),
  })
  expect(answer.status).toBe(201)
})
afterAll(() => app.close())

const customer = (email: string) => `gid://shopify/Customer/${customerOf(email)}`

function tokenOf(sub: string | undefined, dest = DEMO_SHOP.domain): string {
  const now = Math.floor(Date.now() / 1000)
  const times = { nbf: now, iat: now, exp: now + 300 }
  const claims = { dest, aud: platform.apiKey, ...times, ...(sub === undefined ? {} : { sub }) }
  return signToken(claims, platform.apiSecret)
}

async function ask(token: string) {
  const response = await fetch(app.url + ACCOUNT_PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  const body = (await response.json()) as { status?: string; url?: string }
  return {
    status: response.status,
    body,
    origin: response.headers.get('access-control-allow-origin'),
  }
}

test('a customer opens the library of the address that the platform confirms', async () => {
  const { body, origin } = await ask(tokenOf(customer(ADA)))
  expect(origin).toBe('*')
  expect(body).toEqual({
    status: 'open',
    url: expect.stringMatching(/\/library\?key=[\w-]{43}$/),
  })
  const { pathname, search } = new URL(body.url!)
  expect((await fetch(app.url + pathname + search)).status).toBe(200)
  // A key that was mailed is not ended by it.
  const [key] = await app.demo.scope.query(
    `select email, expires_at < now() + interval '2 hours' as short, pending from library_keys
     where shop_id = :shop`,
  )
  expect(key).toEqual({ email: ADA, short: true, pending: false })
})

test('guests and customers whose address is not known get the page that sends a mail', async () => {
  const form = {
    status: 'request',
    url: `http://127.0.0.1/library?shop=${DEMO_SHOP.domain}`,
  }
  expect((await ask(tokenOf(undefined))).body).toEqual(form)
  expect((await ask(tokenOf(customer('eve@example.com')))).body).toEqual(form)
})

test('a shop that offers no libraries says so, and other tokens are refused', async () => {
  await app.demo.call('PATCH', '/api/settings/buyer-page', { library: false })
  const asked = async () => (await ask(tokenOf(undefined))).body
  await expect.poll(asked, { interval: 500 }).toEqual({ status: 'off' })
  expect((await ask(tokenOf(customer(ADA), 'other.myshopify.com'))).status).toBe(401)
  const admin = signSessionToken({ ...platform, shopDomain: DEMO_SHOP.domain })
  expect((await ask(admin)).status).toBe(401)
  expect((await fetch(app.url + ACCOUNT_PATH)).status).toBe(405)
})
