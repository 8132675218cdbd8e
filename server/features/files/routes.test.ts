import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { soakDescribe, soakTest, someOf } from '../../../test/scale.ts'
import { openTestApp, untilEnded, type Client, type TestApp } from '../../../test/app.ts'
import { makeFiles, type MadeFile } from '../../../test/files.ts'
import type { EngineWorker } from '../../engine/worker.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'

let app: TestApp
let worker: EngineWorker
let owner: Client
let batch = 0
beforeAll(async () => {
  app = await openTestApp()
  worker = await app.engine.startWorker()
  owner = app.owner
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})
/** Names are unique in a shop: each test has its own prefix. */
beforeEach(() => void batch++)

const named = (name: string) => `${batch}-${name}`
const files = async (...given: MadeFile[]): Promise<string[]> =>
  (
    await makeFiles(
      owner.scope,
      given.map((file) => ({ ...file, filename: named(file.filename) })),
    )
  ).map((id) => toPublicId('file', id))
const file = async (given: Partial<MadeFile> = {}) =>
  (await files({ filename: 'guide.pdf', ...given }))[0]!
const read = (id: string) => owner.call('GET', `/api/files/${id}`)
const change = (id: string, body: object, client = owner) =>
  client.call('PATCH', `/api/files/${id}`, body)

soakTest(
  'the day of an upload is that of the shop: at the file, in lists and their filters',
  async () => {
    const zoned = async (zone: string) => owner.call('PATCH', '/api/settings', { time_zone: zone })
    expect((await zoned('Pacific/Kiritimati')).status).toBe(200)
    onTestFinished(async () => void (await zoned('UTC')))
    const id = await file()
    // In Kiritimati it is 11:00 on the second.
    await owner.scope.query(
      `update files set created_at = '2026-03-01T21:00:00Z' where shop_id = :shop and id = :id`,
      { id: parsePublicId('file', id) },
    )
    expect((await read(id)).body.upload_date).toBe('2026-03-02')
    const listed = async (day: string) =>
      (
        await owner.call('GET', `/api/files?uploaded_after=${day}&uploaded_before=2026-03-03`)
      ).body.data.map(({ upload_date }: { upload_date: string }) => upload_date)
    expect(await listed('2026-03-02')).toEqual(['2026-03-02'])
    expect(await listed('2026-03-03')).toEqual([])
  },
)

