import Papa from 'papaparse'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import {
  openTestApp,
  untilEnded,
  type Answer,
  type Client,
  type TestApp,
} from '../../../test/app.ts'
import { insertManyFiles } from '../../../test/factories.ts'
import { originalCell } from '../../files/cells.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { createLinks } from './model/creation.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import type { Reply } from '../../http/endpoint.ts'
import { runIdempotently } from '../../http/idempotency.ts'

const DAY_MS = 86_400_000
const FILES = 150
let app: TestApp
let reader: Client
let stranger: Client
/** Public ids. */
let files: string[]
let worker: { stop(): Promise<void> }

beforeAll(async () => {
  app = await openTestApp()
  await insertManyFiles(app.engine.parts.database.pool, { shop: app.engine.shop, count: FILES })
  files = (await app.owner.scope.from<{ id: string }>('files').orderBy('id').select('id')).map(
    ({ id }) => toPublicId('file', id),
  )
  reader = await app.clientWith(['files:read', 'operations:read'])
  stranger = await app.stranger('stranger.myshopify.com')
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})

const post = (route: string, body?: unknown, by = app.owner): Promise<Answer> =>
  by.call('POST', `/api/links${route}`, body)
const list = async (query = '', by = app.owner) => (await by.call('GET', `/api/links${query}`)).body
const one = async (given: object = {}) => {
  const { body } = await post('', { file_ids: [files[0]], ...given })
  return body.data[0]
}
const ahead = (iso: string) => Math.round((Date.parse(iso) - Date.now()) / DAY_MS)
const problems = ({ status, body }: Answer) => [
  status,
  body.error.details.map(({ index, param, code }: Record<string, unknown>) => [index, param, code]),
]

