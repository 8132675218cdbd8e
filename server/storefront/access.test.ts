// A shop's tokens and profile when the platform, the app's settings or other processes fail.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { createTestShop, openTestDatabase, silent } from '../../test/database.ts'
import { openDatabase, type Database } from '../core/db/database.ts'
import { forShop, findShop } from '../core/db/for-shop.ts'
import { createSecrets } from '../core/secrets.ts'
import { DEMO_SHOP } from '../demo/app.ts'
import { startDemoStorefront, type DemoStorefront } from '../demo/listener.ts'
import { signSessionToken } from '../demo/session-token.ts'
import { createDemoTransport } from '../demo/transport.ts'
import { createStorefront } from './platform.ts'
import type { Storefront } from './storefront.ts'
import type { Transport } from './operations.ts'
import { uninstallShop } from './uninstall.ts'

const CREDENTIALS = { apiKey: 'the-key', apiSecret: 'the secret of the app, 32 characters' }
const SECRET = 'a secret of the tests, long enough'
const never = new AbortController().signal

let database: Awaited<ReturnType<typeof openTestDatabase>>
let demo: DemoStorefront
let stand: ReturnType<typeof createDemoTransport>
let shop: number
/** Answers instead of the demo platform if it returns a response. */
let instead: (url: string, init: RequestInit) => Promise<Response> | undefined
const opened: Storefront[] = []

beforeAll(async () => {
  database = await openTestDatabase()
  demo = await startDemoStorefront({
    ...CREDENTIALS,
    catalog: null,
    bucket: 100_000,
    restore: 1000,
    log: silent,
  })
  stand = createDemoTransport(demo.url)
  shop = await createTestShop(database, DEMO_SHOP.domain)
})
afterEach(async () => {
  for (const storefront of opened.splice(0)) await storefront.close()
  await scope().query('delete from shop_tokens where shop_id = :shop')
  await scope().query(
    `update shops set profile = null, profile_due_at = '-infinity', settings = '{}'
       where id = :shop`,
  )
})
afterAll(async () => {
  await stand.close()
  await demo.close()
  await database.drop()
})

const scope = () => forShop(database, shop)
const isTokens = (url: string) => url.endsWith('/admin/oauth/access_token')
const isProfile = (init: RequestInit) => String(init.body).includes('ShopProfile')
const sessionToken = (over?: Record<string, unknown>) => signSessionToken(demo.app, over)
const find = (storefront: Storefront) => storefront.catalog(shop).findBySku(['EB-001'], never)
const grants = () => ({ ...demo.counts.grants })

/** A second process of the app. */
function open(secret = SECRET, on: Pick<Database, 'knex'> = database): Storefront {
  const transport: Transport = (url, init) => instead(url, init) ?? stand.transport(url, init)
  const appUrl = 'https://files.example.com'
  const secrets = createSecrets(secret)
  const storefront = createStorefront({
    database: on,
    secrets,
    log: silent,
    platform: CREDENTIALS,
    appUrl,
    transport,
  })
  opened.push(storefront)
  return storefront
}

async function signIn(storefront = open()): Promise<Storefront> {
  instead = () => undefined
  await storefront.ensureAccess(shop, sessionToken())
  return storefront
}

const expire = () =>
  scope().query('update shop_tokens set expires_at = now() where shop_id = :shop')
const hasTokens = async () =>
  (await scope().query('select 1 from shop_tokens where shop_id = :shop')).length === 1

const INSTALLED = { currentAppInstallation: { accessScopes: [{ handle: 'read_products' }] } }