describe('PATCH /api/files/{id}', () => {
  it('changes the named fields and keeps the rest', async () => {
    const id = await file({ tags: ['old'] })
    const before = (await read(id)).body
    const updates = {
      filename: named('Harbour.zip'),
      tags: ['new', 'b'],
      expiry_days: 30,
      download_limit: null,
      cdn: false,
      download_notification: true,
      download_tracking: false,
      allowed_referrers: ['blog.example.com'],
    }
    const { status, body } = await change(id, { ...updates, tags: [' new', 'b', 'new'] })
    const after = {
      ...before,
      ...updates,
      content_type: 'application/zip',
      updated_at: body.updated_at,
    }
    expect([status, body]).toEqual([200, after])
    expect((await read(id)).body).toEqual(after)
    expect((await change(id, { expiry_days: null })).body).toEqual({
      ...after,
      expiry_days: null,
      updated_at: expect.any(String),
    })
  })
  it('gives a public file an address while it is public', async () => {
    const id = await file()
    expect((await read(id)).body).toMatchObject({ visibility: 'private', public_url: null })
    const { body } = await change(id, { visibility: 'public' })
    expect(body.public_url).toMatch(/^http:\/\/127\.0\.0\.1\/files\/[0-9a-f-]{36}\/\d+-guide\.pdf$/)
    expect((await change(id, { visibility: 'private' })).body.public_url).toBeNull()
    expect(
      (await change(id, { visibility: 'public', filename: named('a b.pdf') })).body.public_url,
    ).toBe(body.public_url.replace('guide', 'a%20b'))
  })
  soakTest('writes nothing if nothing differs', async () => {
    const id = await file({ tags: ['a'] })
    const { body } = await read(id)
    expect(
      (await change(id, { tags: ['a'], cdn: body.cdn, filename: body.filename })).body,
    ).toEqual(body)
    expect((await change(id, {})).body).toEqual(body)
  })
  it('refuses a taken name, and accepts its own in another case', async () => {
    const [a, b] = (await files({ filename: 'a.pdf' }, { filename: 'b.pdf' })) as [string, string]
    expect(await change(a, { filename: named('B.PDF'), cdn: false })).toMatchObject({
      status: 409,
      body: {
        error: { code: 'duplicate_filename', param: 'filename', message: 'Duplicate filename' },
      },
    })
    expect((await read(a)).body).toMatchObject({ cdn: true, filename: named('a.pdf') })
    expect((await change(b, { filename: named('B.PDF') })).body).toMatchObject({
      filename: named('B.PDF'),
    })
  })
  it('names every problem, and changes nothing', async () => {
    const [a] = (await files({ filename: 'a.pdf' }, { filename: 'b.pdf' })) as [string]
    const gone = toPublicId('pack', '01999999-0000-7000-8000-000000000000')
    const refused = await change(a, { filename: named('b.pdf'), pack_id: gone, cdn: false })
    expect([refused.status, refused.body.error]).toMatchObject([
      422,
      {
        code: 'validation_failed',
        details: [
          { param: 'pack_id', code: 'pack_not_found' },
          { param: 'filename', code: 'duplicate_filename' },
        ],
      },
    ])
    const wrong = await change(a, {
      filename: 'a/b.pdf',
      tags: ['a;b'],
      expiry_days: 0,
      download_limit: -1,
      visibility: 'secret',
      pack_id: 'mine',
      size_bytes: 3,
    })
    expect(
      wrong.body.error.details.map(({ param, code }: { param: string; code: string }) => [
        param,
        code,
      ]),
    ).toEqual([
      ['filename', 'invalid_filename'],
      ['tags', 'invalid_tag'],
      ['expiry_days', 'out_of_range'],
      ['download_limit', 'out_of_range'],
      ['visibility', 'invalid_value'],
      ['pack_id', 'invalid_value'],
      ['size_bytes', 'unknown_field'],
    ])
    expect((await read(a)).body).toMatchObject({ cdn: true, filename: named('a.pdf') })
  })
  it('a file claimed by an operation is in use', async () => {
    const id = await file()
    const operation = await app.engine.startOn(app.engine.engine.workflow('tag-files')!, {
      ids: [],
      dryRun: true,
    })
    const claim = { file_id: parsePublicId('file', id)!, operation_id: operation, lease: 1 }
    await owner.scope.insert('file_claims', claim)
    expect(await change(id, { cdn: false })).toMatchObject({
      status: 409,
      body: { error: { code: 'file_in_use' } },
    })
    await owner.scope.from('file_claims').where('file_id', claim.file_id).delete()
    expect((await change(id, { cdn: false })).status).toBe(200)
  })
  it('accepts twenty concurrent changes, but only one of two for the same name', async () => {
    const [a, b] = (await files({ filename: 'a.pdf' }, { filename: 'b.pdf' })) as [string, string]
    const both = await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => change(a, { download_limit: n + 1 })),
      change(a, { expiry_days: 99 }),
    ])
    expect(both.map(({ status }) => status)).toEqual(Array(21).fill(200))
    expect((await read(a)).body).toMatchObject({ expiry_days: 99 })
    const rivals = await Promise.all([a, b].map((id) => change(id, { filename: named('one.pdf') })))
    expect(rivals.map(({ status }) => status).sort()).toEqual([200, 409])
  })
  it('refuses files in the trash, of other shops, and requests without the scope', async () => {
    const id = await file()
    const stranger = await app.stranger(`stranger-${batch}.myshopify.com`)
    expect((await change(id, { cdn: false }, stranger)).status).toBe(404)
    expect((await change(id, { cdn: false }, await app.clientWith(['files:read']))).status).toBe(
      403,
    )
    await owner.call('POST', '/api/files/bulk-delete', { file_ids: [id] })
    expect((await change(id, { cdn: false })).status).toBe(404)
  })
})