describe('POST /api/links', () => {
  it('creates a link for each file in order, with its own terms if given', async () => {
    const per_file = [
      { file_id: files[1], expiry_days: null, download_limit: 9, email: 'b@example.com' },
    ]
    const { status, body } = await post('', {
      file_ids: files.slice(0, 3),
      expiry_days: 30,
      email: 'a@example.com',
      per_file,
    })
    expect(status).toBe(201)
    expect(body.data.map(({ file_id }: { file_id: string }) => file_id)).toEqual(files.slice(0, 3))
    expect(await one({ email: null })).toMatchObject({ email: null, status: 'active' })
    expect(body.data[0]).toMatchObject({
      id: expect.stringMatching(/^link_/),
      pack_id: null,
      filename: expect.stringMatching(/^file-/),
      status: 'active',
      url: expect.stringMatching(/\/download\?key=[\w-]{43}$/),
      email: 'a@example.com',
      download_limit: 5,
      downloads: 0,
    })
    expect(
      body.data.map(
        ({ expires_at }: { expires_at: string | null }) => expires_at && ahead(expires_at),
      ),
    ).toEqual([30, null, 30])
    expect(body.data[1]).toMatchObject({ download_limit: 9, email: 'b@example.com' })
  })

  it('creates one for a pack, with the shop’s defaults for absent terms', async () => {
    const { body: pack } = await app.owner.call('POST', '/api/packs', { name: 'Spring set' })
    const { status, body } = await post('', { pack_id: pack.id, download_limit: 2 })
    expect([status, body.data.length]).toEqual([201, 1])
    expect(body.data[0]).toMatchObject({
      file_id: null,
      pack_id: pack.id,
      filename: 'Spring set',
      download_limit: 2,
    })
    expect(ahead(body.data[0].expires_at)).toBe(60)
    expect((await list(`?pack_id=${pack.id}`)).data).toEqual(body.data)
    expect((await post('', { pack_id: pack.id }, stranger)).status).toBe(404)
    expect((await post('', { pack_id: 'pack_nonsense' })).status).toBe(404)
  })

  it('names every problem and creates none', async () => {
    const before = (await list('?limit=250')).data.length
    const file = 'file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e'
    const bad = {
      file_ids: [files[0], 'nonsense'],
      expiry_days: 0,
      download_limit: 2e9,
      email: 'no',
      colour: 'red',
      per_file: [{ file_id: files[0], expiry_days: 36_501 }],
    }
    expect(problems(await post('', bad))).toEqual([
      422,
      expect.arrayContaining([
        [1, 'file_ids', 'invalid_value'],
        [undefined, 'expiry_days', 'out_of_range'],
        [undefined, 'download_limit', 'out_of_range'],
        [undefined, 'email', 'invalid_value'],
        [0, 'expiry_days', 'out_of_range'],
        [undefined, 'colour', 'unknown_field'],
      ]),
    ])
    expect(problems(await post('', { file_ids: [files[0], file, files[0]] }))).toEqual([
      422,
      [
        [2, 'file_ids', 'invalid_value'],
        [1, 'file_ids', 'not_found'],
      ],
    ])
    expect(problems(await post('', { file_ids: [files[0], file] }))).toEqual([
      422,
      [[1, 'file_ids', 'not_found']],
    ])
    const twice = [files[1], files[0], files[0]].map((file_id) => ({ file_id }))
    expect(problems(await post('', { file_ids: [files[0]], per_file: twice }))).toEqual([
      422,
      [
        [0, 'per_file.file_id', 'invalid_value'],
        [2, 'per_file.file_id', 'invalid_value'],
      ],
    ])
    for (const body of [{}, { file_ids: [] }, { file_ids: [files[0]], pack_id: 'pack_x' }])
      expect((await post('', body)).status).toBe(422)
    expect((await post('', { file_ids: [files[0]] }, reader)).status).toBe(403)
    expect((await list('?limit=250')).data.length).toBe(before)
  })

  soakTest(
    'as an action refuses terms for a file that is not selected, by ids or by a filter',
    async () => {
      const per_file = [0, 1].map((at) => ({ file_id: files[at], download_limit: 1 }))
      const { body: file } = await app.owner.call('GET', `/api/files/${files[0]}`)
      for (const select of [{ file_ids: [files[0]] }, { filter: { search: file.filename } }]) {
        const start = { action: 'create-links', select, options: { per_file } }
        expect(problems(await app.owner.call('POST', '/api/operations', start))).toEqual([
          422,
          [[undefined, 'options.per_file[1].file_id', 'invalid_value']],
        ])
      }
    },
  )

  soakTest(
    'is an operation above 100 files, whose list needs the scope to create links',
    async () => {
      const body = {
        file_ids: files,
        expiry_days: 7,
        per_file: [{ file_id: files[120], download_limit: 1 }],
      }
      const answer = await post('', body)
      expect(answer).toMatchObject({ status: 202, body: { action: 'create-links', total: FILES } })
      expect(answer.headers.get('location')).toBe(`/api/operations/${answer.body.id}`)
      const operation = await untilEnded(app.owner, answer.body.id)
      const url = `/api/operations/${operation.id}/artifact`
      expect(operation).toMatchObject({
        status: 'success',
        done: FILES,
        cannot_undo: [],
        artifact: {
          filename: expect.stringMatching(/^links-\d{4}-\d\d-\d\d\.csv$/),
          content_type: 'text/csv',
          url,
        },
      })
      const { status, headers, body: csv } = await app.owner.call('GET', url)
      expect([status, headers.get('content-disposition')]).toEqual([
        200,
        expect.stringMatching(/^attachment; .*links-/),
      ])
      expect(headers.get('content-length')).toBe(String(operation.artifact.size_bytes))
      const rows = Papa.parse<string[]>(csv.trimEnd()).data
      expect(rows[0]).toEqual(['filename', 'url', 'email', 'expires_at', 'download_limit'])
      expect(rows.length).toBe(FILES + 1)
      expect(rows[121]![4]).toBe('1')
      const made = await list(`?operation_id=${operation.id}&limit=250`)
      expect(new Set(made.data.map((link: { url: string }) => link.url))).toEqual(
        new Set(rows.slice(1).map((row) => row[1])),
      )
      expect((await reader.call('GET', url)).status).toBe(403)
      expect((await stranger.call('GET', url)).status).toBe(404)
      expect((await stranger.call('GET', `/api/links?operation_id=${operation.id}`)).status).toBe(
        404,
      )
    },
  )

  soakTest('names unknown files of an operation too, and starts none', async () => {
    const unknown = 'file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e'
    expect(problems(await post('', { file_ids: [...files.slice(0, 100), unknown] }))).toEqual([
      422,
      [[100, 'file_ids', 'not_found']],
    ])
    expect(problems(await post('', { file_ids: files }, stranger))[0]).toBe(422)
  })
})

