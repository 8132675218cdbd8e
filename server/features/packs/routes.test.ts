import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import { openTestApp, untilEnded, type Client, type TestApp } from '../../../test/app.ts'
import { makeFiles, type MadeFile } from '../../../test/files.ts'
import { fillMirror, productId, variantId } from '../../../test/mirror.ts'
import { WAIT_MS } from '../../../test/wait.ts'
import type { EngineWorker } from '../../engine/worker.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import { type CreatedProduct, ProductRefused } from '../../storefront/new-products.ts'
import { NoAnswer, ScopeMissing } from '../../storefront/platform-failures.ts'
import { handleOf, productOfPack } from './model/sale.ts'

const never = new AbortController().signal
let app: TestApp
let worker: EngineWorker
let owner: Client
let names = 0
beforeAll(async () => {
  app = await openTestApp()
  worker = await app.engine.startWorker()
  owner = app.owner
  await fillMirror(owner.scope, [
    { title: 'Knots', skus: ['KNOT-1', 'KNOT-2'] },
    { title: 'Charts' },
    { title: 'Tides' },
  ])
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})

const fresh = (what = 'pack') => `${what} ${++names}`
const create = async (body: object = {}) =>
  (await owner.call('POST', '/api/packs', { name: fresh(), ...body })).body
const files = async (count: number, given: Partial<MadeFile> = {}) =>
  (
    await makeFiles(
      owner.scope,
      Array.from({ length: count }, () => ({ filename: `${fresh('file')}.pdf`, ...given })),
    )
  ).map((id) => toPublicId('file', id))
const move = async (options: object, file_ids: readonly string[]) => {
  const { body } = await owner.call('POST', '/api/operations', {
    action: 'move-to-pack',
    options,
    select: { file_ids },
  })
  return untilEnded(owner, body.id)
}
const undone = async (id: string) => {
  const { body } = await owner.call('POST', `/api/operations/${id}/undo`)
  expect(await untilEnded(owner, body.id)).toMatchObject({ status: 'success', done: 1 })
}
const packNamed = async (name: string): Promise<string | undefined> => {
  const { body } = await owner.call('GET', '/api/packs?limit=250')
  return (body.data as { id: string; name: string }[]).find((pack) => pack.name === name)?.id
}
const fileOf = async (id: string) => (await owner.call('GET', `/api/files/${id}`)).body
const inPack = async (id: string, more = '') =>
  (await owner.call('GET', `/api/files?pack=${id}&sort=pack_position${more}`)).body.data.map(
    (f: { id: string }) => f.id,
  )
const [KNOTS, CHARTS, TIDES] = [1, 2, 3].map(productId) as [string, string, string]