describe('the list', () => {
  it('counts matches on its first page, and says on later pages that it does not', async () => {
    const shop = await app.stranger(`list-${batch}.myshopify.com`)
    await makeFiles(
      shop.scope,
      Array.from({ length: 7 }, (_, n) => ({ filename: `file ${n}.pdf` })),
    )
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { body } = await shop.call(
        'GET',
        `/api/files?limit=3&sort=filename${cursor ? `&cursor=${cursor}` : ''}`,
      )
      expect(body.total).toBe(7)
      seen.push(...body.data.map(({ filename }: { filename: string }) => filename))
      cursor = body.next_cursor
    } while (cursor)
    expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => `file ${n}.pdf`))
  })
  it.each(
    someOf(
      [
        ['another list’s', Buffer.from('["a"]')],
        ['no time', Buffer.from('["yesterday","01999999-0000-7000-8000-000000000000",1,1]')],
        ['no id', Buffer.from('["2026-01-01 00:00:00+00","1 or true",1,1]')],
        [
          'no number',
          Buffer.from('["2026-01-01 00:00:00+00","01999999-0000-7000-8000-000000000000","1","1"]'),
        ],
        ['no JSON', Buffer.from('nonsense')],
        [
          'a day that does not exist',
          Buffer.from('["2026-02-30 00:00:00+00","01999999-0000-7000-8000-000000000000",1,1]'),
        ],
      ] as const,
      (_, at) => at % 4 === 0,
    ),
  )('refuses a cursor that is %s', async (_what, cursor) => {
    expect(
      await owner.call('GET', `/api/files?cursor=${cursor.toString('base64url')}`),
    ).toMatchObject({
      status: 422,
      body: { error: { code: 'validation_failed' } },
    })
  })
  soakTest('every other list refuses such cursors too', async () => {
    const id = await file()
    const { body: started } = await owner.call('POST', '/api/operations', {
      action: 'restore-files',
      select: { file_ids: [id] },
      dry_run: true,
    })
    const cursorOf = (...parts: unknown[]) =>
      Buffer.from(JSON.stringify(parts)).toString('base64url')
    const uuid = '01999999-0000-7000-8000-000000000000'
    const wrong: [string, string[]][] = [
      [
        `/api/operations/${started.id}/items`,
        [cursorOf('x'), cursorOf(1.5), cursorOf(5e9), cursorOf(null)],
      ],
      ['/api/products', [cursorOf('x', 'a', 'b'), cursorOf(1.5, 'a', 'b'), cursorOf(1, 2, 'b')]],
      ['/api/files?sort=size_bytes', [cursorOf(1.5, uuid, 1, 1), cursorOf('1', uuid, 1, 1)]],
      ['/api/tags', [cursorOf('x', 'a'), cursorOf(1, 2)]],
      ['/api/notices', [cursorOf('x')]],
      ['/api/messages', [cursorOf('x')]],
      ['/api/packs', [cursorOf(1)]],
      ['/api/api-keys', [cursorOf('x')]],
      ['/api/tag-templates', [cursorOf(1)]],
      [`/api/files/${id}/versions`, [cursorOf('x')]],
    ]
    for (const [path, cursors] of wrong)
      for (const cursor of cursors) {
        const { status } = await owner.call(
          'GET',
          `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`,
        )
        expect([path, cursor, status]).toEqual([path, cursor, 422])
      }
  })
  it('tags are listed page by page, most used first, each once', async () => {
    const shop = await app.stranger(`tags-${batch}.myshopify.com`)
    const ids = await makeFiles(
      shop.scope,
      ['a', 'b', 'c'].map((name) => ({ filename: `${name}.pdf` })),
    )
    for (const [at, tags] of [
      ['all', 'two', 'x'],
      ['all', 'two', 'y'],
      ['all', 'z'],
    ].entries())
      await shop.call('PATCH', `/api/files/${toPublicId('file', ids[at]!)}`, { tags })
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await shop.call('GET', `/api/tags?limit=2${cursor}`)
      seen.push(
        ...body.data.map(({ tag, files }: { tag: string; files: number }) => `${tag} ${files}`),
      )
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : ''
    } while (cursor !== '')
    expect(seen).toEqual(['all 3', 'two 2', 'x 1', 'y 1', 'z 1'])
  })
  soakTest(
    'a file in the trash for more than a week is neither listed nor restored, even before the sweep',
    async () => {
      const id = await file()
      await owner.call('POST', '/api/files/bulk-delete', { file_ids: [id] })
      const age = (days: string) =>
        owner.scope.query(
          `update files set deleted_at = now() - :days::interval where shop_id = :shop and id = :id`,
          {
            days,
            id: parsePublicId('file', id),
          },
        )
      const listed = async () =>
        (await owner.call('GET', `/api/files?deleted=true&search=${named('guide')}`)).body.data
          .length as number
      await age('6 days 23 hours')
      expect(await listed()).toBe(1)
      await age('7 days')
      expect(await listed()).toBe(0)
      const { body } = await owner.call('POST', '/api/operations', {
        action: 'restore-files',
        select: { file_ids: [id] },
      })
      expect(await untilEnded(owner, body.id)).toMatchObject({ status: 'failed', failed: 1 })
      expect((await read(id)).status).toBe(404)
    },
  )
  it('a path names its methods, and how to authenticate', async () => {
    const odd = await owner.call('DELETE', '/api/files')
    expect([odd.status, odd.headers.get('allow')]).toEqual([405, 'HEAD, GET'])
    for (const [path, allow] of [
      ['/api/uploads', 'OPTIONS, POST'],
      ['/api/uploads/upload_x', 'OPTIONS, HEAD, PATCH, DELETE'],
    ])
      expect((await owner.call('GET', path!)).headers.get('allow')).toBe(allow)
    const stranger = await fetch(`${app.url}/api/files`)
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="Stevedore"',
    ])
  })
  soakTest('only working links are counted', async () => {
    const id = await file({ mapped: true })
    const link = async () =>
      (await owner.call('POST', '/api/links', { file_ids: [id] })).body.data[0].id as string
    const active = async () => (await read(id)).body.links_active as number
    const set = (table: 'files' | 'links', fields: object) =>
      // oxfmt-ignore
      owner.scope.from(table).where(table === 'files' ? 'id' : 'file_id', parsePublicId('file', id)!).update(fields as never)
    await link()
    await owner.call('POST', `/api/links/${await link()}/revoke`)
    expect(await active()).toBe(1)
    await set('files', { mapping_state: 'unmapped' })
    expect(await active()).toBe(0)
    await set('files', { mapping_state: 'mapped' })
    const { body: pack } = await owner.call('POST', '/api/packs', { name: named('set') })
    await change(id, { pack_id: pack.id })
    const { body: made } = await owner.call('POST', '/api/links', {
      pack_id: pack.id,
      expiry_days: 1,
    })
    await fetch(made.data[0].url.replace('http://127.0.0.1', app.url))
    expect(await active()).toBe(2)
    // Its own expiry is ignored: it is valid as long as the pack's link.
    await owner.scope.query(
      `update links set expires_at = now() - interval '1 hour' where shop_id = :shop
         and parent_id is not null`,
    )
    expect(await active()).toBe(2)
    await change(id, { pack_id: null })
    expect(await active()).toBe(1)
    await change(id, { pack_id: pack.id })
    await owner.call('POST', `/api/links/${made.data[0].id}/revoke`)
    expect(await active()).toBe(1)
  })
  it('of the trash shows the time of deletion; a restored file has its name and address again', async () => {
    const id = await file()
    await change(id, { visibility: 'public' })
    const before = (await read(id)).body
    await owner.call('POST', '/api/files/bulk-delete', { file_ids: [id] })
    expect((await read(id)).status).toBe(404)
    const trash = async () =>
      (await owner.call('GET', `/api/files?deleted=true&search=${named('guide')}`)).body
        .data as Record<string, unknown>[]
    expect(await trash()).toMatchObject(
      [
        {
          ...before,
          links_active: undefined,
          storage: undefined,
          sample: undefined,
          deleted_at: expect.stringMatching(/Z$/),
          updated_at: expect.any(String),
          public_url: null,
        },
      ].map(({ links_active: _, storage: __, sample: ___, ...shown }) => shown),
    )
    const { body } = await owner.call('POST', '/api/operations', {
      action: 'restore-files',
      select: { file_ids: [id] },
    })
    expect(await untilEnded(owner, body.id)).toMatchObject({ status: 'success', done: 1 })
    expect(await trash()).toEqual([])
    expect((await read(id)).body).toEqual({ ...before, updated_at: expect.any(String) })
  })
  soakTest('a file whose name was taken meanwhile is restored with a number', async () => {
    const id = await file()
    await owner.call('POST', '/api/files/bulk-delete', { file_ids: [id] })
    await file()
    const select = { filter: { search: named('guide') } }
    const { body } = await owner.call('POST', '/api/operations', {
      action: 'restore-files',
      select,
    })
    expect(await untilEnded(owner, body.id)).toMatchObject({ status: 'success', total: 1, done: 1 })
    expect((await read(id)).body).toMatchObject({
      filename: named('guide (2).pdf'),
      deleted_at: null,
    })
  })
  it('purging needs its scope', async () => {
    const id = await file()
    const deleter = await app.clientWith(['files:delete', 'operations:write', 'operations:read'])
    const body = { file_ids: [id], permanent: true }
    expect((await deleter.call('POST', '/api/files/bulk-delete', body)).status).toBe(403)
    const purge = { action: 'purge-files', select: { file_ids: [id] } }
    expect((await deleter.call('POST', '/api/operations', purge)).status).toBe(403)
    expect((await owner.call('POST', '/api/files/bulk-delete', body)).body).toMatchObject({
      deleted: 1,
    })
    expect(
      (await owner.call('GET', `/api/files?deleted=true&search=${named('')}`)).body.data,
    ).toEqual([])
  })
})