describe('an Idempotency-Key', () => {
  const request = (key: string, atomic = false) => ({
    key,
    method: 'post',
    path: '/api/test',
    body: {},
    atomic,
    secrets: app.engine.parts.secrets,
    signal: new AbortController().signal,
  })
  const reply: Reply = { status: 201, body: { made: true } }
  const linksMade = async () =>
    (await app.owner.scope.from<{ id: string }>('links').select('id')).length
  const makeOne = (scope: ShopScope) =>
    createLinks(
      scope,
      app.engine.parts.secrets,
      { file_ids: [parsePublicId('file', files[3]!)!] },
      new Date(),
    )

  it('stores no link’s key in plain text, and returns the same links again', async () => {
    const headers = { 'idempotency-key': 'links-once' }
    const send = () =>
      app.owner.call('POST', '/api/links', { file_ids: files.slice(0, 2) }, headers)
    const first = await send()
    const [row] = await app.owner.scope.query<{ reply: Buffer }>(
      `select reply from idempotency_keys where shop_id = :shop and key = 'links-once'`,
    )
    const key = new URL(first.body.data[0].url).searchParams.get('key')!
    expect(row!.reply.length).toBeGreaterThan(JSON.stringify(first.body).length)
    for (const open of [key, 'download?key', first.body.data[0].id])
      expect(row!.reply.includes(open)).toBe(false)
    const again = await send()
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([
      201,
      first.body,
      'true',
    ])
  })

  it('of a refused request can be used again; after an interruption a retry continues with the same unique key', async () => {
    const uses: string[] = []
    const work = (error?: Error) => (unique: string) => {
      uses.push(unique)
      return error ? Promise.reject(error) : Promise.resolve(reply)
    }
    await expect(
      runIdempotently(app.owner.scope, request('once'), work(new AppError('conflict'))),
    ).rejects.toThrow()
    await expect(
      runIdempotently(app.owner.scope, request('once'), work(new Error('cut'))),
    ).rejects.toThrow('cut')
    await expect(
      runIdempotently(app.owner.scope, request('once'), work(new AppError('unavailable'))),
    ).rejects.toThrow()
    expect(await runIdempotently(app.owner.scope, request('once'), work())).toEqual(reply)
    expect([new Set(uses).size, uses[1] === uses[2], uses[2] === uses[3]]).toEqual([2, true, true])
    expect(await runIdempotently(app.owner.scope, request('once'), work())).toMatchObject({
      ...reply,
      headers: {},
    })
    expect(uses.length).toBe(4)
  })

  it('is recorded in the same transaction as the work, also if two processes both run the request', async () => {
    const before = await linksMade()
    const broken = runIdempotently(
      app.owner.scope,
      request('atomic', true),
      async (_unique, scope) => {
        await makeOne(scope)
        throw new Error('killed')
      },
    )
    await expect(broken).rejects.toThrow('killed')
    expect(await linksMade()).toBe(before)
    const slow = runIdempotently(
      app.owner.scope,
      request('atomic', true),
      async (_unique, scope) => {
        await makeOne(scope)
        // Meanwhile the first request counts as dead, and another one has finished.
        await app.owner.scope.query(
          `update idempotency_keys set holder_beat_at = '-infinity' where shop_id = :shop
             and key = 'atomic'`,
        )
        await runIdempotently(app.owner.scope, request('atomic', true), async (_again, other) => {
          await makeOne(other)
          return reply
        })
        return { ...reply, body: 'of the late one' }
      },
    )
    expect(await slow).toMatchObject(reply)
    expect(await linksMade()).toBe(before + 1)
  })
})

