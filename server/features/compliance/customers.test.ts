// Writes a buyer's address into every text column of every table, then collects and deletes it. A
// column declared neither as containing buyers' data nor as free of it is reported by name.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { createTestShop, silent } from '../../../test/database.ts'
import { createTestEngine, type TestEngine } from '../../../test/engine.ts'
import { fillEveryTable, readTables, type Plant } from '../../../test/every-table.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { openReply, sealReply } from '../../core/db/sealed-replies.ts'
import { listNotices } from '../../core/outbox/notices.ts'
import { BUYER_PLACES, TABLES } from '../../features.ts'
import { listAnswers, readAnswer, sweepAnswers } from './customer-data-rows.ts'
import { customerData } from './customer-data.ts'
import { DELETED, redactCustomer } from './redact-customer.ts'

/** Columns outside the shops' tables that look like an address, each with the reason. */
const NOT_OF_SHOPS: Readonly<Record<string, string>> = {
  'shops.profile': 'the merchant’s own address, from the platform',
  'rate_limits.key':
    'networks of clients and hashes of licence keys, for an hour at most, with nothing that names a buyer',
}

const EMAIL = 'Ann.O-Brien+shop@Example.com'
const OTHERS = ['joAnn.O-Brien+shop@example.com', 'ann.o-brien+shop@example.com.au']
const ADDRESS = '203.0.113.77'

let house: TestEngine
const parts = () => ({
  database: house.parts.database,
  places: BUYER_PLACES,
  secrets: house.parts.secrets,
  clock: () => new Date(),
  log: silent,
})
const pool = () => house.parts.database.pool
beforeAll(async () => void (house = await createTestEngine([], [])))
afterAll(() => house.close())

const request = (email: string | null = EMAIL) => ({
  email,
  customerId: 'gid://shopify/Customer/7',
  orderIds: [],
})

let plants = 0
/** Ids that refer to other rows, and values restricted by a check, are left unchanged. */
const planted =
  (email: string, tables: Awaited<ReturnType<typeof readTables>>): Plant =>
  (table, column, type) => {
    const { keys, allowed } = tables.find(({ name }) => name === table)!
    if (column === 'shop_id' || allowed.has(column)) return undefined
    if (keys.some(({ columns }) => columns.includes(column))) return undefined
    if (table === 'downloads' && column === 'address') return ADDRESS
    // Some columns are unique across all shops.
    if (type === 'text') return column === 'email' ? email : `${email} ${plants++}`
    if (type === 'text[]') return [email]
    return type === 'jsonb'
      ? JSON.stringify({ nested: [{ words: `for <${email}>, now` }] })
      : undefined
  }

async function shopWith(domain: string, email: string): Promise<number> {
  const shop = await createTestShop(house.parts.database, domain)
  const tables = await readTables(pool())
  const rows = await fillEveryTable(pool(), shop, planted(email, tables))
  const link = rows.get('links')!.id
  for (const table of ['downloads', 'download_sessions', 'archive_sessions'])
    await pool().query(`update ${table} set link_id = $2 where shop_id = $1`, [shop, link])
  await pool().query('update links set operation_id = $2 where shop_id = $1', [
    shop,
    rows.get('operations')!.id,
  ])
  await pool().query(
    `update customer_tags g set customer_id = o.customer_id from orders o
     where g.shop_id = $1 and o.shop_id = $1`,
    [shop],
  )
  const delivery = rows.get('deliveries')!.id
  await pool().query(
    `update licence_keys set delivery_id = $2, file_id = $2, ordinal = 1, assigned_at = now()
     where shop_id = $1`,
    [shop, delivery],
  )
  await pool().query(
    `insert into licence_activations (shop_id, key_id, instance, address)
     select shop_id, id, 'a laptop', $2 from licence_keys where shop_id = $1`,
    [shop, ADDRESS],
  )
  return shop
}

