import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silent } from '../../test/database.ts'
import { promisedMs, soakTest, someOf } from '../../test/scale.ts'
import { verifyBuyerToken } from '../storefront/buyer-token.ts'
import type { Transport } from '../storefront/operations.ts'
import { startDemoStorefront, type DemoOptions, type DemoStorefront } from './listener.ts'
import { DEMO_SCOPES } from './oauth.ts'
import { signSessionToken } from './session-token.ts'
import { createDemoTransport } from './transport.ts'

const CREDENTIALS = { apiKey: 'the-key', apiSecret: 'the secret of the app, 32 characters' }
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const OFFLINE = 'urn:shopify:params:oauth:token-type:offline-access-token'
type Json = Record<string, any> // oxlint-disable-line typescript/no-explicit-any

let demo: DemoStorefront
let client: Client
const closers: (() => Promise<void>)[] = []
beforeAll(async () => {
  client = await start({ bucket: 1_000_000 })
  demo = client.demo
})
afterAll(async () => {
  for (const close of closers) await close()
})

interface Client {
  demo: DemoStorefront
  transport: Transport
  post(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: Json }>
  exchange(over?: Json): Promise<{ status: number; body: Json }>
  query(query: string, variables?: Json): Promise<Json>
}

async function start(options: Partial<DemoOptions>): Promise<Client> {
  const demo = await startDemoStorefront({
    catalog: null,
    bucket: 2000,
    restore: 100,
    log: silent,
    ...CREDENTIALS,
    ...options,
  })
  const { transport, close } = createDemoTransport(demo.url)
  closers.push(async () => {
    await close()
    await demo.close()
  })
  const post: Client['post'] = async (where, body, headers = {}) => {
    const answer = await transport(`https://${demo.shop.domain}${where}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
    return { status: answer.status, body: (await answer.json()) as Json }
  }
  const exchange: Client['exchange'] = (over = {}) =>
    post('/admin/oauth/access_token', {
      client_id: CREDENTIALS.apiKey,
      client_secret: CREDENTIALS.apiSecret,
      grant_type: EXCHANGE,
      subject_token: signSessionToken(demo.app),
      requested_token_type: OFFLINE,
      expiring: '1',
      ...over,
    })
  const { access_token: token } = (await exchange()).body
  const query: Client['query'] = async (text, variables) =>
    (
      await post(
        '/admin/api/2026-10/graphql.json',
        { query: text, variables },
        { 'x-shopify-access-token': token },
      )
    ).body
  return { demo, transport, post, exchange, query }
}

/** Asks the shop front for this. */
const front = async ({ demo }: Client, method: string, path: string) => {
  const answer = await fetch(`${demo.url}${path}`, { method })
  return { status: answer.status, body: (await answer.json().catch(() => null)) as Json }
}

describe('the app', () => {
  test('gets no tokens while it is uninstalled, and those from before stay refused', async () => {
    const own = await start({ bucket: 1000 })
    expect(await own.query('{ shop { name } }')).toHaveProperty('data')
    const { refresh_token } = (await own.exchange()).body
    expect((await front(own, 'POST', '/demo/uninstall')).body).toEqual({ installed: false })
    expect((await own.exchange()).body.error).toBe('invalid_subject_token')
    const refresh = { grant_type: 'refresh_token', refresh_token }
    expect((await own.exchange(refresh)).body.error).toBe('invalid_grant')
    expect((await front(own, 'POST', '/demo/install')).body).toEqual({ installed: true })
    expect((await own.exchange(refresh)).body.error).toBe('invalid_grant')
    expect(await own.query('{ shop { name } }')).not.toHaveProperty('data')
    expect((await own.exchange()).body).toHaveProperty('access_token')
  })

  test('gets tokens of buyers from its extensions: of guests, and of customers', async () => {
    const tokenOf = async (path: string) =>
      verifyBuyerToken(
        String((await front(client, 'GET', path)).body.token),
        CREDENTIALS,
        new Date(),
      )
    expect(await tokenOf('/demo/buyer-token')).toEqual({
      shopDomain: demo.shop.domain,
      customer: null,
    })
    const customer = 'gid://shopify/Customer/42'
    expect(await tokenOf('/demo/buyer-token?customer=42')).toMatchObject({ customer })
    expect((await front(client, 'POST', '/demo/buyer-token')).status).toBe(405)
    const foreign = { headers: { origin: 'https://other.example' } }
    expect((await fetch(`${demo.url}/demo/buyer-token`, foreign)).status).toBe(403)
  })
})

describe('tokens', () => {
  test('session tokens may have any header that names HS256', async () => {
    const [, payload = ''] = signSessionToken(demo.app).split('.')
    const signed = (header: object) => {
      const text = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}`
      const mac = createHmac('sha256', demo.app.apiSecret).update(text).digest('base64url')
      return { subject_token: `${text}.${mac}` }
    }
    const typed = await client.exchange(signed({ typ: 'JWT', alg: 'HS256', kid: '1' }))
    expect(typed.status).toBe(200)
    expect((await client.exchange(signed({ alg: 'none' }))).status).toBe(400)
  })
  test('an expiring token has a refresh token, one without an expiry does not', async () => {
    expect((await client.exchange()).body).toMatchObject({
      access_token: expect.stringMatching(/^shpat_/),
      expires_in: 3600,
      refresh_token: expect.any(String),
      refresh_token_expires_in: 7_776_000,
      scope: DEMO_SCOPES.join(','),
    })
    expect(Object.keys((await client.exchange({ expiring: '0' })).body).sort()).toEqual([
      'access_token',
      'scope',
    ])
  })
  test.each<[string, () => Json, string]>([
    ['another secret', () => ({ client_secret: 'x' }), 'invalid_client'],
    ['another grant', () => ({ grant_type: 'password' }), 'unsupported_grant_type'],
    [
      'an old session token',
      () => ({ subject_token: signSessionToken(demo.app, { exp: 1 }) }),
      'invalid_subject_token',
    ],
    [
      'another app’s',
      () => ({ subject_token: signSessionToken(demo.app, { aud: 'x' }) }),
      'invalid_subject_token',
    ],
    [
      'another shop’s',
      () => ({ subject_token: signSessionToken(demo.app, { dest: 'https://x' }) }),
      'invalid_subject_token',
    ],
    [
      'an access token',
      () => ({ grant_type: 'refresh_token', refresh_token: 'shpat_x' }),
      'invalid_grant',
    ],
  ])('%s is refused', async (_, over, error) => {
    expect(await client.exchange(over())).toMatchObject({ status: 400, body: { error } })
  })
  test('a refresh token works until its replacement is used', async () => {
    const refresh = (token: string) =>
      client.exchange({ grant_type: 'refresh_token', refresh_token: token })
    const { refresh_token: first } = (await client.exchange()).body
    const second = (await refresh(first)).body
    const again = (await refresh(first)).body
    expect(again.access_token).not.toBe(second.access_token)
    expect((await refresh(second.refresh_token)).status).toBe(200)
    expect((await refresh(first)).body.error).toBe('invalid_grant')
  })
  test('a request without a valid token is refused', async () => {
    const path = '/admin/api/2026-10/graphql.json'
    const ask = async (token: string) =>
      (await client.post(path, { query: '{shop{name}}' }, { 'x-shopify-access-token': token }))
        .status
    const short = await start({ accessSeconds: -1 })
    const { access_token: old, refresh_token: other } = (await short.exchange()).body
    const { access_token: good } = (await client.exchange()).body
    expect(await Promise.all(['', 'x', old, other, good.slice(0, -2), good].map(ask))).toEqual([
      401, 401, 401, 401, 401, 200,
    ])
  })
  test('another shop, path or method is not found', async () => {
    expect(
      (
        await client.transport('https://other.myshopify.com/admin/oauth/access_token', {
          method: 'POST',
        })
      ).status,
    ).toBe(404)
    expect(
      (await client.transport(`https://${demo.shop.domain}/admin/oauth/access_token`, {})).status,
    ).toBe(404)
    expect((await client.post('/admin/api/2020-01/graphql.json', {})).status).toBe(404)
  })
})

