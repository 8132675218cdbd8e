// One filter language with two implementations: SQL for many files, and in memory for the file that
// a step processes.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { matchesCondition, searchWords, type Condition } from '../../plugins/contract/index.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { makeFiles, type MadeFile } from '../../test/files.ts'
import { sized } from '../../test/scale.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { toPublicId } from '../core/ids.ts'
import { zip } from '../core/lazy.ts'
import { draftOfRecord, viewOfDraft, readRecords } from './drafts.ts'
import { readFacts } from './facts.ts'
import { compileFilter, filterSchema, type FileFilter } from './filter.ts'
import { findWord, inAll } from './word-search.ts'
import { listFilePage } from './list.ts'
import { matchesOf } from './matched.ts'
import { nameKey } from './rules.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())

const newShop = async (domain: string): Promise<ShopScope> =>
  forShop(database, await createTestShop(database, domain))

interface Ids {
  packs: string[]
  accounts: string[]
  connections: string[]
}

interface GivenFacts {
  id: string
  product: string
  pack: number | null
  version: number
  channel: string
  account: number | null
  cloud: [number, string | null] | null
  created: string
  updated: string
  link: string | null
  address: string | null
  view: string | null
  delivered: boolean
}

/** Writes the rows that conditions ask about; returns the public ids that they may name. */
async function giveFacts(scope: ShopScope, given: readonly GivenFacts[]): Promise<Ids> {
  const two = async (insert: string) =>
    (await scope.query<{ id: string }>(`${insert} returning id`)).map(({ id }) => id)
  const packs = await two(
    `insert into packs (shop_id, name, name_key) select :shop, n, n from unnest('{p,q}'::text[]) n`,
  )
  const accounts = await two(
    `insert into drop_accounts (shop_id, name, username, password)
     select :shop, n, n, '' from unnest('{first,second}'::text[]) n`,
  )
  const connections = await two(
    `insert into connections (shop_id, provider, name, settings, options, state)
     select :shop, 's3', n, '{}', '{}', 'ready' from unnest('{c,d}'::text[]) n`,
  )
  await scope.query(
    `insert into products (shop_id, id, title, title_key, handle, status, tags, tag_keys) values
       (:shop, 'gid://shopify/Product/1', 'X', 'x', 'x', 'active', '{Course}', '{course}'),
       (:shop, 'gid://shopify/Product/2', 'Z', 'z', 'z', 'active', '{Café}', '{café}')`,
  )
  const { id: delivery } = await scope.one<{ id: string }>(
    `with o as (insert into orders (shop_id, id, name, ordered_at, changed_at)
       values (:shop, 'o', '#1', now(), now()) returning id)
     insert into deliveries (shop_id, order_id) select :shop, id from o returning id`,
  )
  const rows = JSON.stringify(
    given.map(({ pack, account, cloud, ...one }, n) => ({
      ...one,
      pack: pack === null ? null : packs[pack],
      account: account === null ? null : accounts[account],
      connection: cloud === null ? null : connections[cloud[0]],
      path:
        cloud === null ? null : [...(cloud[1] === null ? [] : [cloud[1]]), `${n}.pdf`].join('/'),
    })),
  )
  const from = `jsonb_to_recordset(:rows::jsonb) as r(id uuid, product text, pack uuid, version int,
    channel text, account uuid, connection uuid, path text, created timestamptz,
    updated timestamptz, link timestamptz, address timestamptz, view timestamptz,
    delivered boolean)`
  for (const sql of [
    `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type)
       select v.shop_id, v.file_id, r.version, v.hash, v.location, v.size_bytes, v.content_type
       from ${from} join versions v on v.shop_id = :shop and v.file_id = r.id where r.version > 1`,
    `update files f set version = r.version, channel = r.channel,
       created_at = r.created, updated_at = r.updated from ${from}
       where f.shop_id = :shop and f.id = r.id`,
    `insert into pack_files (shop_id, pack_id, file_id, position)
       select :shop, pack, id, 1 from ${from} where pack is not null`,
    `update mappings m set product_id = r.product from ${from}
       where m.shop_id = :shop and m.file_id = r.id`,
    `insert into dropped_files (shop_id, account_id, file_id)
       select :shop, account, id from ${from} where account is not null`,
    `insert into cloud_files (shop_id, connection_id, path, size_bytes, file_id, version, filename)
       select :shop, connection, path, 1, id, 1, 'x' from ${from} where connection is not null`,
    `insert into links (shop_id, file_id, key_hash, last_download_at)
       select :shop, id, sha256(id::text::bytea), link from ${from}
       where link is not null or version = 2`,
    `insert into public_addresses (shop_id, file_id, last_download_at)
       select :shop, id, address from ${from} where address is not null or version = 3`,
    `insert into file_views (shop_id, link_id, file_id, hour, at, address, agent)
       select :shop, l.id, l.file_id, r.view, r.view, '', '' from ${from}
       join links l on l.file_id = r.id where r.view is not null`,
    `insert into delivery_files (shop_id, delivery_id, line_id, file_id)
       select :shop, '${delivery}', 'l', id from ${from} where delivered`,
  ])
    await scope.query(sql, { rows })
  return {
    packs: packs.map((id) => toPublicId('pack', id)),
    accounts: accounts.map((id) => toPublicId('account', id)),
    connections: connections.map((id) => toPublicId('connection', id)),
  }
}