describe('GET /api/links', () => {
  it('needs files:read or links:write', async () => {
    for (const [scope, status] of [
      ['files:read', 200],
      ['links:write', 200],
      ['files:write', 403],
    ] as const)
      expect((await (await app.clientWith([scope])).call('GET', '/api/links')).status).toBe(status)
    expect(
      (await (await app.clientWith(['links:write'])).call('GET', '/api/links?limit=1')).body.data[0]
        .url,
    ).toContain('key=')
  })

  it('filters, pages, and shows addresses only with links:write', async () => {
    const link = await one({ email: 'Filter@Example.com', file_ids: [files[5]] })
    expect((await list('?email=filter@example.com')).data).toEqual([link])
    expect((await list('?search=filter@')).data).toEqual([link])
    expect(
      (await list(`?search=${encodeURIComponent(link.filename)}&email=filter@example.com`)).data,
    ).toEqual([link])
    expect((await list('?email=filter@example.com&status=revoked')).data).toEqual([])
    expect((await list('?email=filter@example.com', reader)).data).toEqual([
      { ...link, url: null, copy_url: null },
    ])
    expect((await list('', stranger)).data).toEqual([])
    const first = await list('?limit=2')
    const second = await list(`?limit=2&cursor=${first.next_cursor}`)
    expect(new Set([...first.data, ...second.data].map(({ id }: { id: string }) => id)).size).toBe(
      4,
    )
    for (const query of ['?status=used', '?colour=red', '?cursor=nonsense', '?limit=251'])
      expect((await app.owner.call('GET', `/api/links${query}`)).status).toBe(422)
    expect((await stranger.call('GET', `/api/links?file_id=${files[0]}`)).status).toBe(404)
  })

  it('a malformed id in the query of any list is refused by name', async () => {
    for (const [path, param] of [
      ['/api/links', 'file_id'],
      ['/api/links', 'pack_id'],
      ['/api/links', 'operation_id'],
      ['/api/links/export.csv', 'file_id'],
      ['/api/deliveries', 'file_id'],
      ['/api/operations', 'schedule_id'],
      ['/api/reviews', 'like'],
      ['/api/files', 'pack'],
      ['/api/drop-account', 'account'],
    ]) {
      const { status, body } = await app.owner.call('GET', `${path}?${param}=zz`)
      expect([path, param, status, body.error?.param]).toEqual([path, param, 422, param])
    }
  })

  soakTest('is exported as complete CSV that no spreadsheet executes', async () => {
    const [id] = await app.owner.scope
      .from<{ id: string }>('files')
      .orderBy('id')
      .select('id')
      .limit(1)
    await app.owner.scope
      .from('files')
      .where('id', id!.id)
      .update({ filename: '=1+1, "x".pdf' } as never)
    const link = await one({ email: '+formula@example.com' })
    const { status, headers, body } = await app.owner.call('GET', '/api/links/export.csv')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="links-\d{4}-\d\d-\d\d\.csv"$/,
    )
    const rows = Papa.parse<string[]>(body.trimEnd()).data
    expect(body).toContain(`"'=1+1, ""x"".pdf",${link.url},'+formula@example.com,`)
    expect(rows[1]!.map(originalCell)).toEqual([
      link.id,
      link.filename,
      link.url,
      link.email,
      link.expires_at,
      '5',
      '0',
      'active',
      link.created_at,
      // The limit, count and end of views.
      '',
      '0',
      '',
    ])
    const { rows: counted } = await app.engine.parts.database.pool.query<{ count: number }>(
      'select count(*) from links where shop_id = $1',
      [app.engine.shop],
    )
    expect(rows.length - 1).toBe(counted[0]!.count)
    const filtered = await app.owner.call(
      'GET',
      `/api/links/export.csv?email=${encodeURIComponent(link.email)}`,
    )
    expect(Papa.parse<string[]>(filtered.body.trimEnd()).data).toEqual([rows[0], rows[1]])
    expect((await reader.call('GET', '/api/links/export.csv')).status).toBe(403)
    expect((await app.owner.call('GET', '/api/links/export.csv?colour=red')).status).toBe(422)
  })
})