describe('Admin GraphQL', () => {
  test('the shop, a product with its variants, and a variant with its product', async () => {
    const { data } = await client.query(`{
      shop { name myshopifyDomain email ianaTimezone currencyCode }
      products(first: 1, query: "title:Ballast*") { nodes { id title handle status vendor productType tags hasOnlyDefaultVariant
        featuredMedia { preview { image { url } } } variantsCount { count } variants(first: 5) { nodes { id title sku position displayName } } } }
    }`)
    expect(data.shop).toEqual({
      name: 'Harbour Press',
      myshopifyDomain: 'harbour-press.myshopify.com',
      email: 'owner@harbour-press.example',
      ianaTimezone: 'Europe/London',
      currencyCode: 'GBP',
    })
    const [product] = data.products.nodes
    expect(product).toMatchObject({
      title: 'Ballast Slab',
      status: 'ACTIVE',
      tags: ['font', 'typeface', 'otf'],
      hasOnlyDefaultVariant: false,
      variantsCount: { count: 3 },
    })
    expect(product.variants.nodes.map((one: Json) => [one.position, one.title])).toEqual([
      [1, 'Desktop'],
      [2, 'Web'],
      [3, 'Desktop + Web'],
    ])
    const again = await client.query(
      `query($p: ID!, $v: ID!) { product(id: $p) { title } productVariant(id: $v) { sku product { id } }
      node(id: $v) { id ... on ProductVariant { title } } wrong: product(id: $v) { id } nodes(ids: [$p, "gid://shopify/Order/1"]) { id } }`,
      { p: product.id, v: product.variants.nodes[1].id },
    )
    expect(again.data).toEqual({
      product: { title: 'Ballast Slab' },
      productVariant: { sku: product.variants.nodes[1].sku, product: { id: product.id } },
      node: { id: product.variants.nodes[1].id, title: 'Web' },
      wrong: null,
      nodes: [{ id: product.id }, null],
    })
  })

  test.each(
    someOf(
      [
        ['', ''],
        [', reverse: true', ''],
        [', sortKey: SKU', ''],
        [', sortKey: TITLE, reverse: true', ', query: "tag:ebook"'],
      ] as const,
      (_, at) => at < 1,
    ),
  )('every variant is listed once, forwards and backwards (%s%s)', async (sort, query) => {
    const collect = async (size: string, cursor: 'after' | 'before') => {
      const ids: string[] = []
      for (let at: string | null = null; ;) {
        const page: Json = (
          await client.query(
            `query($at: String) { productVariants(${size}, ${cursor}: $at${sort}${query}) {
          edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
            { at },
          )
        ).data.productVariants
        const found = page.edges.map((edge: Json) => edge.node.id)
        if (cursor === 'after') ids.push(...found)
        else ids.unshift(...found)
        expect([page.pageInfo.startCursor, page.pageInfo.endCursor]).toEqual([
          page.edges[0].cursor,
          page.edges.at(-1).cursor,
        ])
        if (!(cursor === 'after' ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage))
          return ids
        at = cursor === 'after' ? page.pageInfo.endCursor : page.pageInfo.startCursor
      }
    }
    const forwards = await collect('first: 60', 'after')
    expect(await collect('last: 45', 'before')).toEqual(forwards)
    expect(new Set(forwards).size).toBe(forwards.length)
    if (!query) expect(forwards.length).toBe(demo.size.variants)
  })

  test.each([
    ['{ productVariants { nodes { id } } }', 'you must provide one of first or last'],
    [
      '{ productVariants(first: 1, last: 1) { nodes { id } } }',
      'you must provide one of first or last',
    ],
    ['{ productVariants(first: 251) { nodes { id } } }', 'more than 250'],
    ['{ productVariants(first: 1, after: "x") { nodes { id } } }', 'Invalid cursor'],
    ['{ productVariants(first: 1) { nodes { id nope } } }', 'Cannot query field "nope"'],
    ['{ productVariants(first: ', 'Syntax Error'],
    ['{ product(id: "7") { id } }', 'Invalid global id'],
  ])('%s is refused', async (query, message) => {
    expect((await client.query(query)).errors[0].message).toContain(message)
  })
  test('an input list of more than 250 is refused', async () => {
    const ids = Array.from({ length: 251 }, (_, at) => `gid://shopify/Product/${at}`)
    const { errors } = await client.query('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids,
    })
    expect(errors[0].message).toContain('maximum allowed of 250')
  })
  test('an unknown search field has a warning', async () => {
    const { extensions } = await client.query(
      '{ products(first: 1, query: "colour:red") { nodes { id } } }',
    )
    expect(extensions.search).toEqual([
      {
        path: ['products'],
        query: 'colour:red',
        warnings: [{ field: 'colour', message: expect.any(String), code: 'invalid_field' }],
      },
    ])
  })
})

describe('cost', () => {
  const cost = async (query: string, variables?: Json) =>
    (await client.query(query, variables)).extensions.cost
  test.each<[string, number, number]>([
    ['{ shop { name } }', 1, 1],
    [
      '{ productVariants(first: 250, query: "sku:TIDE-2025") { nodes { id product { id } } pageInfo { endCursor } } }',
      502,
      6,
    ],
    [
      '{ productVariants(first: 10, query: "sku:TIDE-2025") { edges { cursor node { id } } } }',
      12,
      4,
    ],
    ['{ productVariants(first: 10) { pageInfo { hasNextPage } } }', 2, 2],
    [
      '{ products(first: 10, query: "handle:ballast-slab") { nodes { ...P } } } fragment P on Product { variants(first: 5) { nodes { id } } }',
      82,
      8,
    ],
    ['{ product(id: "gid://shopify/Product/1") { id } }', 1, 0],
  ])('%s', async (query, requested, actual) => {
    expect(await cost(query)).toMatchObject({
      requestedQueryCost: requested,
      actualQueryCost: actual,
      throttleStatus: { maximumAvailable: 1_000_000, restoreRate: 100 },
    })
  })
  test('the size may be a variable', async () => {
    expect(
      await cost('query($n: Int!) { productVariants(first: $n) { nodes { id } } }', { n: 7 }),
    ).toMatchObject({
      requestedQueryCost: 9,
      actualQueryCost: 9,
    })
  })
  test('a query of more than 1,000 points is refused', async () => {
    const { errors, data } = await client.query(
      '{ products(first: 250) { nodes { variants(first: 5) { nodes { id } } } } }',
    )
    expect([data, errors[0].extensions]).toEqual([
      undefined,
      { code: 'MAX_COST_EXCEEDED', cost: 2002, maxCost: 1000 },
    ])
  })
  soakTest('an empty bucket refuses, and fills again', async () => {
    const { query } = await start({ bucket: 30, restore: 5 })
    const ask = () => query('{ productVariants(first: 25) { nodes { id } } }')
    expect((await ask()).extensions.cost).toMatchObject({
      requestedQueryCost: 27,
      actualQueryCost: 27,
    })
    const refused = await ask()
    expect(refused.errors).toEqual([{ message: 'Throttled', extensions: { code: 'THROTTLED' } }])
    expect(refused.extensions.cost).toMatchObject({
      requestedQueryCost: 27,
      actualQueryCost: null,
      throttleStatus: { maximumAvailable: 30 },
    })
    await expect.poll(async () => (await ask()).errors).toBeUndefined()
  })
})

soakTest('50,000 variants load in seconds, and 250 SKUs are found among them quickly', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'catalog-'))
  const file = path.join(folder, 'products.csv')
  const rows = Array.from(
    { length: 50_000 },
    (_, at) => `p-${at >> 1},${at % 2 ? '' : `Product ${at}`},Format ${at % 2},SKU-${at}`,
  )
  await writeFile(file, ['Handle,Title,Option1 Value,Variant SKU', ...rows].join('\n'))
  const started = performance.now()
  const { demo: large, query } = await start({ catalog: file })
  expect(large.size).toEqual({ products: 25_000, variants: 50_000 })
  expect(performance.now() - started).toBeLessThan(promisedMs(20_000))
  const text = Array.from({ length: 250 }, (_, at) => `sku:"SKU-${at * 199}"`).join(' OR ')
  const asked = performance.now()
  const { data } = await query(
    'query($q: String!) { productVariants(first: 250, query: $q) { nodes { sku } pageInfo { hasNextPage } } }',
    { q: text },
  )
  expect([data.productVariants.nodes.length, data.productVariants.pageInfo.hasNextPage]).toEqual([
    250,
    false,
  ])
  expect(performance.now() - asked).toBeLessThan(promisedMs(2000))
  await rm(folder, { recursive: true })
})