/** Names of the files that the filter selects. */
async function selected(scope: ShopScope, filter: FileFilter): Promise<string[]> {
  const { sql, bindings } = await compileFilter(scope, filter)
  const rows = await scope.query<{ filename: string }>(
    `select filename from files where files.shop_id = :shop and ${sql} order by name_key`,
    bindings,
  )
  return rows.map(({ filename }) => filename)
}

describe('SQL and memory agree', () => {
  // Few parts, so that conditions match; among them characters that LIKE, JSON and Unicode treat
  // specially.
  const part = fc.constantFrom(
    'a',
    'B',
    '%',
    '_',
    '\\',
    "'",
    '"',
    '?',
    ':',
    ' ',
    '{',
    '\u00e9',
    'E\u0301',
    'ß',
    'İ',
    '日',
  )
  const words = (max: number) =>
    fc.array(part, { minLength: 1, maxLength: max }).map((parts) => parts.join(''))
  const tag = fc.constantFrom('summer', 'Summer', 'a b', "it's", '%', '日本', 'x:y', '?')
  const tags = (max: number) => fc.uniqueArray(tag, { maxLength: max })
  const extension = fc.constantFrom('.pdf', '.PDF', '.jpg', '.tar.gz', '.mp4', '', '.', '.Ä')
  const size = fc.constantFrom(1, 99, 100, 101, 5 * 1024 ** 3)
  const days = ['2026-01-01', '2026-01-02', '2026-01-02T00:30:00+01:00', '2026-01-03T10:00:00.123Z']
  const day = fc.constantFrom(...days)
  const stamp = fc.constantFrom(
    '2026-01-01T00:00:00Z',
    '2026-01-01T23:00:00Z',
    '2026-01-01T23:30:00.000001Z',
    '2026-01-03T10:00:00.123456Z',
  )
  const perhaps = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null })
  const folder = fc.constantFrom('Guides', 'Guides/2026', 'Gui', 'guides', 'a_b', '50%', "o'k")
  const file = fc.record({
    filename: fc.tuple(words(5), extension).map((parts) => parts.join('')),
    size_bytes: size,
    tags: tags(4),
    mapped: fc.boolean(),
    facts: fc.record({
      product: fc.constantFrom('gid://shopify/Product/1', 'gid://shopify/Product/2'),
      pack: perhaps(fc.nat(1)),
      version: fc.nat(3).map((n) => n + 1),
      channel: fc.constantFrom('api', 'csv', 'drop'),
      account: perhaps(fc.nat(1)),
      cloud: perhaps(fc.tuple(fc.nat(1), perhaps(folder))),
      created: stamp,
      updated: stamp,
      link: perhaps(stamp),
      address: perhaps(stamp),
      view: perhaps(stamp),
      delivered: fc.boolean(),
    }),
  })
  const ofName = fc.array(part, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(''))
  const simple = (ids: Ids): Record<string, fc.Arbitrary<unknown>> => ({
    search: fc.oneof(words(2), fc.constant('')),
    type: fc.array(fc.constantFrom('pdf', '.PDF', 'image', 'archive', 'GZ', 'ä', '', 'nothing'), {
      maxLength: 3,
    }),
    name_begins: ofName,
    name_ends: fc.oneof(ofName, extension.filter(Boolean)),
    name_like: fc
      .array(fc.oneof(part, fc.constant('*'), extension), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('') || '*'),
    tags: tags(2),
    tags_any: tags(3),
    tags_none: tags(3),
    mapped: fc.boolean(),
    product: fc.constantFrom('gid://shopify/Product/1', 'gid://shopify/Product/2', 'none'),
    product_tag: fc.constantFrom('Course', 'course', 'CAFE\u0301', 'none'),
    pack: fc.constantFrom(...ids.packs),
    pack_none: fc.boolean(),
    larger_than: size,
    smaller_than: size,
    version_above: fc.nat(4),
    channel: fc.subarray(['api', 'csv', 'drop', 'none']),
    drop_account: fc.constantFrom(...ids.accounts),
    connection: fc.constantFrom(...ids.connections),
    folder: fc.oneof(
      folder,
      folder.map((one) => `/${one}/`),
    ),
    linked: fc.boolean(),
    delivered: fc.boolean(),
    uploaded_before: day,
    uploaded_after: day,
    changed_before: day,
    changed_after: day,
    downloaded_before: day,
    downloaded_after: day,
    older_than_days: fc.constantFrom(1, 30, 36_500),
    not_downloaded_for_days: fc.constantFrom(1, 30, 36_500),
  })
  // Usually a few conditions: all of them rarely match together.
  const someOfThem = (one: Record<string, fc.Arbitrary<unknown>>, least: number) =>
    fc
      .subarray(Object.keys(one), { minLength: least, maxLength: 3 })
      .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, one[name]!]))))
  const condition = (ids: Ids) => {
    const one = simple(ids)
    const any = fc.array(someOfThem(one, 1), { minLength: 1, maxLength: 3 })
    return fc
      .tuple(someOfThem(one, 0), fc.option(any, { nil: undefined }))
      .map(([all, some]) => ({ ...all, ...(some && { any: some }) }))
  }

  it('for any files and any condition', async () => {
    const scope = await newShop('agree.myshopify.com')
    await scope.query(
      `update shops set settings = settings || '{"time_zone": "Europe/Berlin"}' where id = :shop`,
    )
    const made = fc.sample(file, 400)
    const files = [...new Map(made.map((one) => [nameKey(one.filename), one])).values()]
    const ids = await makeFiles(scope, files)
    const named = await giveFacts(
      scope,
      files.map(({ facts }, at) => ({ id: ids[at]!, ...facts })),
    )
    const records = [...(await readRecords(scope, ids)).values()]
    expect(records).toHaveLength(files.length)
    const facts = await readFacts(
      scope,
      records.map(({ id, mappings }) => ({ file: id, source: null, mappings, new_packs: [] })),
      { request: {} },
    )
    const viewed = zip(records, facts).map(([record, known]) => ({
      ...viewOfDraft(draftOfRecord(record), null, record),
      facts: known,
    }))
    let hits = 0
    await fc.assert(
      fc.asyncProperty(condition(named), async (given) => {
        const filter = filterSchema.parse(given)
        const inMemory = viewed.filter((view) =>
          matchesCondition(view, filter as Condition, { timeZone: 'Europe/Berlin' }),
        )
        expect((await selected(scope, filter)).sort()).toEqual(
          inMemory.map(({ filename }) => filename).sort(),
        )
        if (inMemory.length > 0 && inMemory.length < viewed.length) hits++
      }),
      { numRuns: sized(200, 10_000) },
    )
    // Otherwise conditions that match nothing or everything would agree even if they were wrong.
    expect(hits).toBeGreaterThan(sized(50, 3000))
  })
})