describe('POST /api/files/impact', () => {
  it('counts products and working links of the selection, each once', async () => {
    const ids = await files(
      ...['a.pdf', 'b.pdf', 'c.zip'].map((filename) => ({ filename, mapped: true })),
      { filename: 'd.pdf' },
      { filename: 'trashed.pdf', mapped: true },
    )
    const [a, b, c, d, trashed] = ids as [string, string, string, string, string]
    const link = async (...file_ids: string[]) =>
      (await owner.call('POST', '/api/links', { file_ids })).body.data[0].id
    await link(a, c, d, trashed)
    await link(a)
    await owner.call('POST', `/api/links/${await link(b)}/revoke`)
    await owner.call('POST', '/api/files/bulk-delete', { file_ids: [trashed] })
    const impact = async (select: object, client = owner) =>
      (await client.call('POST', '/api/files/impact', { select })).body
    const all = { files: 5, mapped: 4, products: 1, live_links: 4, paid_deliveries: 0 }
    expect(await impact({ file_ids: ids })).toEqual(all)
    expect(await impact({ file_ids: [b, d, d] })).toEqual({
      files: 2,
      mapped: 1,
      products: 1,
      live_links: 1,
      paid_deliveries: 0,
    })
    const pdfs = { search: named(''), type: ['pdf'] }
    expect(await impact({ filter: pdfs })).toEqual({
      files: 3,
      mapped: 2,
      products: 1,
      live_links: 3,
      paid_deliveries: 0,
    })
    expect(await impact({ filter: { ...pdfs, deleted: true } })).toEqual({
      ...all,
      files: 1,
      mapped: 1,
      live_links: 0,
      paid_deliveries: 0,
    })
    const stranger = await app.stranger(`impact-${batch}.myshopify.com`)
    expect(await impact({ file_ids: ids }, stranger)).toEqual({
      files: 0,
      mapped: 0,
      products: 0,
      live_links: 0,
      paid_deliveries: 0,
    })
  })
})