describe('packs', () => {
  it('are created with products of the catalog, whole or by variant, and read again', async () => {
    const name = fresh()
    const made = await owner.call('POST', '/api/packs', {
      name: ` ${name} `,
      products: [{ product_id: CHARTS }, { product_id: KNOTS, variant_id: variantId(1, 2) }],
    })
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^pack_[0-9a-f]{32}$/),
        name,
        files: 0,
        size_bytes: 0,
        products: [
          { product_id: CHARTS, product_title: 'Charts', variant_id: null, sku: null },
          { product_id: KNOTS, product_title: 'Knots', variant_id: variantId(1, 2), sku: 'KNOT-2' },
        ],
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    expect(made.headers.get('location')).toBe(`/api/packs/${made.body.id}`)
    expect((await owner.call('GET', `/api/packs/${made.body.id}`)).body).toEqual(made.body)
  })
  it('have unique names, in any case', async () => {
    const [{ name }, other] = [await create(), await create()]
    const taken = {
      status: 409,
      body: { error: { code: 'conflict', param: 'name', message: 'Another pack has this name' } },
    }
    expect(await owner.call('POST', '/api/packs', { name: name.toUpperCase() })).toMatchObject(
      taken,
    )
    expect(
      await owner.call('PATCH', `/api/packs/${other.id}`, { name: name.toUpperCase() }),
    ).toMatchObject(taken)
    expect(
      (await owner.call('PATCH', `/api/packs/${other.id}`, { name: other.name.toUpperCase() }))
        .status,
    ).toBe(200)
  })
  it('refuse unknown products, naming every problem; none is created', async () => {
    const name = fresh()
    const products = [
      { product_id: 'gid://shopify/Product/404' },
      { product_id: KNOTS },
      { product_id: KNOTS, variant_id: 'gid://shopify/ProductVariant/404' },
      { product_id: KNOTS },
    ]
    const { status, body } = await owner.call('POST', '/api/packs', { name, products })
    expect([status, body.error.details]).toMatchObject([
      422,
      [
        { index: 0, param: 'products', code: 'product_not_found' },
        { index: 2, param: 'products', code: 'product_not_found' },
        { index: 3, param: 'products', code: 'invalid_value' },
      ],
    ])
    expect(
      (await owner.call('POST', '/api/packs', { name: 'a/b', size: 3 })).body.error.details,
    ).toMatchObject([
      { param: 'name', code: 'invalid_value' },
      { param: 'size', code: 'unknown_field' },
    ])
    expect(
      (await owner.call('GET', `/api/packs?search=${encodeURIComponent(name)}`)).body.data,
    ).toEqual([])
  })
  soakTest('are listed by name, searched in any case, page by page', async () => {
    const shop = await app.stranger('many-packs.myshopify.com')
    for (const name of ['Zebra', 'älpha', 'alpha 10%', 'Beta_1', 'beta 2'])
      expect((await shop.call('POST', '/api/packs', { name })).status).toBe(201)
    const listed: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await shop.call('GET', `/api/packs?limit=2${cursor}`)
      listed.push(...body.data.map((pack: { name: string }) => pack.name))
      if (!body.next_cursor) break
      cursor = `&cursor=${body.next_cursor}`
    }
    expect(listed).toEqual(['alpha 10%', 'beta 2', 'Beta_1', 'Zebra', 'älpha'])
    const found = async (search: string) =>
      (await shop.call('GET', `/api/packs?search=${encodeURIComponent(search)}`)).body.data.map(
        (p: { name: string }) => p.name,
      )
    expect(await found('BETA')).toEqual(['beta 2', 'Beta_1'])
    expect(await found('%')).toEqual(['alpha 10%'])
    expect(await found('_')).toEqual(['Beta_1'])
    for (const values of ['["\\u0000"]', '["\\ud800"]', '[null]', '[{}]', '[]', '7'])
      expect(
        (await shop.call('GET', `/api/packs?cursor=${Buffer.from(values).toString('base64url')}`))
          .status,
      ).toBe(422)
  })
})

describe('files of a pack', () => {
  it('are moved in by the action and one by one; the list has them in order, page by page', async () => {
    const pack = await create({ products: [{ product_id: CHARTS }] })
    const ids = await files(5, { size_bytes: 1000 })
    expect(await move({ pack: pack.id }, ids.slice(0, 4))).toMatchObject({
      status: 'success',
      done: 4,
    })
    const { status, body } = await owner.call('PATCH', `/api/files/${ids[4]}`, { pack_id: pack.id })
    expect([status, body]).toMatchObject([
      200,
      { pack: { id: pack.id, name: pack.name }, products: [CHARTS] },
    ])
    expect((await owner.call('GET', `/api/packs/${pack.id}`)).body).toMatchObject({
      files: 5,
      size_bytes: 5000,
    })
    expect(await inPack(pack.id)).toEqual(ids)

    const pages: string[] = []
    for (let cursor = ''; ;) {
      const { body } = await owner.call(
        'GET',
        `/api/files?pack=${pack.id}&sort=-pack_position&limit=2${cursor}`,
      )
      expect(body.total).toBe(5)
      pages.push(...body.data.map((file: { id: string }) => file.id))
      if (!body.next_cursor) break
      cursor = `&cursor=${body.next_cursor}`
    }
    expect(pages).toEqual(ids.toReversed())
    const other = await create({ products: [{ product_id: TIDES }] })
    const both = { pack_ids: [pack.id, other.id] }
    expect((await owner.call('PATCH', `/api/files/${ids[4]}`, both)).body).toMatchObject({
      pack: { id: pack.id },
      packs: [{ id: pack.id }, { id: other.id }],
      products: [CHARTS, TIDES],
    })
    expect(await inPack(pack.id)).toEqual(ids)
    expect(
      (await owner.call('PATCH', `/api/files/${ids[4]}`, { ...both, pack_id: null })).body.error,
    ).toMatchObject({ code: 'validation_failed', param: 'pack_id' })
    await owner.call('PATCH', `/api/files/${ids[4]}`, { pack_id: null })
    expect(await fileOf(ids[4]!)).toMatchObject({ pack: null, packs: [], products: [] })
    expect(await inPack(pack.id)).toEqual(ids.slice(0, 4))
  })
  soakTest('are ordered; files that are not named are last', async () => {
    const pack = await create()
    const ids = await files(5)
    await move({ pack: pack.id }, ids)
    const put = (file_ids: readonly unknown[]) =>
      owner.call('PUT', `/api/packs/${pack.id}/order`, { file_ids })
    expect(await put([ids[3], ids[1]])).toMatchObject({
      status: 200,
      body: { id: pack.id, files: 5 },
    })
    expect(await inPack(pack.id)).toEqual([3, 1, 0, 2, 4].map((at) => ids[at]))
    const [elsewhere] = await files(1)
    const refused = await put([
      ids[0],
      elsewhere,
      ids[0],
      toPublicId('file', '01999999-0000-7000-8000-000000000000'),
    ])
    expect([refused.status, refused.body.error.details]).toMatchObject([
      422,
      [
        { index: 1, code: 'not_found' },
        { index: 2, code: 'invalid_value' },
        { index: 3, code: 'not_found' },
      ],
    ])
    expect(await inPack(pack.id)).toEqual([3, 1, 0, 2, 4].map((at) => ids[at]))
  })
  it('sorting by position needs a pack; an unknown one is 404, and an invalid id 422', async () => {
    expect((await owner.call('GET', '/api/files?sort=pack_position')).body.error).toMatchObject({
      code: 'validation_failed',
      param: 'sort',
    })
    expect(
      (
        await owner.call(
          'GET',
          `/api/files?pack=${toPublicId('pack', '01999999-0000-7000-8000-000000000000')}`,
        )
      ).status,
    ).toBe(404)
    expect((await owner.call('GET', '/api/files?pack=mine')).status).toBe(422)
  })
})

