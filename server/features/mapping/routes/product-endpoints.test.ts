import { say, sentences, type AnyText } from '../../../../plugins/contract/index.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { soakTest, someOf } from '../../../../test/scale.ts'
import {
  openTestApp,
  untilEnded,
  untilOperation,
  type Client,
  type TestApp,
} from '../../../../test/app.ts'
import { makeFiles } from '../../../../test/files.ts'
import { fillMirror, productId, variantId } from '../../../../test/mirror.ts'
import { rematchFiles } from '../rematch-files.ts'
import type { EngineWorker } from '../../../engine/worker.ts'
import { toPublicId } from '../../../core/ids.ts'
import { textOfColumns } from '../../../core/texts.ts'

let app: TestApp
let worker: EngineWorker
let owner: Client
beforeAll(async () => {
  app = await openTestApp()
  worker = await app.engine.startWorker()
  owner = app.owner
  await fillMirror(owner.scope, [
    { title: 'Slow Bread', skus: ['BREAD', 'BREAD-EPUB'] },
    { title: 'Sour Bread', skus: ['SB_100%'] },
    { title: 'The Bread Ledger', skus: ['LEDGER'], tags: ['Accounts'] },
    { title: 'Twin Ropes', skus: ['TWIN'] },
    { title: 'Twin Knots', skus: ['twin'] },
    { title: 'Knots 2', skus: [null] },
    { title: 'Knots', skus: ['K'] },
  ])
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})

const get = async (route: string, client = owner) => (await client.call('GET', route)).body
const operate = async (body: object, client = owner) => {
  const answer = await client.call('POST', '/api/operations', body)
  expect([answer.status, answer.body.error]).toEqual([202, undefined])
  return untilPlanned(answer.body.id, client)
}
const untilPlanned = (id: string, client = owner) =>
  untilOperation(client, id, "finished_at is not null or status = 'previewed'")
const itemsOf = async (id: string) => (await get(`/api/operations/${id}/items`)).data
const publicIds = (ids: readonly string[]) => ids.map((id) => toPublicId('file', id))