describe('a link', () => {
  it('is revoked for good, extended from now, and its count reset', async () => {
    const { id } = await one({ expiry_days: 1, download_limit: 1 })
    await app.owner.scope
      .from('links')
      .update({ downloads: 1 } as never)
      .where('download_limit', 1)
    expect((await list('?status=exhausted')).data.map((link: { id: string }) => link.id)).toContain(
      id,
    )
    expect((await post(`/${id}/reset`)).body).toMatchObject({ id, downloads: 0, status: 'active' })
    const extended = await post(`/${id}/extend`, { expiry_days: 90 })
    expect([extended.status, ahead(extended.body.expires_at)]).toEqual([200, 90])
    expect((await post(`/${id}/extend`, { expiry_days: null })).body).toMatchObject({
      expires_at: null,
    })
    expect((await post(`/${id}/revoke`)).body).toMatchObject({ id, status: 'revoked' })
    expect((await post(`/${id}/revoke`)).status).toBe(200)
    expect((await post(`/${id}/reset`)).body.error).toMatchObject({ code: 'conflict', status: 409 })
    expect((await post(`/${id}/extend`, { expiry_days: 1 })).status).toBe(409)
  })

  it.each(someOf(['revoke', 'reset', 'extend'] as const, (_, at) => at < 1))(
    'of another shop, or an unknown one, is not found by %s',
    async (what) => {
      const { id } = await one()
      const body = what === 'extend' ? { expiry_days: 1 } : undefined
      expect((await post(`/${id}/${what}`, body, stranger)).status).toBe(404)
      expect((await post(`/nonsense/${what}`, body)).status).toBe(404)
      expect((await post(`/${id}/${what}`, body, reader)).status).toBe(403)
      expect((await list(`?file_id=${files[0]}&limit=1`)).data[0]).toMatchObject({
        id,
        status: 'active',
      })
    },
  )

  soakTest('can only be extended to dates that exist', async () => {
    const { id } = await one()
    for (const expiry_days of [0, -1, 1.5, 36_501, 'x', undefined])
      expect(problems(await post(`/${id}/extend`, { expiry_days }))).toEqual([
        422,
        [[undefined, 'expiry_days', expect.any(String)]],
      ])
  })
})

describe('many links', () => {
  it('are revoked together, or not at all if one is unknown', async () => {
    const links = [await one(), await one(), await one()].map(({ id }) => id)
    await post(`/${links[0]}/revoke`)
    const theirs = links[1]
    const unknown = 'link_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e'
    expect(
      problems(await post('/revoke', { link_ids: [links[1], unknown, 'x', links[1]] })),
    ).toEqual([
      422,
      [
        [1, 'link_ids', 'not_found'],
        [2, 'link_ids', 'not_found'],
        [3, 'link_ids', 'invalid_value'],
      ],
    ])
    expect((await post('/revoke', { link_ids: [theirs] }, stranger)).status).toBe(422)
    expect((await post('/revoke', { link_ids: [] })).status).toBe(422)
    expect((await post('/revoke', { link_ids: links })).body).toEqual({ revoked: 2 })
    expect((await post('/revoke', { link_ids: links })).body).toEqual({ revoked: 0 })
  })

  it('are sent to their addresses once per request; those that cannot be sent are skipped with the reason', async () => {
    const links = [
      await one({ email: 'a@example.com' }),
      await one(),
      await one({ email: 'b@example.com' }),
    ]
    await post(`/${links[2].id}/revoke`)
    const link_ids = links.map(({ id }) => id)
    const skipped = [
      { link_id: link_ids[1], reason: 'It was created without an email address' },
      { link_id: link_ids[2], reason: 'It was revoked' },
    ]
    expect((await post('/email', { link_ids })).body).toEqual({ queued: 1, skipped })
    const key = { 'idempotency-key': 'send-once' }
    for (let n = 0; n < 2; n++)
      expect((await app.owner.call('POST', '/api/links/email', { link_ids }, key)).body).toEqual({
        queued: 1,
        skipped,
      })
    const { body } = await app.owner.call('GET', '/api/messages')
    expect(body.data.map(({ to }: { to: string[] }) => to)).toEqual([
      ['a@example.com'],
      ['a@example.com'],
    ])
    expect(JSON.stringify(body)).not.toContain(links[0].url)
    expect((await post('/email', { link_ids }, stranger)).status).toBe(422)
    expect((await post('/email', { link_ids }, reader)).status).toBe(403)
  })

  soakTest('are sent again at most five times an hour, each', async () => {
    const [often, once] = [
      await one({ email: 'often@example.com' }),
      await one({ email: 'once@example.com' }),
    ]
    for (let n = 0; n < 5; n++)
      expect((await post('/email', { link_ids: [often.id] })).body.queued).toBe(1)
    const link_ids = [often.id, once.id]
    const refused = {
      queued: 1,
      skipped: [
        {
          link_id: often.id,
          reason: 'It was sent 5 times within an hour',
          reason_text: {
            message: 'It was sent {count} times within an hour',
            values: { count: 5 },
          },
        },
      ],
    }
    expect((await post('/email', { link_ids })).body).toEqual(refused)
    await app.owner.scope.query(
      `update outbox set created_at = now() - interval '61 minutes' where shop_id = :shop`,
    )
    expect((await post('/email', { link_ids })).body).toEqual({ queued: 2, skipped: [] })
  })
})