/** Columns of the shop's rows that contain the text, as `table.column`. */
async function placesOf(shop: number, text: string): Promise<string[]> {
  const found: string[] = []
  for (const { name } of await readTables(pool())) {
    const { rows } = await pool().query<{ column: string }>(
      `select distinct c.key as column from ${name} t, jsonb_each_text(to_jsonb(t)) c
       where t.shop_id = $1 and strpos(lower(c.value), lower($2)) > 0`,
      [shop, text],
    )
    found.push(...rows.map(({ column }) => `${name}.${column}`))
  }
  return found.sort()
}
const declaredNone = (place: string) => {
  const [table, column] = place.split('.') as [string, string]
  return typeof TABLES[table] === 'string' || BUYER_PLACES[table]?.keeps?.includes(column) === true
}

describe('the list of places with buyers’ data', () => {
  it('declares each table with a shop once', async () => {
    const names = (await readTables(pool())).map(({ name }) => name)
    expect(Object.keys(TABLES).sort()).toEqual(names.sort())
  })
  it('has the values of each of its texts', async () => {
    const { rows } = await pool().query<{ table: string; column: string }>(
      `select c.table_name as table, c.column_name as column from information_schema.columns c
       join information_schema.columns s on s.table_schema = 'public' and s.table_name = c.table_name
         and c.column_name in (s.column_name || '_text', s.column_name || '_values')
       where c.table_schema = 'public'`,
    )
    const places = rows.map(({ table, column }) => ({
      place: `${table}.${column}`,
      columns: BUYER_PLACES[table]?.columns ?? [],
      column,
      sentence: column.replace(/_(text|values)$/, ''),
    }))
    const missing = places.filter(
      ({ columns, column, sentence }) => columns.includes(sentence) && !columns.includes(column),
    )
    expect(places.length).toBeGreaterThan(3)
    expect(missing.map(({ place }) => place)).toEqual([])
  })
  it('has a reason for each other column with a name like an address', async () => {
    const { rows } = await pool().query<{ place: string }>(
      `select table_name || '.' || column_name as place from information_schema.columns c
       where table_schema = 'public' and data_type not like 'timestamp%'
         and not exists (select from information_schema.columns s where s.table_schema = 'public'
           and s.table_name = c.table_name and s.column_name = 'shop_id')
         and (data_type = 'inet' or column_name ~
           'e?mail|address|(^|_)ip($|_)|agent|phone|buyer|customer|profile'
           or table_name = 'rate_limits' and column_name = 'key')
         and table_name not like 'knex_%'`,
    )
    expect(rows.map(({ place }) => place).sort()).toEqual(Object.keys(NOT_OF_SHOPS).sort())
  })
})

