// The platform's demands about data, checked against the schema as it is: a table or a column that
// is added later is covered, or fails here.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../test/database.ts'
import { openUploadFolder } from '../channels/upload/upload.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { createDiskStore } from '../store/disk.ts'
import type { BlobStore } from '../store/store.ts'
import { eraseCustomer, handOutCustomer } from './customers.ts'
import {
  ADDRESS_COLUMNS,
  CLIENT_COLUMNS,
  OTHER_COLUMNS,
  PLAIN_COLUMNS,
} from './personal-columns.ts'
import { redactShop } from './shops.ts'

interface Column {
  table: string
  name: string
  type: string
  nullable: boolean
  fixed: boolean
}

const BUYER = 'Anna.Buyer+files@example.com'
const signal = new AbortController().signal
let database: Awaited<ReturnType<typeof openTestDatabase>>
let folder: string
let stores: Map<string, BlobStore>
let columns: Column[]
beforeAll(async () => {
  database = await openTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-privacy-'))
  const open = (name: string) => createDiskStore({ folder: path.join(folder, name) })
  stores = new Map(['primary', 'backup'].map((name) => [name, open(name)]))
  const { rows } = await database.pool.query<Column>(
    `select c.table_name as table, c.column_name as name, c.udt_name as type, c.is_nullable = 'YES' as nullable,
       c.is_generated = 'ALWAYS' or c.is_identity = 'YES' as fixed
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name in
       (select table_name from information_schema.columns where table_schema = 'public' and column_name = 'shop_id')
     order by c.table_name, c.ordinal_position`,
  )
  columns = rows
  // Rows of any content: what a row says is not what these tests are about.
  const { rows: checks } = await database.pool.query<{ drop: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop from pg_constraint
     where contype = 'c' and connamespace = 'public'::regnamespace and conrelid <> 0`,
  )
  for (const check of checks) await database.pool.query(check.drop)
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const tables = () => [...new Set(columns.map(({ table }) => table))]
const TEXTS = ['text', 'jsonb', '_text', 'varchar']
const textsOf = (table: string) =>
  columns.filter((one) => one.table === table && TEXTS.includes(one.type) && !one.fixed)

/** A row in every table, with `text` in the columns that may have a buyer's address. */
async function fill(scope: ShopScope, text: string): Promise<void> {
  const client = await database.pool.connect()
  try {
    await client.query(`set session_replication_role = replica`)
    for (const table of tables()) {
      const own = columns.filter((one) => one.table === table && !one.fixed)
      const values = own.map(({ name, type, nullable }) => {
        if (name === 'shop_id') return String(scope.shop)
        if (nullable && !TEXTS.includes(type)) return 'null'
        const planted = ADDRESS_COLUMNS[table]?.includes(name) ? text : `x${scope.shop}`
        return VALUES[type]?.(planted) ?? `null::${type}`
      })
      const names = own.map(({ name }) => `"${name}"`)
      await client.query(`insert into ${table} (${names.join()}) values (${values.join()})`)
    }
  } finally {
    await client.query(`set session_replication_role = origin`)
    client.release()
  }
}
const VALUES: Readonly<Record<string, (text: string) => string>> = {
  text: (text) => `'${text}'`,
  varchar: (text) => `'${text}'`,
  _text: (text) => `array['${text}']`,
  jsonb: (text) => `'${JSON.stringify({ to: [text], note: `<a href="mailto:${text}">` })}'`,
  uuid: () => 'uuidv7()',
  bytea: () => 'sha256(uuidv7()::text::bytea)',
  int2: () => '1',
  int4: () => '1',
  int8: () => '1',
  _int4: () => `'{1}'`,
  _uuid: () => 'array[uuidv7()]',
  float4: () => '1',
  bool: () => 'false',
  timestamptz: () => 'now()',
}

const countOf = async (scope: ShopScope, table: string): Promise<number> =>
  (
    await scope.query<{ count: number }>(
      `select count(*) as count from ${table} where shop_id = :shop`,
    )
  )[0]!.count
const shopOf = async (name: string) =>
  forShop(database, await createTestShop(database, `${name}.myshopify.com`))
const stage = (scope: ShopScope, location: string, text: string) =>
  stores.get(location)!.write(scope.shop, Readable.from([Buffer.from(text)]))

test('every text column is known, with or without a buyer’s address', () => {
  const known = new Set<string>()
  for (const list of [ADDRESS_COLUMNS, CLIENT_COLUMNS, OTHER_COLUMNS, PLAIN_COLUMNS])
    for (const [table, names] of Object.entries(list))
      for (const name of names) known.add(`${table}.${name}`)
  const there = columns
    .filter(({ type, fixed }) => TEXTS.includes(type) && !fixed)
    .map(({ table, name }) => `${table}.${name}`)
  expect([...known].filter((name) => !there.includes(name))).toEqual([])
  expect(there.filter((name) => !known.has(name))).toEqual([])
})

test('shop/redact leaves no row, no bytes and no job of that shop, and all of another', async () => {
  const [gone, other] = [await shopOf('gone'), await shopOf('other')]
  for (const scope of [gone, other]) {
    await fill(scope, BUYER)
    for (const location of stores.keys()) {
      const { hash } = await stage(scope, location, `${location} bytes`)
      const row = { hash: Buffer.from(hash, 'hex'), location }
      await scope.insert('blobs', { hash: row.hash, size_bytes: 1 })
      await scope.insert('blob_locations', row)
    }
    await scope.query(
      `select graphile_worker.add_job('chain', payload := json_build_object('shop', :shop))`,
    )
  }
  const uploads = openUploadFolder(path.join(folder, 'uploads'))
  const apply = redactShop({ stores, uploads, log: silent })
  const change = { subject: '', noted: 1, payload: null }
  await apply(gone, change, signal)
  expect(await countOf(gone, 'files')).toBe(1)
  await gone.query('update shops set uninstalled_at = now() where id = :shop')
  await apply(gone, change, signal)
  for (const table of tables()) {
    expect([table, await countOf(gone, table)]).toEqual([table, 0])
    expect([table, (await countOf(other, table)) > 0]).toEqual([table, true])
  }
  const sizes = async (scope: ShopScope) =>
    Promise.all(
      [...stores].map(async ([location, store]) => {
        const { hash } = await createDiskStore({ folder: path.join(folder, 'hashes') }).write(
          1,
          Readable.from([Buffer.from(`${location} bytes`)]),
        )
        return store.size(scope.shop, hash)
      }),
    )
  expect(await sizes(gone)).toEqual([null, null])
  expect(await sizes(other)).toEqual([13, 12])
  const { rows } = await database.pool.query<{ shop: string }>(
    `select payload ->> 'shop' as shop from graphile_worker._private_jobs`,
  )
  expect(rows.map(({ shop }) => Number(shop))).toEqual([other.shop])
  expect((await database.pool.query('select from shops where id = $1', [gone.shop])).rowCount).toBe(
    0,
  )
  // Repeated after a crash.
  await apply(gone, change, signal)
})

test('customers/redact erases the address everywhere, and of that customer alone', async () => {
  const [shop, other] = [await shopOf('erase'), await shopOf('keep')]
  for (const scope of [shop, other]) await fill(scope, BUYER)
  const payload = { customer: null, email: BUYER.toUpperCase(), orders: [] }
  await eraseCustomer(shop, { subject: '1', noted: 1, payload }, signal)
  for (const table of tables())
    for (const { name } of textsOf(table)) {
      const found = (scope: ShopScope) =>
        scope.query(
          `select from ${table} where shop_id = :shop and "${name}"::text ilike '%anna.buyer%'`,
        )
      expect([table, name, (await found(shop)).length]).toEqual([table, name, 0])
      const planted = ADDRESS_COLUMNS[table]?.includes(name) ? 1 : 0
      expect([table, name, (await found(other)).length]).toEqual([table, name, planted])
    }
})

test('the addresses from which a buyer downloaded are erased, and told when asked for', async () => {
  const scope = await shopOf('clients')
  await scope.query(
    `update shops set settings = '{"recipients": ["owner@example.com"]}' where id = :shop`,
  )
  const client = await database.pool.connect()
  await client.query('set session_replication_role = replica')
  for (const [email, ip] of [
    [BUYER, '203.0.113.7'],
    ['other@example.com', '203.0.113.8'],
  ])
    await client.query(
      `with made as (
         insert into links (shop_id, file_id, key_hash, email) values ($1, uuidv7(), sha256(convert_to($3::text, 'utf8')), $2) returning *
       )
       insert into downloads (shop_id, file_id, link_id, address, agent, at)
       select $1, file_id, id, $3::text, 'curl', now() from made`,
      [scope.shop, email, ip],
    )
  await client.query('set session_replication_role = origin')
  client.release()
  const change = { subject: '7', noted: 1, payload: { customer: null, email: BUYER, orders: [] } }
  await handOutCustomer(scope, change, signal)
  const [mail] = await scope.query<{ payload: { data: { text: string } } }>(
    `select payload from outbox where shop_id = :shop and key = 'customer-data/7'`,
  )
  expect(mail!.payload.data.text).toContain(BUYER)
  await eraseCustomer(scope, change, signal)
  const rows = await scope.query<{ address: string }>(
    'select address from downloads where shop_id = :shop order by address',
  )
  expect(rows.map(({ address }) => address)).toEqual(['', '203.0.113.8'])
})