describe('a refusal for another reason than the token', () => {
  test.each<[string, number, unknown]>([
    ['a wrong secret of the app', 400, { error: 'invalid_client', error_description: 'no' }],
    ['another 400', 400, { error: 'invalid_request' }],
    ['a 400 without a code', 400, { errors: 'Bad Request' }],
    ['HTTP 401', 401, { error: 'invalid_client' }],
    ['HTTP 403', 403, { errors: 'Forbidden' }],
    ['HTTP 404', 404, { errors: 'Not Found' }],
  ])('%s keeps the refresh token, which works again afterwards', async (_, status, body) => {
    const storefront = await signIn()
    await expire()
    instead = (url) =>
      isTokens(url) ? Promise.resolve(Response.json(body, { status })) : undefined
    await expect(find(storefront)).rejects.toMatchObject({
      code: 'storefront_unavailable',
      retryable: true,
    })
    expect(await hasTokens()).toBe(true)
    instead = () => undefined
    expect((await find(storefront)).size).toBe(1)
  })

  test('a wrong app secret at sign-in is not reported as an invalid session token', async () => {
    const storefront = open()
    instead = (url) =>
      isTokens(url)
        ? Promise.resolve(Response.json({ error: 'invalid_client' }, { status: 400 }))
        : undefined
    await expect(storefront.ensureAccess(shop, sessionToken())).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})

test('invalid_grant deletes the token, and a sign-in creates another one', async () => {
  const storefront = await signIn()
  await expire()
  instead = (url) =>
    isTokens(url)
      ? Promise.resolve(Response.json({ error: 'invalid_grant' }, { status: 400 }))
      : undefined
  await expect(find(storefront)).rejects.toThrow('open the app once in the storefront admin')
  expect(await hasTokens()).toBe(false)
  await signIn(storefront)
  expect((await find(storefront)).size).toBe(1)
})

test('an access token that is refused and cannot be renewed is replaced at the next sign-in', async () => {
  const storefront = await signIn()
  await scope().query(
    `update shop_tokens set refresh_token = null, refresh_expires_at = null, expires_at = null
      where shop_id = :shop`,
  )
  instead = (url) =>
    isTokens(url) ? undefined : Promise.resolve(Response.json({ errors: 'no' }, { status: 401 }))
  await expect(find(storefront)).rejects.toMatchObject({ code: 'storefront_unavailable' })
  const before = grants()
  await signIn(storefront)
  expect(grants().exchange - before.exchange).toBe(1)
  expect((await find(storefront)).size).toBe(1)
})

test('tokens sealed with another APP_SECRET are exchanged at sign-in, and until then the error says what to do', async () => {
  await signIn()
  const other = open('another secret of the tests, long enough')
  await expect(find(other)).rejects.toMatchObject({ code: 'storefront_unavailable' })
  await expect(find(other)).rejects.toThrow('open the app once in the storefront admin')
  expect(await hasTokens()).toBe(true)
  const before = grants()
  await signIn(other)
  await signIn(other)
  expect(grants().exchange - before.exchange).toBe(1)
  expect((await find(other)).size).toBe(1)
})

test('a deleted store is not found, neither its API nor its tokens', async () => {
  const storefront = await signIn()
  instead = () => Promise.resolve(Response.json({ errors: 'Not Found' }, { status: 404 }))
  expect(await storefront.hasAccess(shop, never)).toBe('not found')
  await scope().query('update shop_tokens set expires_at = now() where shop_id = :shop')
  expect(await storefront.hasAccess(shop, never)).toBe('not found')
  // The token is kept, as after any other answer than `invalid_grant`.
  instead = () => undefined
  expect(await storefront.hasAccess(shop, never)).toBe(true)
})

soakTest(
  'access is lost when the platform refuses the tokens, not while it does not answer',
  async () => {
    const storefront = await signIn()
    expect(await storefront.hasAccess(shop, never)).toBe(true)
    for (const status of [402, 403, 423]) {
      instead = () => Promise.resolve(Response.json({ errors: 'no' }, { status }))
      await expect(storefront.hasAccess(shop, never)).rejects.toMatchObject({
        code: 'storefront_unavailable',
      })
    }
    instead = () => Promise.resolve(new Response('busy', { status: 503 }))
    await expect(storefront.hasAccess(shop, never)).rejects.toMatchObject({
      code: 'storefront_unavailable',
    })
    instead = (url) =>
      Promise.resolve(
        isTokens(url)
          ? Response.json({ error: 'invalid_grant' }, { status: 400 })
          : Response.json({ errors: 'no' }, { status: 401 }),
      )
    expect(await storefront.hasAccess(shop, never)).toBe(false)
  },
)

describe('an uninstalled shop', () => {
  const uninstall = () => uninstallShop({ database, log: silent }, shop)
  const isInstalled = async () => (await findShop(database, DEMO_SHOP.domain)) !== null
  const uninstallDuringRequest = () => {
    const during = async (url: string, init: RequestInit) => {
      const answer = await stand.transport(url, init)
      await uninstall()
      return answer
    }
    instead = (url, init) => (isTokens(url) ? during(url, init) : undefined)
  }
  afterEach(() => scope().query('update shops set uninstalled_at = null where id = :shop'))

  test.each([
    ['invalid_subject_token', 'unauthenticated'],
    ['invalid_client', 'unavailable'],
  ])('stays uninstalled if the platform refuses its session token (%s)', async (error, code) => {
    const storefront = await signIn()
    await uninstall()
    instead = (url) =>
      isTokens(url) ? Promise.resolve(Response.json({ error }, { status: 400 })) : undefined
    await expect(storefront.ensureAccess(shop, sessionToken())).rejects.toMatchObject({ code })
    expect(await isInstalled()).toBe(false)
    // The platform's clock is behind ours. A report of an uninstallation has its time too.
    const nbf = Math.floor(Date.now() / 1000) - 30
    instead = () => undefined
    await storefront.ensureAccess(shop, sessionToken({ nbf }))
    expect(await isInstalled()).toBe(true)
    const at = await scope().query<{ at: number }>(
      'select extract(epoch from installed_at)::float8 as at from shops where id = :shop',
    )
    expect(at[0]?.at).toBe(nbf)
    expect((await find(storefront)).size).toBe(1)
  })

  test('gets no tokens that were requested before it was uninstalled', async () => {
    const storefront = open()
    uninstallDuringRequest()
    await expect(storefront.ensureAccess(shop, sessionToken())).rejects.toMatchObject({
      code: 'unavailable',
    })
    expect(await hasTokens()).toBe(false)
    expect(await isInstalled()).toBe(false)
  })

  test('gets no renewed tokens', async () => {
    const storefront = await signIn()
    await expire()
    uninstallDuringRequest()
    await expect(find(storefront)).rejects.toThrow('open the app once in the storefront admin')
    expect(await hasTokens()).toBe(false)
  })
})

describe('the profile', () => {
  const read = async () => {
    const [row] = await scope().query<{ name: string; settings: Record<string, unknown> }>(
      'select name, settings from shops where id = :shop',
    )
    return row!
  }
  const due = () => scope().query(`update shops set profile_due_at = now() where id = :shop`)
  const says = (name: string, email: string, ianaTimezone: string) => {
    instead = (url, init) =>
      !isTokens(url) && isProfile(init)
        ? Promise.resolve(
            Response.json({ data: { shop: { name, email, ianaTimezone }, ...INSTALLED } }),
          )
        : undefined
  }

  test('that could not be read at the first sign-in is read at a later one', async () => {
    const storefront = open()
    instead = (url, init) =>
      !isTokens(url) && isProfile(init)
        ? Promise.resolve(new Response('no', { status: 402 }))
        : undefined
    await storefront.ensureAccess(shop, sessionToken())
    expect((await read()).settings).toEqual({})
    instead = () => undefined
    await storefront.ensureAccess(shop, sessionToken())
    await expect.poll(read).toEqual({
      name: 'Harbour Press',
      settings: { recipients: [DEMO_SHOP.email], time_zone: 'Europe/London' },
    })
  })

  soakTest('that could not be read after a report of a change is read again', async () => {
    const storefront = await signIn()
    instead = (_, init) =>
      isProfile(init) ? Promise.resolve(new Response('no', { status: 402 })) : undefined
    expect(await storefront.refreshProfile(shop)).toBe(false)
    instead = () => undefined
    expect(await storefront.refreshProfile(shop)).toBe(true)
  })

  soakTest('is not overwritten by an earlier answer that arrives later', async () => {
    const [storefront, other] = [await signIn(), open()]
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const shopWas = { name: 'Harbour', email: 'old@harbour.example', ianaTimezone: 'UTC' }
    instead = (_, init) => {
      if (!isProfile(init)) return undefined
      asked.resolve()
      return answer.promise.then(() => Response.json({ data: { shop: shopWas, ...INSTALLED } }))
    }
    const late = storefront.refreshProfile(shop)
    await asked.promise
    says('Harbour Charts', 'new@harbour.example', 'Europe/Paris')
    const isRead = await other.refreshProfile(shop).finally(() => answer.resolve())
    expect([isRead, await late]).toEqual([true, true])
    expect((await read()).name).toBe('Harbour Charts')
  })

  soakTest('is updated unless the merchant has chosen another value', async () => {
    const storefront = await signIn()
    await scope().query(
      `update shops set settings = settings || '{"time_zone": "Asia/Tokyo"}' where id = :shop`,
    )
    await due()
    says('Harbour Books', 'new@harbour.example', 'Europe/Paris')
    await storefront.ensureAccess(shop, sessionToken())
    const settings = { recipients: ['new@harbour.example'], time_zone: 'Asia/Tokyo' }
    await expect.poll(read).toEqual({ name: 'Harbour Books', settings })
  })

  soakTest('is updated with the catalog too, and emptied recipients stay empty', async () => {
    const storefront = await signIn()
    await scope().query(
      `update shops set settings = settings || '{"recipients": []}' where id = :shop`,
    )
    await due()
    says('Harbour Maps', 'new@harbour.example', 'Europe/Paris')
    storefront.wholeCatalog(shop)
    await expect
      .poll(read)
      .toEqual({ name: 'Harbour Maps', settings: { recipients: [], time_zone: 'Europe/Paris' } })
  })
})

describe('a token endpoint that does not answer', () => {
  test('blocks no connection, no lock and no other shop', async () => {
    const few = openDatabase(database.url, 3, silent)
    const domain = 'other-harbour.myshopify.com'
    const other = await createTestShop(database, domain)
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    try {
      const storefront = open(SECRET, few)
      instead = (url, init) => {
        if (!isTokens(url) || !url.includes(DEMO_SHOP.domain)) {
          const body = {
            access_token: 'shpat_x',
            scope: '',
            expires_in: 3600,
            refresh_token: 'shprt_x',
          }
          const tokens = { ...body, refresh_token_expires_in: 9_000_000 }
          const profile = {
            data: {
              shop: { name: 'Other', email: 'a@b.example', ianaTimezone: 'UTC' },
              ...INSTALLED,
            },
          }
          return url.includes(domain)
            ? Promise.resolve(Response.json(isTokens(url) ? tokens : profile))
            : undefined
        }
        asked.resolve()
        return answer.promise.then(() => stand.transport(url, init))
      }
      const before = grants()
      const waiting = Array.from({ length: 20 }, () =>
        storefront.ensureAccess(shop, sessionToken()),
      )
      await asked.promise
      const claims = { dest: `https://${domain}`, iss: `https://${domain}/admin` }
      await storefront.ensureAccess(other, sessionToken(claims))
      const { rows } = await database.pool.query(
        `select state from pg_stat_activity where datname = current_database()
           and state like 'idle in transaction%'
         union all select mode from pg_locks where locktype = 'advisory'
           and database = (select oid from pg_database where datname = current_database())`,
      )
      expect(rows).toEqual([])
      answer.resolve()
      await Promise.all(waiting)
      expect(grants().exchange - before.exchange).toBe(1)
    } finally {
      answer.resolve()
      for (const storefront of opened.splice(0)) await storefront.close()
      await few.close()
    }
  })

  soakTest('fails all waiting requests together', async () => {
    const storefront = open()
    let asked = 0
    const answer = Promise.withResolvers<void>()
    instead = (url) => {
      if (!isTokens(url)) return undefined
      asked++
      return answer.promise.then(() => new Response('busy', { status: 503 }))
    }
    const waiting = Array.from({ length: 10 }, () => storefront.ensureAccess(shop, sessionToken()))
    await expect.poll(() => asked).toBe(1)
    // Each reads the tokens before it waits for the request, which holds no connection.
    const { pool } = database.knex.client as { pool: Record<'numUsed' | 'numPendingAcquires', () => number> } // oxfmt-ignore
    await expect.poll(() => pool.numUsed() + pool.numPendingAcquires()).toBe(0)
    answer.resolve()
    for (const result of await Promise.allSettled(waiting))
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
    expect(asked).toBe(1)
  })
})

describe('the lease', () => {
  const lease = (until: string) =>
    scope().query(
      `insert into token_leases (shop_id, holder, expires_at) values (:shop, uuidv7(), ${until})`,
    )

  test('of a dead process is taken over', async () => {
    await lease('now()')
    await signIn()
    expect(await hasTokens()).toBe(true)
    expect(await scope().query('select 1 from token_leases where shop_id = :shop')).toEqual([])
  })

  soakTest('of another process is waited for, and its token used', async () => {
    const first = await signIn()
    const before = grants()
    const [row] = await scope().query<Record<string, unknown>>(
      'select * from shop_tokens where shop_id = :shop',
    )
    await expire()
    await lease(`now() + interval '1 minute'`)
    const waiting = find(first)
    // The other process stores its token while its lease is still valid.
    await scope().query('update shop_tokens set expires_at = :at where shop_id = :shop', {
      at: row!.expires_at,
    })
    expect((await waiting).size).toBe(1)
    expect(grants()).toEqual(before)
    await scope().query('delete from token_leases where shop_id = :shop')
  })
})