describe('a pack’s products', () => {
  it('are changed, and an operation changes its files’ mappings, which can be undone', async () => {
    const pack = await create({ products: [{ product_id: KNOTS }, { product_id: CHARTS }] })
    const [one, two] = (await files(2)) as [string, string]
    await move({ pack: pack.id }, [one, two])
    const { status, body } = await owner.call('PATCH', `/api/packs/${pack.id}`, {
      name: fresh('renamed'),
      products: [{ product_id: CHARTS }, { product_id: TIDES }],
    })
    expect([status, body]).toMatchObject([
      200,
      { products: [{ product_title: 'Charts' }, { product_title: 'Tides' }] },
    ])
    expect(await untilEnded(owner, body.job_id)).toMatchObject({
      action: 'move-to-pack',
      status: 'success',
      done: 2,
    })
    for (const id of [one, two]) expect((await fileOf(id)).products.sort()).toEqual([CHARTS, TIDES])
    const undo = await owner.call('POST', `/api/operations/${body.job_id}/undo`)
    expect(await untilEnded(owner, undo.body.id)).toMatchObject({ status: 'success', done: 2 })
    expect((await fileOf(one)).products.sort()).toEqual([KNOTS, CHARTS])
  })
  soakTest('that an operation created go with its undo, unless they were used since', async () => {
    const names = Array.from({ length: 7 }, () => fresh())
    const moves: { id: string }[] = []
    for (const new_pack of names) moves.push(await move({ new_pack }, await files(1)))
    const packs = await Promise.all(names.map((name) => packNamed(name)))
    await owner.call('POST', '/api/links', { pack_id: packs[1] })
    await move({ new_pack: names[2] }, await files(1))
    const [step, filter] = [
      { plugin: 'move-to-pack', options: { pack: packs[3] } },
      { pack: packs[4] },
    ]
    const used = [
      await owner.call('POST', '/api/workflows', { name: fresh(), kind: 'bulk', steps: [step] }),
      await owner.call('POST', '/api/views', { name: fresh(), filter }),
      await owner.call('POST', '/api/schedules', {
        name: fresh(),
        cron: '0 2 * * *',
        action: 'move-to-pack',
        options: { pack: packs[5] },
      }),
    ]
    expect(used.map(({ status }) => status)).toEqual([201, 201, 201])
    // A retry moves the start.
    await owner.scope.query(
      'update operations set started_at = finished_at where shop_id = :shop and id = :id',
      { id: parsePublicId('op', moves[6]!.id) },
    )
    for (const { id } of moves) await undone(id)
    const left = await Promise.all(names.map((name) => packNamed(name)))
    expect(left).toEqual([undefined, ...packs.slice(1, 6), undefined])
  })
  soakTest(
    'stay with a link that is made while the operation that created them is undone',
    async () => {
      const name = fresh()
      const { id } = await move({ new_pack: name }, await files(1))
      const [pack, other] = [await packNamed(name), await create()]
      await owner.call('POST', '/api/links', { pack_id: other.id })
      const { body: undo } = await owner.scope.transaction(async (tx) => {
        await tx.query(
          'update links set pack_id = :pack where shop_id = :shop and pack_id = :other',
          {
            pack: parsePublicId('pack', pack!),
            other: parsePublicId('pack', other.id),
          },
        )
        const started = await owner.call('POST', `/api/operations/${id}/undo`)
        const waits = async () =>
          (
            await app.engine.parts.database.pool.query(
              `select from pg_stat_activity where datname = current_database()
               and wait_event_type = 'Lock' and query like '%packs p%'`,
            )
          ).rowCount
        await expect.poll(waits, { timeout: WAIT_MS }).toBe(1)
        return started
      })
      expect(await untilEnded(owner, undo.id)).toMatchObject({ status: 'success', done: 1 })
      expect(await packNamed(name)).toBe(pack)
      const links = await owner.scope.query(
        'select from links where shop_id = :shop and pack_id = :id',
        {
          id: parsePublicId('pack', pack!),
        },
      )
      expect(links).toHaveLength(1)
    },
  )
  soakTest('history has the packs’ names at that time', async () => {
    const [from, to] = [await create(), await create()]
    const [id] = (await files(1)) as [string]
    await move({ pack: from.id }, [id])
    const moved = await move({ mode: 'move', pack: to.id }, [id])
    const out = await move({ mode: 'clear' }, [id])
    await owner.call('PATCH', `/api/packs/${to.id}`, { name: fresh('renamed') })
    await owner.call('DELETE', `/api/packs/${from.id}`)
    const item = async (operation: string) =>
      (await owner.call('GET', `/api/operations/${operation}/items`)).body.data[0] as object
    expect(await item(moved.id)).toMatchObject({
      after: { packs: { added: [to.name], removed: [from.name] } },
    })
    expect(await item(out.id)).toMatchObject({
      after: { packs: { added: [], removed: [to.name] } },
    })
  })
  soakTest(
    'without a difference start nothing, and neither does a name or an empty pack',
    async () => {
      const pack = await create({ products: [{ product_id: KNOTS }] })
      const change = async (body: object) =>
        (await owner.call('PATCH', `/api/packs/${pack.id}`, body)).body
      expect(await change({ products: [{ product_id: CHARTS }] })).toMatchObject({ job_id: null })
      await move({ pack: pack.id }, await files(1))
      expect(await change({ products: [{ product_id: CHARTS, variant_id: null }] })).toMatchObject({
        job_id: null,
      })
      expect(await change({ name: fresh() })).toMatchObject({
        job_id: null,
        products: [{ product_title: 'Charts' }],
      })
      expect(await change({})).toMatchObject({ job_id: null })
      expect(await change({ products: [] })).toMatchObject({
        job_id: expect.stringMatching(/^op_/),
        products: [],
      })
    },
  )
})