describe('bulk queries', () => {
  const RUN = `mutation($q: String!) { bulkOperationRunQuery(query: $q) { bulkOperation { id status } userErrors { code message } } }`
  const ASK = `query($id: ID!) { bulkOperation(id: $id) { status objectCount rootObjectCount url errorCode } }`
  const run = async (q: string, on = client) =>
    (await on.query(RUN, { q })).data.bulkOperationRunQuery
  const ended = (id: string, on = client) =>
    expect
      .poll(async () => (await on.query(ASK, { id })).data.bulkOperation)
      .toMatchObject({ status: 'COMPLETED', errorCode: null })
      .then(async () => (await on.query(ASK, { id })).data.bulkOperation as Json)

  soakTest('export every row of nested lists, with the parent of each', async () => {
    const { bulkOperation, userErrors } = await run(
      '{ products { edges { node { id title variants { edges { node { id sku } } } } } } }',
    )
    expect(userErrors).toEqual([])
    const { url, objectCount, rootObjectCount } = await ended(bulkOperation.id)
    const text = await (await client.transport(url, {})).text()
    const rows = text.trim().split('\n').map((line) => JSON.parse(line) as Json) // oxfmt-ignore
    const products = new Set(
      rows.filter((row) => row.__parentId === undefined).map((row) => row.id as string),
    )
    expect([rows.length, products.size]).toEqual([Number(objectCount), Number(rootObjectCount)])
    expect([products.size, rows.length - products.size]).toEqual([
      demo.size.products,
      demo.size.variants,
    ])
    for (const row of rows)
      expect(row.__parentId === undefined || products.has(row.__parentId as string)).toBe(true)
    expect((await client.transport(url.replace(/\w\.jsonl/, '.jsonl'), {})).status).toBe(404)
  })
  soakTest('run one at a time', async () => {
    const both = await Promise.all([1, 2].map(() => run('{ products { edges { node { id } } } }')))
    expect(both.flatMap(({ userErrors }) => userErrors)).toMatchObject([
      { code: 'OPERATION_IN_PROGRESS' },
    ])
    await ended(both.find(({ bulkOperation }) => bulkOperation)!.bulkOperation.id)
  })
  test.each(['{ shop { name } }', '{ products { edges { node { nope } } } }', '{'])(
    '%s is refused',
    async (query) => {
      const { bulkOperation, userErrors } = await run(query)
      expect([bulkOperation, userErrors[0].code]).toEqual([null, 'INVALID'])
    },
  )
  test('an unknown one is not found', async () => {
    expect((await client.query(ASK, { id: 'gid://shopify/BulkOperation/999' })).data).toEqual({
      bulkOperation: null,
    })
  })
})

test('the form of the shop front places draft orders, orders of a till, and phone orders', async () => {
  const place = async (fields: Record<string, string>) => {
    const answer = await fetch(`${demo.url}/demo/orders`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ sku: 'EB-001', email: '', phone: '', quantity: '1', ...fields }),
    })
    const at = answer.headers.get('location')
    if (at === null) return { status: answer.status, text: await answer.text() }
    const order = await fetch(demo.url + at, { headers: { accept: 'text/html' } })
    return { status: answer.status, text: await order.text() }
  }
  const draft = await place({ source: 'shopify_draft_order', financial_status: 'PENDING' })
  expect(draft).toMatchObject({ status: 303, text: expect.stringMatching(/no email.*draft order/) })
  expect(draft.text).toContain('PENDING')
  expect((await place({ source: 'pos' })).text).toMatch(/no email.*point of sale/)
  const phone = await place({ source: 'web', phone: '+4915112345678', guest: 'true' })
  expect(phone.text).toMatch(/\+4915112345678, no email|&#x2B;4915112345678, no email/)
  expect(await place({ source: 'web' })).toMatchObject({
    status: 422,
    text: expect.stringContaining('Enter an email address'),
  })
})