describe('the rest of the language', () => {
  let scope: ShopScope
  const files: MadeFile[] = [
    { filename: 'new.pdf' },
    { filename: 'month.pdf', age: 30 },
    { filename: 'year.pdf', age: 366, mapped: true },
    { filename: 'busy.pdf', age: 400 },
    { filename: 'idle.pdf', age: 400 },
    { filename: 'trash.pdf', age: 400 },
  ]
  beforeAll(async () => {
    scope = await newShop('rest.myshopify.com')
    const ids = await makeFiles(scope, files)
    await scope.query('update files set deleted_at = now() where shop_id = :shop and id = :id', {
      id: ids[5],
    })
    for (const [file, days] of [
      [ids[3], 3],
      [ids[4], 181],
    ] as const)
      await scope.insert('links', {
        file_id: file,
        key_hash: Buffer.from(`${file}`.replaceAll('-', '').padEnd(64, '0'), 'hex'),
        last_download_at: new Date(Date.now() - days * 86_400_000),
      })
  })
  const names = async (given: Record<string, unknown>) =>
    (await selected(scope, filterSchema.parse(given))).sort()
  const LIVE = ['busy.pdf', 'idle.pdf', 'month.pdf', 'new.pdf', 'year.pdf']

  it.each<[string, Record<string, unknown>, string[]]>([
    ['nothing asked for is everything outside the trash', {}, LIVE],
    ['the trash', { deleted: true }, ['trash.pdf']],
    ['not the trash', { deleted: 'false' }, LIVE],
    ['older than a year', { older_than_days: 365 }, ['busy.pdf', 'idle.pdf', 'year.pdf']],
    [
      'not downloaded for 180 days, or ever',
      { not_downloaded_for_days: 180 },
      ['idle.pdf', 'month.pdf', 'new.pdf', 'year.pdf'],
    ],
    [
      'old, without a product and idle: what a yearly tidying deletes',
      { older_than_days: '365', mapped: 'false', not_downloaded_for_days: '180' },
      ['idle.pdf'],
    ],
    [
      'uploaded before a day',
      { uploaded_before: daysAgo(365) },
      ['busy.pdf', 'idle.pdf', 'year.pdf'],
    ],
    [
      'uploaded since a time',
      { uploaded_after: new Date(Date.now() - 86_400_000).toISOString() },
      ['new.pdf'],
    ],
    [
      'between two days',
      { uploaded_after: daysAgo(380), uploaded_before: daysAgo(1) },
      ['month.pdf', 'year.pdf'],
    ],
  ])('%s', async (_what, given, expected) => expect(await names(given)).toEqual(expected))

  it('a day is in the shop’s time zone; a time is exact', async () => {
    const kiritimati = await newShop('kiritimati.myshopify.com')
    await kiritimati.query(
      `update shops set settings = '{"time_zone": "Pacific/Kiritimati"}' where id = :shop`,
    )
    const [id] = await makeFiles(kiritimati, [{ filename: 'a.pdf' }])
    // In Kiritimati it is 11:00 on the second.
    await kiritimati.query(
      `update files set created_at = '2026-03-01T21:00:00Z' where shop_id = :shop and id = :id`,
      {
        id,
      },
    )
    const has = async (filter: FileFilter) => (await selected(kiritimati, filter)).length === 1
    expect(await has({ uploaded_after: '2026-03-02' })).toBe(true)
    expect(await has({ uploaded_before: '2026-03-02' })).toBe(false)
    expect(await has({ uploaded_after: '2026-03-03' })).toBe(false)
    expect(
      await has({
        uploaded_after: '2026-03-01T21:00:00Z',
        uploaded_before: '2026-03-02T11:00:01+14:00',
      }),
    ).toBe(true)
    expect(await has({ uploaded_before: '2026-03-02T11:00:00+14:00' })).toBe(false)
  })

  it('a download at the public address counts too', async () => {
    await scope.query(
      `insert into public_addresses (shop_id, file_id, last_download_at)
       select :shop, id, now() - case filename when 'new.pdf' then interval '179 days'
         else interval '181 days' end
       from files where shop_id = :shop and filename in ('new.pdf', 'month.pdf')`,
    )
    expect(await names({ not_downloaded_for_days: 180 })).toEqual([
      'idle.pdf',
      'month.pdf',
      'year.pdf',
    ])
    await scope.query('delete from public_addresses where shop_id = :shop')
  })

  it('a view in the browser counts too', async () => {
    await scope.query(
      `insert into file_views (shop_id, link_id, file_id, hour, at, address, agent)
       select shop_id, id, file_id, date_trunc('hour', seen), seen, '', ''
       from links, lateral (select now() - interval '179 days' as seen) v
       where shop_id = :shop and file_id = (
         select id from files where shop_id = :shop and filename = 'idle.pdf')`,
    )
    expect(await names({ not_downloaded_for_days: 180 })).toEqual([
      'month.pdf',
      'new.pdf',
      'year.pdf',
    ])
    await scope.query('delete from file_views where shop_id = :shop')
  })

  it('combines a pack with other conditions', async () => {
    const [pack] = await scope.query<{ id: string }>(
      `insert into packs (shop_id, name, name_key) select :shop, 'Pack', 'pack' returning id`,
    )
    await scope.query(
      `insert into pack_files (shop_id, pack_id, file_id, position)
       select shop_id, :id, id, 1 from files where shop_id = :shop
         and filename in ('new.pdf', 'year.pdf', 'trash.pdf')`,
      { id: pack!.id },
    )
    const id = toPublicId('pack', pack!.id)
    expect(await names({ pack: id })).toEqual(['new.pdf', 'year.pdf'])
    expect(await names({ pack: id, older_than_days: 10 })).toEqual(['year.pdf'])
    expect(await names({ pack: id, deleted: true })).toEqual(['trash.pdf'])
    // A filter stored as JSON is the same when it is read again.
    const filter = filterSchema.parse({ pack: id })
    expect(filterSchema.parse(JSON.parse(JSON.stringify(filter)))).toEqual(filter)
    const other = await newShop('other-pack.myshopify.com')
    expect(await selected(other, filter)).toEqual([])
  })

  it('finds files by where they are kept and where they come from', async () => {
    const shop = await newShop('sources.myshopify.com')
    const [a, b, c] = await makeFiles(shop, [
      { filename: 'a.pdf', mapped: true },
      { filename: 'b.pdf' },
      { filename: 'c.pdf' },
    ])
    await shop.query(
      `insert into blob_locations (shop_id, hash, location)
       select shop_id, hash, 'backup' from blobs where shop_id = :shop`,
    )
    await shop.query(
      `update versions set location = 'backup' where shop_id = :shop and file_id = :b`,
      { b },
    )
    // A copy of an earlier version is not a copy of the file.
    await shop.query(
      `insert into file_copies (shop_id, file_id, hash, location)
       select shop_id, :c::uuid, hash, 'backup' from versions
       where shop_id = :shop and file_id in (:a, :c)`,
      { a, c },
    )
    await shop.query(
      `insert into backups (shop_id, file_id, hash, location, record)
       select shop_id, file_id, hash, 'backup', '{}' from versions
       where shop_id = :shop and file_id = :a`,
      { a },
    )
    const { id: connection } = await shop.one<{ id: string }>(
      `insert into connections (shop_id, provider, name, settings, options, state)
       values (:shop, 's3', 'Bucket', '{}', '{}', 'ready') returning id`,
    )
    await shop.query(
      `insert into cloud_files (shop_id, connection_id, path, size_bytes, file_id, version, filename)
       values (:shop, :connection, 'b.pdf', 1, :b, 1, 'b.pdf'),
         (:shop, :connection, 'purged.pdf', 1, null, 1, 'purged.pdf')`,
      { connection, b },
    )
    const { id: account } = await shop.one<{ id: string }>(
      `insert into drop_accounts (shop_id, name, username, password)
       values (:shop, 'Studio', 'studio', '') returning id`,
    )
    await shop.insert('dropped_files', { account_id: account, file_id: c })
    const { id: list } = await shop.one<{ id: string }>(
      `insert into licence_lists (shop_id, name, name_key) values (:shop, 'L', 'l') returning id`,
    )
    await shop.query(
      `insert into licence_keys (shop_id, list_id, hash, sealed, delivery_id, file_id, ordinal,
         assigned_at)
       values (:shop, :list, sha256('1'), '', uuidv7(), :a, 1, now()),
         (:shop, :list, sha256('2'), '', null, null, null, null)`,
      { list, a },
    )
    const found = (given: Record<string, unknown>) => selected(shop, filterSchema.parse(given))
    expect(await found({ storage: 'primary' })).toEqual(['a.pdf', 'c.pdf'])
    expect(await found({ storage: 'backup' })).toEqual(['b.pdf', 'c.pdf'])
    expect(await found({ backed_up: 'true' })).toEqual(['a.pdf'])
    expect(await found({ backed_up: false })).toEqual(['b.pdf', 'c.pdf'])
    expect(await found({ product: 'gid://shopify/Product/1' })).toEqual(['a.pdf'])
    expect(await found({ connection: toPublicId('connection', connection) })).toEqual(['b.pdf'])
    expect(await found({ drop_account: toPublicId('account', account) })).toEqual(['c.pdf'])
    expect(await found({ licence_list: toPublicId('licences', list) })).toEqual(['a.pdf'])
    expect(
      await found({ storage: 'backup', drop_account: toPublicId('account', account) }),
    ).toEqual(['c.pdf'])
    // The ids of another shop match nothing.
    const other = await newShop('sources-other.myshopify.com')
    await makeFiles(other, [{ filename: 'x.pdf' }])
    for (const given of [
      { connection: toPublicId('connection', connection) },
      { drop_account: toPublicId('account', account) },
      { licence_list: toPublicId('licences', list) },
    ])
      expect(await selected(other, filterSchema.parse(given))).toEqual([])
  })

  it('matches files in the trash only with its own condition', async () =>
    expect(await names({ deleted: true, search: 'new' })).toEqual([]))

  it('never matches another shop’s files', async () => {
    expect(await selected(await newShop('other.myshopify.com'), {})).toEqual([])
  })

  it.each([
    { older_than_days: 0 },
    { older_than_days: 36_501 },
    { not_downloaded_for_days: 1.5 },
    { uploaded_before: 'yesterday' },
    { uploaded_after: '2026-02-30' },
    { uploaded_before: '0000-01-01' },
    { deleted: 'maybe' },
    { search: 'a\u0000b' },
    { tags: ['a\u0000b'] },
    { type: ['a\u0000b'] },
    { search: '\ud800' },
    { colour: 'red' },
    { pack: 'mine' },
    { storage: 'attic' },
    { backed_up: 'maybe' },
    { connection: toPublicId('account', '01999999-0000-7000-8000-000000000000') },
    { drop_account: 'mine' },
    { licence_list: 'mine' },
    { pack: toPublicId('file', '01999999-0000-7000-8000-000000000000') },
  ])('refuses %j', (given) => expect(filterSchema.safeParse(given).success).toBe(false))
})

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