describe('a customer', () => {
  it('is collected from every place, once for a repeated request, and reported to the shop', async () => {
    const shop = await shopWith('asks.myshopify.com', EMAIL)
    const scope = forShop(house.parts.database, shop)
    const { id, data } = await customerData(parts(), shop, request())
    for (const [table, { about, columns, how }] of Object.entries(BUYER_PLACES))
      if (how === 'mask' || how === 'delete') {
        const [row] = data.records[about]!
        expect([table, Object.keys(row!).sort()]).toEqual([
          table,
          expect.arrayContaining([...columns]),
        ])
      }
    expect(data.orders).toMatchObject([{ email: EMAIL, delivered_to: EMAIL, lines: [{}] }])
    expect(data.links).toMatchObject([{ email: EMAIL }])
    expect(data.downloads).toMatchObject([{ address: ADDRESS }])
    expect(data.refused_downloads).toHaveLength(1)

    expect((await customerData(parts(), shop, request())).id).toBe(id)
    const answers = await listAnswers(scope, { limit: 10 })
    expect(answers).toMatchObject([{ id, customer_id: 'gid://shopify/Customer/7' }])
    const kept = await readAnswer(scope, house.parts.secrets, id)
    expect(JSON.parse(kept!.document)).toEqual(data)
    const [notice] = (await listNotices(scope, { limit: 5 })).rows
    expect(notice).toMatchObject({ title: 'A customer asks for their data', level: 'warning' })
    expect(`${notice!.title} ${notice!.body}`.toLowerCase()).not.toContain(EMAIL.toLowerCase())
    // Sealed: a copy of the database alone does not reveal it.
    expect(await placesOf(shop, 'collected_at')).toEqual([])

    await pool().query(`update customer_data set expires_at = now() - interval '1 second'`)
    expect(await readAnswer(scope, house.parts.secrets, id)).toBeNull()
    expect(await sweepAnswers(house.parts.database)).toBeGreaterThan(0)
  })

  it('is deleted from every place of one shop, repeatably, without other customers', async () => {
    const [shop, other] = [
      await shopWith('forgets.myshopify.com', EMAIL),
      await shopWith('keeps.myshopify.com', EMAIL),
    ]
    await customerData(parts(), shop, request())
    const others = await placesOf(other, EMAIL)
    await redactCustomer(parts(), shop, request(EMAIL.toUpperCase()))
    const left = await placesOf(shop, EMAIL)
    expect(left.filter((place) => !declaredNone(place))).toEqual([])
    expect((await placesOf(shop, ADDRESS)).filter((place) => !declaredNone(place))).toEqual([])
    await redactCustomer(parts(), shop, request())
    expect(await placesOf(other, EMAIL)).toEqual(others)
    const scope = forShop(house.parts.database, shop)
    const [link] = await scope.from<{ email: string | null; revoked_at: Date }>('links')
    expect(link).toMatchObject({ email: null, revoked_at: expect.any(Date) as Date })
    // The merchant's stored options stay valid.
    expect(await placesOf(shop, DELETED)).toEqual(
      expect.arrayContaining(['operations.workflow', 'triggers.options', 'workflows.steps']),
    )
    expect(await scope.from('artifacts')).toEqual([])
    expect((await listAnswers(scope, { limit: 5 })).map(({ customer_id }) => customer_id)).toEqual(
      [],
    )
  })

  it('is masked in sealed replies, which a repeated request still gets', async () => {
    const scope = forShop(
      house.parts.database,
      await createTestShop(house.parts.database, 'replies.myshopify.com'),
    )
    const { secrets } = house.parts
    const reply = (email: string) => ({ status: 201, body: { data: [{ email, name: 'a' }] } })
    const keep = (key: string, email: string) =>
      scope.insert('idempotency_keys', {
        key,
        request_hash: Buffer.alloc(32),
        reply: sealReply(scope, secrets, reply(email)),
      })
    await keep('named', EMAIL)
    await keep('other', OTHERS[0]!)
    await redactCustomer(parts(), scope.shop, request(EMAIL.toLowerCase()))
    const rows = await scope.from<{ key: string; reply: Buffer }>('idempotency_keys').orderBy('key')
    expect(rows.map((row) => openReply(scope, secrets, row.reply))).toEqual([
      reply(DELETED),
      reply(OTHERS[0]!),
    ])
  })

  soakTest('is not confused with one whose address is longer', async () => {
    for (const [n, email] of OTHERS.entries()) {
      const shop = await shopWith(`longer-${n}.myshopify.com`, email)
      const before = await placesOf(shop, email)
      const { data } = await customerData(parts(), shop, request())
      expect([data.links, data.downloads, ...Object.values(data.records).flat()]).toEqual([[], []])
      await redactCustomer(parts(), shop, request())
      expect(await placesOf(shop, email)).toEqual(before)
    }
  })

  soakTest('without any data is not an error', async () => {
    const shop = await createTestShop(house.parts.database, 'nothing.myshopify.com')
    await redactCustomer(parts(), shop, request(null))
    const { data } = await customerData(parts(), shop, request(null))
    expect(data).toMatchObject({ customer: { email: null }, links: [], downloads: [] })
  })
})