describe('downloads of a file', () => {
  soakTest('are listed newest first, page by page, with the link that each used', async () => {
    const id = await file()
    const file_id = parsePublicId('file', id)!
    const link = (await owner.call('POST', '/api/links', { file_ids: [id] })).body.data[0]
      .id as string
    for (const [n, link_id] of [null, parsePublicId('link', link), null].entries())
      await owner.scope.insert('downloads', {
        file_id,
        link_id,
        address: `192.0.2.${n}`,
        agent: 'curl/8',
        at: new Date(Date.UTC(2026, 0, n + 1)),
      })
    const first = await owner.call('GET', `/api/files/${id}/downloads?limit=2`)
    expect(first.body.data).toEqual([
      { at: '2026-01-03T00:00:00.000Z', link_id: null, address: '192.0.2.2', agent: 'curl/8' },
      { at: '2026-01-02T00:00:00.000Z', link_id: link, address: '192.0.2.1', agent: 'curl/8' },
    ])
    const rest = await owner.call(
      'GET',
      `/api/files/${id}/downloads?limit=2&cursor=${first.body.next_cursor}`,
    )
    expect(rest.body).toMatchObject({ data: [{ address: '192.0.2.0' }], next_cursor: null })
    expect(
      (await owner.call('GET', `/api/files/${await file({ filename: 'other.pdf' })}/downloads`))
        .body,
    ).toEqual({
      data: [],
      next_cursor: null,
    })
    expect((await owner.call('GET', `/api/files/${id}/downloads?cursor=WzFd`)).status).toBe(422)
  })
  it('at its public address are included', async () => {
    const id = await file()
    await change(id, { visibility: 'public' })
    await owner.scope.query(
      'update public_addresses set downloads = 4 where shop_id = :shop and file_id = :id',
      {
        id: parsePublicId('file', id)!,
      },
    )
    expect((await read(id)).body.downloads).toBe(4)
  })
})