describe('search', () => {
  const titles = async (search: string) =>
    (await get(`/api/products?search=${encodeURIComponent(search)}`)).data.map(
      (one: { title: string }) => one.title,
    )

  test.each(
    someOf(
      [
        ['bread', ['Slow Bread', 'Sour Bread', 'The Bread Ledger']],
        ['BREAD-', ['Slow Bread']],
        ['ledger', ['The Bread Ledger']],
        ['sb_1', ['Sour Bread']],
        ['_', []],
        ['%', []],
        ['\\', []],
        ['knots', ['Knots', 'Knots 2', 'Twin Knots']],
        ['k', ['Knots', 'Knots 2', 'Twin Knots']],
        ['twin', ['Twin Knots', 'Twin Ropes']],
        ['nothing', []],
      ] as const,
      (_, at) => at % 3 === 0,
    ),
  )(
    '%s finds %j: SKUs and titles that equal it, begin with it, contain it',
    async (search, found) => {
      expect(await titles(search)).toEqual(found)
    },
  )

  soakTest('a product has its variants, and the number of mapped files', async () => {
    const [id] = await makeFiles(owner.scope, [{ filename: 'counted.pdf' }])
    await operate({
      action: 'map-products',
      select: { file_ids: publicIds([id!]) },
      options: { product_id: productId(1) },
    })
    expect((await get('/api/products?search=slow')).data).toEqual([
      {
        id: productId(1),
        title: 'Slow Bread',
        image: 'https://cdn.example.com/1.png',
        status: 'ACTIVE',
        files: 1,
        variants: [
          { id: variantId(1, 1), title: 'Variant 1', sku: 'BREAD' },
          { id: variantId(1, 2), title: 'Variant 2', sku: 'BREAD-EPUB' },
        ],
      },
    ])
  })

  test.each(['', 'n'])('pages of a search for "%s" contain every product once', async (search) => {
    const whole = (await get(`/api/products?search=${search}`)).data
    const paged: unknown[] = []
    for (let cursor = ''; ;) {
      const page = await get(`/api/products?limit=2&search=${search}${cursor}`)
      paged.push(...page.data)
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(paged).toEqual(whole)
    if (search === '') expect(paged.length).toBe(7)
  })

  soakTest(
    'the beginning of thousands of SKUs finds them in the order of their titles',
    async () => {
      const { scope, call } = await app.stranger('course-products.myshopify.com')
      const numbers = 'from generate_series(1, 2600) n'
      await scope.query(
        `insert into products (shop_id, id, title, title_key, handle, status)
       select :shop, 'p' || n, md5(n::text), md5(n::text), 'h', 'ACTIVE' ${numbers}`,
      )
      await scope.query(
        `insert into variants (shop_id, id, product_id, position, title, sku, sku_key)
       select :shop, 'v' || n, 'p' || n, 1, 'One', sku, sku
       from (select n, case when n % 7 = 0 then 'other-' else 'lot-' end || n as sku ${numbers}) v`,
      )
      const wanted = await scope.query<{ title: string }>(
        `select title from products p where shop_id = :shop and exists (select from variants v
         where v.shop_id = p.shop_id and v.product_id = p.id and v.sku like 'lot-%')
       order by title_key limit 110`,
      )
      const found: string[] = []
      for (let cursor = ''; found.length < 110;) {
        const page = await call('GET', `/api/products?limit=40&search=lot-${cursor}`)
        found.push(...page.body.data.map((one: { title: string }) => one.title))
        cursor = `&cursor=${page.body.next_cursor}`
      }
      expect(found.slice(0, 110)).toEqual(wanted.map(({ title }) => title))
      expect((await call('GET', '/api/products?limit=1&search=LOT-1')).body.data[0].id).toBe('p1')
    },
  )

  test('another shop finds none of it, and invalid requests are refused', async () => {
    const stranger = await app.stranger('stranger-products.myshopify.com')
    expect((await get('/api/products', stranger)).data).toEqual([])
    for (const query of ['search=%00', 'cursor=x', 'limit=0', 'colour=red'])
      expect((await owner.call('GET', `/api/products?${query}`)).status).toBe(422)
    const reader = await app.clientWith(['operations:read'])
    expect((await reader.call('GET', '/api/products')).status).toBe(403)
    expect(
      (await (await app.clientWith(['files:read'])).call('POST', '/api/products/refresh')).status,
    ).toBe(403)
  })
})

test('the mirror shows its state, and a refresh can be requested', async () => {
  expect(await get('/api/products/mirror')).toMatchObject({
    status: 'ready',
    products: 7,
    variants: 8,
    error: null,
    progress: null,
  })
  const stranger = await app.stranger('stranger-mirror.myshopify.com')
  expect(await get('/api/products/mirror', stranger)).toMatchObject({
    status: 'never',
    refreshed_at: null,
  })
  const asked = await stranger.call('POST', '/api/products/refresh')
  expect([asked.status, asked.body.status]).toEqual([202, 'refreshing'])
})

test('a preview shows how many match, and which products are candidates', async () => {
  const ids = await makeFiles(
    owner.scope,
    ['Slow-Bread_v3.pdf', 'TWIN_map.pdf', 'unheard-of.pdf'].map((filename) => ({ filename })),
  )
  const preview = await operate({
    action: 'map-products',
    select: { file_ids: publicIds(ids) },
    dry_run: true,
  })
  expect(preview).toMatchObject({
    status: 'previewed',
    done: 1,
    skipped: 2,
    foreseen: { changed: 1, unchanged: 0, candidates: 1 },
  })
  const [matched, several, none] = await itemsOf(preview.id)
  expect(matched.after.mappings.added).toMatchObject([
    { product_title: 'Slow Bread', method: 'title', score: 0.94 },
  ])
  expect(several).toMatchObject({
    status: 'skipped',
    after: null,
    warnings: [{ code: 'several_products' }],
    error: { message: 'It matches 2 products: choose one in Reviews' },
  })
  expect(several.candidates.map((one: { product_title: string }) => one.product_title)).toEqual([
    'Twin Ropes',
    'Twin Knots',
  ])
  expect(none).toMatchObject({
    status: 'skipped',
    candidates: [],
    error: { message: 'No product matches it' },
  })
  expect((await get('/api/reviews')).data).toEqual([])
  // Reviews are created after the confirmation.
  expect((await owner.call('POST', `/api/operations/${preview.id}/confirm`)).status).toBe(200)
  expect(await untilEnded(owner, preview.id)).toMatchObject({
    status: 'success',
    done: 1,
    skipped: 2,
  })
  expect((await get('/api/reviews')).data).toMatchObject([{ file: { filename: 'TWIN_map.pdf' } }])
  await owner.scope.query('delete from reviews where shop_id = :shop')
})

test('unmapping removes files’ products, and an undo restores them exactly', async () => {
  const [id] = await makeFiles(owner.scope, [{ filename: 'LEDGER.pdf' }])
  const select = { file_ids: publicIds([id!]) }
  await operate({ action: 'map-products', select })
  const [mapping] = (await get(`/api/files/${publicIds([id!])[0]}`)).mappings ?? []
  const rows = () =>
    owner.scope.query('select * from mappings where shop_id = :shop and file_id = :id', { id })
  const before = await rows()
  expect(before).toMatchObject([
    { method: 'filename', sku: 'LEDGER', reason: 'The file has the name of the SKU {sku}' },
  ])
  expect(mapping === undefined || mapping.product_id === productId(3)).toBe(true)
  const unmapped = await operate({ action: 'unmap-products', select })
  expect([unmapped.done, await rows()]).toEqual([1, []])
  const undone = await owner.call('POST', `/api/operations/${unmapped.id}/undo`)
  await untilEnded(owner, undone.body.id)
  expect(await rows()).toEqual(before)
})

describe('reviews', () => {
  const reviewsOf = async (query = '') => (await get(`/api/reviews?limit=250${query}`)).data
  const ask = async (...names: string[]) => {
    const ids = await makeFiles(
      owner.scope,
      names.map((filename) => ({ filename })),
    )
    await operate({ action: 'map-products', select: { file_ids: publicIds(ids) } })
    const reviews = await reviewsOf()
    return names.map((name) =>
      reviews.find((one: { file: { filename: string } }) => one.file.filename === name),
    )
  }
  const mappingsOf = (filename: string) =>
    owner.scope.query<{ product_id: string; method: string; score: number; reason: AnyText }>(
      `select m.product_id, method, score, ${textOfColumns('reason')} as reason from mappings m join files f
         on f.shop_id = m.shop_id and f.id = m.file_id
       where m.shop_id = :shop and f.filename = :filename`,
      { filename },
    )

  test('accepting one is an operation, so that history has it', async () => {
    const [review] = await ask('TWIN_accept.pdf')
    expect(review).toMatchObject({
      status: 'open',
      score: 0.95,
      operation_id: expect.stringMatching(/^op_/),
    })
    expect(await get(`/api/reviews/${review.id}`)).toEqual(review)
    expect(review.candidates).toMatchObject(
      [5, 6].map(() => ({
        image: expect.stringMatching(/^https:\/\/cdn.example.com\/\d\.png$/),
        variant_title: 'Variant 1',
      })),
    )
    const route = `/api/reviews/${review.id}/accept`
    expect((await owner.call('POST', route, { product_id: productId(1) })).status).toBe(422)
    const accepted = await owner.call('POST', route, { product_id: productId(5) })
    expect(accepted).toMatchObject({ status: 202, body: { accepted: 1 } })
    expect(await untilEnded(owner, accepted.body.job_id)).toMatchObject({
      status: 'success',
      done: 1,
      action: 'map-products',
    })
    expect(await mappingsOf('TWIN_accept.pdf')).toMatchObject([
      {
        product_id: productId(5),
        method: 'manual',
        reason: sentences(
          say('Accepted from the review list.'),
          say('The filename begins with the SKU {sku}', { sku: 'twin' }),
        ),
      },
    ])
    expect((await owner.call('POST', route, { product_id: productId(5) })).status).toBe(409)
    expect(await reviewsOf('&status=accepted')).toMatchObject([
      { id: review.id, decided_by: 'test' },
    ])
  })

  test('a rejected one is not asked again', async () => {
    const [review] = await ask('TWIN_reject.pdf')
    const rejected = await owner.call('POST', `/api/reviews/${review.id}/reject`)
    expect(rejected).toMatchObject({ status: 200, body: { status: 'rejected' } })
    expect((await owner.call('POST', `/api/reviews/${review.id}/reject`)).status).toBe(409)
    const again = { action: 'map-products', select: { file_ids: [review.file.id] } }
    await operate(again)
    expect(
      (await reviewsOf()).filter((one: { file: { id: string } }) => one.file.id === review.file.id),
    ).toEqual([])
  })

  soakTest(
    'one is open again if its file was not mapped after all, or is unmapped later',
    async () => {
      const [review] = await ask('TWIN_again.pdf')
      const read = async () => get(`/api/reviews/${review.id}`)
      const accept = async () => {
        const { body } = await owner.call('POST', `/api/reviews/${review.id}/accept`, {
          product_id: productId(5),
        })
        expect(await read()).toMatchObject({ status: 'accepted' })
        return untilEnded(owner, body.job_id)
      }
      const rename = (from: string, to: string) =>
        owner.scope.query('update products set id = :to where shop_id = :shop and id = :from', {
          from,
          to,
        })
      await rename(productId(5), 'gone')
      expect(await accept()).toMatchObject({ status: 'failed', failed: 1 })
      expect(await read()).toMatchObject({ status: 'open', decided_at: null, decided_by: null })
      await rename('gone', productId(5))
      const { id } = await accept()
      expect(await read()).toMatchObject({ status: 'accepted', decided_by: 'test' })
      const undo = await owner.call('POST', `/api/operations/${id}/undo`)
      expect(await untilEnded(owner, undo.body.id)).toMatchObject({ done: 1 })
      expect(await read()).toMatchObject({ status: 'open' })
      expect((await reviewsOf()).map((one: { id: string }) => one.id)).toContain(review.id)
    },
  )

  soakTest('accepting one replaces the product if that was requested', async () => {
    const ids = await makeFiles(
      owner.scope,
      ['TWIN_replace.pdf', 'TWIN_settled.pdf'].map((filename) => ({ filename, mapped: true })),
    )
    const replacing = (given: object, ...files: string[]) =>
      operate({
        action: 'map-products',
        select: { file_ids: publicIds(files) },
        options: { replace: true, ...given },
      })
    await replacing({}, ...ids)
    const asked = async () =>
      (await reviewsOf()).filter(({ file }: { file: { id: string } }) =>
        publicIds(ids).includes(file.id),
      )
    expect(await asked()).toMatchObject([{ replaces: true }, { replaces: true }])
    await replacing({ product_id: productId(2) }, ids[1]!)
    const [review, ...others] = await asked()
    expect([review.file.filename, others]).toEqual(['TWIN_replace.pdf', []])
    const { body } = await owner.call('POST', `/api/reviews/${review.id}/accept`, {
      product_id: productId(4),
    })
    await untilEnded(owner, body.job_id)
    expect(await mappingsOf('TWIN_replace.pdf')).toMatchObject([
      { product_id: productId(4), method: 'manual' },
    ])
    expect(await asked()).toEqual([])
  })

  soakTest(
    'accepting all above a score maps the best candidate of each, if there is only one',
    async () => {
      await owner.scope.query(`delete from reviews where shop_id = :shop`)
      await ask('TWIN_tied.pdf')
      const files = await makeFiles(
        owner.scope,
        ['clear-1.pdf', 'clear-2.pdf'].map((filename) => ({ filename })),
      )
      const candidate = (n: number, score: number) => ({
        product_id: productId(n),
        product_title: 'x',
        variant_id: null,
        sku: null,
        method: 'title',
        score,
        reason: `${score}`,
      })
      for (const [at, file_id] of files.entries())
        await owner.scope.query(
          `insert into reviews (shop_id, file_id, candidates, score, question)
         values (:shop, :file_id, :candidates, :score, sha256('x'))`,
          {
            file_id,
            candidates: JSON.stringify([candidate(1, 0.95 - at / 10), candidate(2, 0.82)]),
            score: 0.95 - at / 10,
          },
        )
      const accept = async (above: number) =>
        (await owner.call('POST', '/api/reviews/accept', { above })).body
      const would = async (above: number) => (await get(`/api/reviews/accept?above=${above}`)).count
      expect(await Promise.all([0.96, 0.9, 0.5].map(would))).toEqual([0, 1, 2])
      expect(await get('/api/reviews/accept?above=0.5')).toMatchObject({
        scores: [
          { above: 0.95, count: 1 },
          { above: 0.9, count: 1 },
          { above: 0.8, count: 2 },
          { above: 0.7, count: 2 },
          { above: 0.6, count: 2 },
        ],
        least_certain: [{ score: 0.85 }, { score: 0.95 }],
      })
      expect((await owner.call('GET', '/api/reviews/accept?above=2')).status).toBe(422)
      expect(await accept(0.96)).toEqual({ accepted: 0, job_id: null, open: 3 })
      const { job_id, ...first } = await accept(0.9)
      await untilEnded(owner, job_id)
      expect(first).toMatchObject({ accepted: 1 })
      expect(await mappingsOf('clear-1.pdf')).toMatchObject([{ product_id: productId(1) }])
      const second = await accept(0.5)
      await untilEnded(owner, second.job_id)
      expect(await reviewsOf()).toMatchObject([{ file: { filename: 'TWIN_tied.pdf' } }])
      expect((await owner.call('POST', '/api/reviews/accept', { above: 2 })).status).toBe(422)
    },
  )

  soakTest('a file that was mapped another way, or deleted, has none', async () => {
    const [first, second] = await ask('TWIN_other.pdf', 'TWIN_gone.pdf')
    await operate({
      action: 'map-products',
      select: { file_ids: [first.file.id] },
      options: { product_id: productId(1) },
    })
    await operate({ action: 'delete-files', select: { file_ids: [second.file.id] } })
    const open = (await reviewsOf()).map((one: { id: string }) => one.id)
    expect(open).not.toContain(first.id)
    expect(open).not.toContain(second.id)
    expect((await owner.call('GET', `/api/reviews/${second.id}`)).status).toBe(404)
  })

  test('another shop’s are not found', async () => {
    const [review] = await ask('TWIN_ours.pdf')
    const stranger = await app.stranger('stranger-reviews.myshopify.com')
    for (const [method, route] of [
      ['GET', ''],
      ['POST', '/reject'],
    ] as const)
      expect((await stranger.call(method, `/api/reviews/${review.id}${route}`)).status).toBe(404)
    expect(
      (
        await stranger.call('POST', `/api/reviews/${review.id}/accept`, {
          product_id: productId(5),
        })
      ).status,
    ).toBe(404)
    expect((await get('/api/reviews', stranger)).data).toEqual([])
  })
})

describe('files without a product', () => {
  test('are matched again when the mirror learns of products, by one operation', async () => {
    const shop = await app.stranger('again.myshopify.com')
    const { engine } = app.engine
    await makeFiles(shop.scope, [
      { filename: 'Brand New.pdf' },
      { filename: 'old.pdf', mapped: true },
    ])
    expect(await rematchFiles(engine, shop.scope, 0)).toEqual([])
    const { matchable } = await fillMirror(shop.scope, [{ title: 'Brand New' }])
    const [id] = await rematchFiles(engine, shop.scope, matchable)
    expect(await untilEnded(shop, toPublicId('op', id!))).toMatchObject({
      total: 1,
      done: 1,
      channel: 'catalog',
      requested_by: 'catalog refresh',
    })
    expect(await rematchFiles(engine, shop.scope, 1)).toEqual([])
  })
  soakTest(
    'use the options of their import: by its SKU once a product has that, and not guessed if it said so',
    async () => {
      const shop = await app.stranger('as-wanted.myshopify.com')
      const wishes = {
        'named.pdf': `wanted_sku = 'NEW-1'`,
        'Brand New.pdf': `wanted_sku = 'ANOTHER'`,
        'brand new.txt': 'auto_map = false',
        'brand-new.png': 'auto_map = true',
        'Brand New.zip': 'auto_map = null',
      }
      // oxfmt-ignore
      await makeFiles(shop.scope, Object.keys(wishes).map((filename) => ({ filename })))
      for (const [filename, wish] of Object.entries(wishes))
        await shop.scope.query(
          `update files set ${wish} where shop_id = :shop and filename = :filename`,
          { filename },
        )
      const again = async (sku: string) => {
        const { matchable } = await fillMirror(shop.scope, [
          { title: 'Brand New', skus: ['NEW-1', sku] },
        ])
        const started = await rematchFiles(app.engine.engine, shop.scope, matchable)
        const names = started.map(async (id) => {
          const { body } = await shop.call('GET', `/api/operations/${toPublicId('op', id)}/items`)
          return body.data.map((item: { filename: string }) => item.filename).sort()
        })
        const found = await Promise.all(names)
        for (const id of started) await untilEnded(shop, toPublicId('op', id))
        return found
      }
      await shop.call('PATCH', '/api/settings', { auto_map: false })
      expect(await again('NEW-2')).toEqual([['named.pdf'], ['brand-new.png']])
      await shop.call('PATCH', '/api/settings', { auto_map: true })
      // The first file is found again: only the mirror knows its SKU, and the storefront does not
      // yet.
      expect(await again('NEW-3')).toEqual([['named.pdf'], ['Brand New.zip']])
    },
  )
  test('are not matched if the shop maps manually, nor if a person removed their products', async () => {
    const shop = await app.stranger('by-hand.myshopify.com')
    const { engine } = app.engine
    const [id] = await makeFiles(shop.scope, [{ filename: 'Brand New.pdf', mapped: true }])
    await operate({ action: 'unmap-products', select: { file_ids: publicIds([id!]) } }, shop)
    expect(await rematchFiles(engine, shop.scope, 1)).toEqual([])
    await makeFiles(shop.scope, [{ filename: 'Other.pdf' }])
    for (const settings of [{ auto_map: false }, { auto_map: true, match_by: [] }]) {
      expect((await shop.call('PATCH', '/api/settings', settings)).body).toMatchObject(settings)
      expect(await rematchFiles(engine, shop.scope, 1)).toEqual([])
    }
    expect(
      (await shop.call('PATCH', '/api/settings', { match_by: ['title', 'title'] })).status,
    ).toBe(422)
    expect((await shop.call('PATCH', '/api/settings', { match_threshold: 1.1 })).status).toBe(422)
  })
})