describe('a deleted pack', () => {
  it('keeps its files, deletes their mappings through it, and keeps the counts of their links', async () => {
    const pack = await create({ products: [{ product_id: KNOTS }] })
    const [id] = (await files(1)) as [string]
    await move({ pack: pack.id }, [id])
    const parts = { pack_id: parsePublicId('pack', pack.id), file_id: parsePublicId('file', id) }
    const [parent] = (await owner.scope
      .insert('links', { pack_id: parts.pack_id, key_hash: Buffer.alloc(32, 1) })
      .returning('id')) as { id: string }[]
    await owner.scope.insert('links', {
      file_id: parts.file_id,
      parent_id: parent!.id,
      key_hash: Buffer.alloc(32, 2),
      downloads: 3,
      served: 3,
    })
    expect(await fileOf(id)).toMatchObject({ downloads: 3, links_active: 1 })
    expect((await owner.call('DELETE', `/api/packs/${pack.id}`)).status).toBe(204)
    expect(await fileOf(id)).toMatchObject({
      pack: null,
      products: [],
      mappings: [],
      downloads: 3,
      links_active: 0,
    })
    const [row] = await owner.scope
      .from<{ mapping_state: string }>('files')
      .where('id', parts.file_id!)
    expect(row!.mapping_state).toBe('unmapped')
    for (const [method, route] of [
      ['GET', `/api/packs/${pack.id}`],
      ['DELETE', `/api/packs/${pack.id}`],
      ['GET', `/api/files?pack=${pack.id}`],
    ] as const)
      expect((await owner.call(method, route)).status).toBe(404)
  })
})