soakDescribe('a public address', () => {
  it('is replaced by another one; a private file has none', async () => {
    const id = await file()
    const rotate = () => owner.call('POST', `/api/files/${id}/public-address`)
    expect(await rotate()).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
    const { body: before } = await change(id, { visibility: 'public' })
    const { status, body } = await rotate()
    expect([status, body]).toMatchObject([
      200,
      { ...before, public_url: expect.stringMatching(/guide\.pdf$/) },
    ])
    expect(body.public_url).not.toBe(before.public_url)
  })
})

it('tags are searched in any case, most used first', async () => {
  const shop = await app.stranger(`tags-${batch}.myshopify.com`)
  await makeFiles(shop.scope, [
    { filename: 'a', tags: ['Été 2026', 'summer'] },
    { filename: 'b', tags: ['Summer', 'summer', '50%'] },
    { filename: 'c', tags: ['midsummer', 'summer'] },
  ])
  const tags = async (query: string) => (await shop.call('GET', `/api/tags?${query}`)).body.data
  expect(await tags('search=SUMMER')).toEqual([
    { tag: 'summer', files: 3 },
    { tag: 'Summer', files: 1 },
    { tag: 'midsummer', files: 1 },
  ])
  expect(await tags('search=%C3%A9T%C3%89')).toEqual([{ tag: 'Été 2026', files: 1 }])
  expect(await tags('search=%25')).toEqual([{ tag: '50%', files: 1 }])
  expect(await tags('limit=1')).toEqual([{ tag: 'summer', files: 3 }])
})

it('an operation on a filter changes exactly the files that the list shows', async () => {
  const [stored, other] = await files({ filename: 'stored.pdf' }, { filename: 'other.pdf' })
  await owner.scope.query(
    `insert into backups (shop_id, file_id, hash, location, record)
     select shop_id, file_id, hash, location, '{}' from versions
     where shop_id = :shop and file_id = :id`,
    { id: parsePublicId('file', stored!) },
  )
  const filter = { storage: 'primary', backed_up: false, search: named('') }
  const listed = await owner.call(
    'GET',
    `/api/files?${new URLSearchParams({ ...filter, backed_up: 'false' }).toString()}`,
  )
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([other])
  const started = await owner.call('POST', '/api/operations', {
    action: 'tag-files',
    options: { mode: 'add', tags: ['kept'] },
    select: { filter },
  })
  expect(await untilEnded(owner, started.body.id)).toMatchObject({ status: 'success', total: 1 })
  expect((await read(other!)).body.tags).toEqual(['kept'])
  expect((await read(stored!)).body.tags).toEqual([])
  const jumped = await owner.call(
    'GET',
    `/api/files?search=${named('')}&sort=filename&offset=1&limit=1`,
  )
  expect(jumped.body).toMatchObject({ data: [{ id: stored }], next_cursor: null, total: 2 })
})