/** Tested row by row, as a common word is, the words find the same files. */
async function expectCommon(scope: ShopScope, find: string, names: string[]): Promise<void> {
  const words = await Promise.all(
    searchWords(find).map((word, at) => findWord(scope, word, { at, isDeleted: false, few: 0 })),
  )
  const common = words.flatMap(({ ids }) => ids ?? [])
  const near = ['true', ...words.map((word) => word.near)].join(' and ')
  const forms = {
    // A word that nothing has is rare.
    sql: common.length > 0 && common.length === words.length ? inAll(common).join(' and ') : near,
    near,
    some: ['true', ...words.map(({ some }) => some)].join(' and '),
  }
  for (const [form, condition] of Object.entries(forms)) {
    const rows = await scope.query<{ filename: string }>(
      `select filename from files where shop_id = :shop and ${condition}
       order by name_key`,
      Object.assign({}, ...words.map(({ bindings }) => bindings)),
    )
    const found = rows.map(({ filename }) => filename)
    if (form === 'some') expect(names).toEqual(expect.arrayContaining(found))
    else expect(found).toEqual(names)
  }
}

describe('search', () => {
  let scope: ShopScope
  beforeAll(async () => {
    scope = await newShop('search.myshopify.com')
    await makeFiles(scope, [
      { filename: 'Café Guide 12.pdf', tags: ['Summer Sale'] },
      { filename: 'Über uns.pdf', tags: ['Recipes', 'Größe'] },
      { filename: 'ışık.pdf', tags: ['Ёлка'] },
      { filename: 'guide 21.pdf', tags: ['ｆｕｌｌ'] },
    ])
  })
  it.each([
    ['summer', ['Café Guide 12.pdf']],
    ['Summer Sale', ['Café Guide 12.pdf']],
    ['SALE guide', ['Café Guide 12.pdf']],
    ['recipes', ['Über uns.pdf']],
    ['cafe', ['Café Guide 12.pdf']],
    ['uber groesse', []],
    ['uber grosse', ['Über uns.pdf']],
    ['GRÖSSE', ['Über uns.pdf']],
    ['ISIK елка', ['ışık.pdf']],
    ['full', ['guide 21.pdf']],
    ['guide １２', ['Café Guide 12.pdf']],
    ['guide 1', ['Café Guide 12.pdf']],
    ['gui', ['Café Guide 12.pdf', 'guide 21.pdf']],
    ['sale\nguide', ['Café Guide 12.pdf']],
    ['a b c d e f g h uber', []],
  ])('%j', async (search, names) => {
    const filter = filterSchema.parse({ search })
    expect(await selected(scope, filter)).toEqual(names)
    expect(await selected(scope, filterSchema.parse({ find: search.slice(0, 12) }))).toEqual(
      await selected(scope, filterSchema.parse({ search: search.slice(0, 12) })),
    )
    if (names.length > 0) await expectCommon(scope, search, names)
  })
  it('more words than are looked up are a part of the name', async () => {
    const long = 'One two three four five six seven eight nine.pdf'
    const ids = await makeFiles(scope, [{ filename: long, tags: [] }])
    expect(await selected(scope, { search: long.toLowerCase() })).toEqual([long])
    await scope.query('delete from files where shop_id = :shop and id = any(:ids::uuid[])', { ids })
  })
  it.each([
    ['e guide', ['Café Guide 12.pdf']],
    ['summer', []],
  ])('name_contains %j is a part of the name alone', async (part, names) =>
    expect(await selected(scope, { name_contains: part })).toEqual(names),
  )
})