describe('sale', () => {
  const sell = (id: string, body: object = {}) =>
    app.demo.call('POST', `/api/packs/${id}/product`, body)
  const packOf = async (name = fresh()) =>
    (await app.demo.call('POST', '/api/packs', { name })).body

  it('creates one product for all requests, and keeps it when it is detached', async () => {
    const pack = await packOf('Ärger & Öl')
    const answers = await Promise.all(Array.from({ length: 3 }, () => sell(pack.id)))
    const [made] = answers.filter(({ status }) => status === 200)
    expect(made!.body).toMatchObject({
      job_id: null,
      products: [{ product_title: 'Ärger & Öl' }],
      product: {
        product_title: 'Ärger & Öl',
        is_new: true,
        admin_url: expect.stringMatching(/^https:\/\/[\w.-]+\/admin\/products\/\d+$/),
      },
    })
    for (const { status, body } of answers)
      if (status !== 200) expect(body.error).toMatchObject({ code: 'conflict' })
    const { product_id } = made!.body.product
    const detached = await app.demo.call('PATCH', `/api/packs/${pack.id}`, { products: [] })
    expect(detached.body.products).toEqual([])
    // Renamed meanwhile: the product is the one that was created for the pack.
    await app.demo.call('PATCH', `/api/packs/${pack.id}`, { name: fresh() })
    expect((await sell(pack.id, { title: 'Another title' })).body).toMatchObject({
      products: [{ product_id, product_title: 'Ärger & Öl' }],
      product: { product_id, is_new: false },
    })
    // The pack keeps it, also where the catalog was not read since.
    const kept = { products: [{ product_id, variant_id: null }] }
    expect((await app.demo.call('PATCH', `/api/packs/${pack.id}`, kept)).status).toBe(200)
  })

  soakTest('says what is wrong with a title or a price', async () => {
    const pack = await packOf()
    const { status, body } = await sell(pack.id, { title: ' ', price: '12,5' })
    expect([status, body.error.details.map((one: { param: string }) => one.param)]).toEqual([
      422,
      ['title', 'price'],
    ])
    expect((await sell(`pack_${'0'.repeat(32)}`)).status).toBe(404)
  })

  it.each(
    someOf(
      [
        [
          new ScopeMissing('storefront_unavailable', 'a scope is missing', true),
          'permission_denied',
        ],
        [new ProductRefused('storefront_unavailable', 'Daily limit reached', false), 'conflict'],
        [
          new NoAnswer('storefront_unavailable', 'it did not answer', true),
          'storefront_unavailable',
        ],
      ] as const,
      (_, at) => at < 1,
    ),
  )(
    'a refusal of the platform leaves the pack free for the next request: %s',
    async (error, code) => {
      const { id } = await packOf()
      const uuid = parsePublicId('pack', id)!
      const shop = app.demo.scope
      const ask = (createProduct: () => Promise<CreatedProduct>) =>
        productOfPack({ createProduct }, shop, uuid, { title: 'x', price: null }, never)
      await expect(ask(() => Promise.reject(error))).rejects.toMatchObject({ code })
      const made = { id: 'gid://shopify/Product/1', title: 'x', isNew: true }
      expect(await ask(() => Promise.resolve(made))).toEqual(made)
    },
  )

  it.each(
    someOf(
      [
        ['Winter Birds!', 'winter-birds-9fae1b2c'],
        ['Éclair à la crème', 'eclair-a-la-creme-9fae1b2c'],
        ['冬の鳥', 'pack-9fae1b2c'],
      ] as const,
      (_, at) => at < 1,
    ),
  )('the address of the product of “%s” is %s', (title, handle) => {
    expect(handleOf(title, '0192ab34-1111-7222-8333-44449fae1b2c')).toBe(handle)
  })
})

it('reading needs files:read, changing files:write', async () => {
  const pack = await create()
  const reader = await app.clientWith(['files:read'])
  expect((await reader.call('GET', `/api/packs/${pack.id}`)).status).toBe(200)
  for (const [method, route, body] of [
    ['POST', '/api/packs', { name: fresh() }],
    ['PATCH', `/api/packs/${pack.id}`, { name: fresh() }],
    ['PUT', `/api/packs/${pack.id}/order`, { file_ids: [] }],
    ['POST', `/api/packs/${pack.id}/product`, {}],
    ['DELETE', `/api/packs/${pack.id}`, undefined],
  ] as const)
    expect(await reader.call(method, route, body)).toMatchObject({
      status: 403,
      body: { error: { code: 'missing_scope' } },
    })
})