describe('find', () => {
  it('a word in names and products is found everywhere, also if both have almost as many files as are looked up', async () => {
    const scope = await newShop('find-both.myshopify.com')
    await makeFiles(
      scope,
      ['song 1', 'song 2', 'tune 1', 'tune 2'].map((filename) => ({ filename, tags: [] })),
    )
    await scope.query(
      `insert into products (shop_id, id, title, title_key, handle, status)
       values (:shop, 'p1', 'Song', 'song', 'a', 'ACTIVE')`,
    )
    await scope.query(
      `insert into mappings (shop_id, file_id, product_id, product_title, method, score, reason)
       select :shop, id, 'p1', 'Song', 'manual', 1, '' from files where shop_id = :shop`,
    )
    for (const few of [2, 3, 4]) {
      const { ids, near, bindings, isRare } = await findWord(scope, 'song', {
        at: 0,
        isDeleted: false,
        few,
      })
      expect(isRare).toBe(few === 4)
      const rows = await scope.query(
        `select 1 from files where files.shop_id = :shop and ${ids === null ? near : inAll([ids]).join(' and ')}`,
        bindings,
      )
      expect(rows).toHaveLength(4)
    }
  })

  it('each word is in the name, a tag, a product’s title or SKU, or the pack, in any order', async () => {
    const scope = await newShop('find.myshopify.com')
    const other = await newShop('find-other.myshopify.com')
    for (const one of [scope, other]) {
      await makeFiles(one, [
        { filename: 'Chapter 1.pdf', tags: ['bonus', 'Sea Songs'], size_bytes: 1 },
        { filename: 'Chapter 2.pdf', tags: [], size_bytes: 1 },
        { filename: 'almanac_100%.pdf', tags: [], size_bytes: 1 },
      ])
      await one.query(
        `insert into products (shop_id, id, title, title_key, handle, status)
         values (:shop, 'p1', 'Weather Almanac', 'weather almanac', 'a', 'ACTIVE')`,
      )
      await one.query(
        `insert into variants (shop_id, id, product_id, position, title, sku, sku_key, barcode,
           barcode_key)
         values (:shop, 'v1', 'p1', 0, '', 'EB-001', 'eb-001', '4006381333931X', '4006381333931x')`,
      )
      await one.query(
        `insert into mappings (shop_id, file_id, product_id, product_title, method, score, reason)
         select :shop, id, 'p1', 'Weather Almanac', 'manual', 1, '' from files
         where shop_id = :shop and filename = 'Chapter 1.pdf'`,
      )
      await one.query(
        `with pack as (insert into packs (shop_id, name, name_key)
           values (:shop, 'Harbour set', 'harbour set') returning id)
         insert into pack_files (shop_id, pack_id, file_id, position)
         select files.shop_id, pack.id, files.id, 1 from pack, files
         where files.shop_id = :shop and filename = 'Chapter 2.pdf'`,
      )
    }
    const found = async (find: string) => {
      const names = await selected(scope, filterSchema.parse({ find }))
      await expectCommon(scope, find, names)
      return names
    }
    expect(await found('weather almanac bonus')).toEqual(['Chapter 1.pdf'])
    expect(await found('BONUS chapter')).toEqual(['Chapter 1.pdf'])
    expect(await found('eb-001')).toEqual(['Chapter 1.pdf'])
    expect(await found('4006381333931x')).toEqual(['Chapter 1.pdf'])
    expect(await found('400638 bonus')).toEqual(['Chapter 1.pdf'])
    expect(await found('6381333931')).toEqual([])
    expect(await found('harbour chapter')).toEqual(['Chapter 2.pdf'])
    expect(await found('chapter')).toEqual(['Chapter 1.pdf', 'Chapter 2.pdf'])
    expect(await found('almanac')).toEqual(['almanac_100%.pdf', 'Chapter 1.pdf'])
    expect(await found('100% al')).toEqual(['almanac_100%.pdf'])
    expect(await found('chapter 1')).toEqual(['Chapter 1.pdf'])
    expect(await found('chapter 2')).toEqual(['Chapter 2.pdf'])
    expect(await found('00')).toEqual([])
    expect(await found('10')).toEqual(['almanac_100%.pdf'])
    expect(await found('chapter almanac nothing')).toEqual([])
    expect(await found('')).toHaveLength(3)
    const matched = async (filter: object) => {
      const rows = await listFilePage(scope, { filter, sort: 'filename', after: null, limit: 9 })
      const matches = await matchesOf(scope, filter, rows)
      return rows.map(({ id }) => matches?.get(id)?.map(({ field, value }) => `${field}: ${value}`))
    }
    expect(await matched({ find: 'weather bonus 1 EB-0' })).toEqual([
      ['name: Chapter 1.pdf', 'tag: bonus', 'product: Weather Almanac', 'sku: EB-001'],
    ])
    expect(await matched({ find: '4006' })).toEqual([['barcode: 4006381333931X']])
    expect(await matched({ find: 'harbour' })).toEqual([['pack: Harbour set']])
    expect(await matched({ search: '100%' })).toEqual([['name: almanac_100%.pdf']])
    expect(await matched({ type: ['pdf'] })).toEqual([undefined, undefined, undefined])
    expect(filterSchema.safeParse({ find: 'a b c d e f g h i' }).success).toBe(false)
  })
})
