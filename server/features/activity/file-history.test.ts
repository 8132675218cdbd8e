// What happened to a file, over the API.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { openTestApp, untilEnded, untilOperation, type TestApp } from '../../../test/app.ts'
import { startOrigin, type Origin } from '../../../test/fakes/origin.ts'
import { paidOrder } from '../../../test/orders.ts'
import type { EngineWorker } from '../../engine/worker.ts'
import { addMappings } from '../../files/mappings.ts'
import { parsePublicId } from '../../core/ids.ts'
import { reconcileOrder } from '../orders/reconcile.ts'

let app: TestApp
let origin: Origin
let worker: EngineWorker
let file: string
beforeAll(async () => {
  ;[app, origin] = await Promise.all([openTestApp(), startOrigin()])
  worker = await app.engine.startWorker()
  const imported = await app.owner.call('POST', '/api/files/import', {
    files: [{ filename: 'guide.pdf', url: `${origin.url}/bytes/1000/guide.pdf` }],
  })
  file = imported.body.files[0].file_id
})
afterAll(async () => {
  await worker.stop()
  await Promise.all([app.close(), origin.close()])
})

const PRODUCT = 'gid://shopify/Product/1'
const entries = async (query = '') =>
  (await app.owner.call('GET', `/api/files/${file}/history${query}`)).body
const operate = async (body: object, end = true): Promise<string> => {
  const { body: operation } = await app.owner.call('POST', '/api/operations', {
    select: { file_ids: [file] },
    ...body,
  })
  if (end) await untilEnded(app.owner, operation.id)
  return operation.id
}

test('every kind of record is listed, newest first, and pages have each entry once', async () => {
  const { scope } = app.owner
  const id = parsePublicId('file', file)!
  const tagging = await operate({ action: 'tag-files', options: { mode: 'add', tags: ['spring'] } })
  await app.owner.call('POST', `/api/operations/${tagging}/undo`)
  await untilOperation(app.owner, tagging, `status = 'undone'`)
  const preview = await operate(
    { action: 'tag-files', options: { mode: 'add', tags: ['never'] }, dry_run: true },
    false,
  )
  await untilOperation(app.owner, preview, `status = 'previewed'`)
  await app.owner.call('POST', '/api/links', { file_ids: [file], email: 'ann@example.com' })
  const mapping = { product_title: 'Guides', variant_id: null, sku: null, score: 1, reason: '' }
  await addMappings(scope, [
    { fileId: id, mapping: { ...mapping, product_id: PRODUCT, method: 'manual' } },
  ])
  await scope.query(`update files set mapping_state = 'mapped' where shop_id = :shop`)
  const order = paidOrder({ products: [PRODUCT], email: 'bob@example.com' })
  await reconcileOrder(scope, order, { secrets: app.engine.parts.secrets, now: new Date() })
  await scope.query(
    `insert into file_days (shop_id, day, file_id, downloads)
     select :shop, (now() at time zone 'UTC')::date - n, :id, n from generate_series(1, 3) n`,
    { id },
  )

  const { data, next_cursor } = await entries()
  expect(next_cursor).toBeNull()
  expect(data.map(({ at }: { at: string }) => at)).toEqual(
    data
      .map(({ at }: { at: string }) => at)
      .toSorted()
      .toReversed(),
  )
  expect(data).toMatchObject([
    { kind: 'delivery', order_name: order.name, email: 'bob@example.com', withdrawn: false },
    { kind: 'link', email: 'ann@example.com', revoked_at: null },
    {
      kind: 'operation',
      title: 'Undo: Tag files',
      status: 'done',
      after: { tags: { removed: ['spring'] } },
    },
    {
      kind: 'operation',
      operation_id: tagging,
      status: 'done',
      undone: true,
      undo_until: null,
      after: { tags: { added: ['spring'] } },
    },
    {
      kind: 'operation',
      status: 'done',
      after: { created: true },
      undone: false,
      undo_until: expect.any(String),
      files: 1,
    },
    { kind: 'downloads', downloads: 1 },
    { kind: 'downloads', downloads: 2 },
    { kind: 'downloads', downloads: 3 },
  ])

  const paged: unknown[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const part: { data: unknown[]; next_cursor: string | null } = await entries(
      `?limit=3${cursor && `&cursor=${cursor}`}`,
    )
    paged.push(...part.data)
    cursor = part.next_cursor
  }
  expect(paged).toEqual(data)
})

soakTest(
  'an undo that left a file as it was has not undone the operation on that file',
  async () => {
    const { body } = await app.owner.call('POST', '/api/files/import', {
      files: ['a.pdf', 'b.pdf'].map((filename) => ({
        filename,
        url: `${origin.url}/bytes/1000/${filename}`,
      })),
    })
    const [changed, restored] = body.files.map(({ file_id }: { file_id: string }) => file_id)
    const operation = await operate({
      action: 'update-settings',
      options: { expiry_days: 7 },
      select: { file_ids: [changed, restored] },
    })
    await app.owner.call('PATCH', `/api/files/${changed}`, { expiry_days: 8 })
    const undo = await app.owner.call('POST', `/api/operations/${operation}/undo`)
    expect(await untilEnded(app.owner, undo.body.id)).toMatchObject({ done: 1, skipped: 1 })
    const isUndone = async (id: string) =>
      (await app.owner.call('GET', `/api/files/${id}/history`)).body.data.find(
        ({ operation_id }: { operation_id?: string }) => operation_id === operation,
      ).undone
    expect([await isUndone(changed), await isUndone(restored)]).toEqual([false, true])
  },
)

test('who has a file is listed: orders, links and links to its pack, a page at a time', async () => {
  const { body: pack } = await app.owner.call('POST', '/api/packs', { name: 'Almanac' })
  const packed = await operate({ action: 'move-to-pack', options: { pack: pack.id } })
  expect(packed).toMatch(/^op_/)
  const link = { pack_id: pack.id, email: 'cleo@example.com' }
  expect((await app.owner.call('POST', '/api/links', link)).status).toBeLessThan(300)
  const holders = async (query = '') =>
    (await app.owner.call('GET', `/api/files/${file}/holders${query}`)).body
  const { data, next_cursor } = await holders()
  expect(next_cursor).toBeNull()
  const none = { ended: false, downloads: 0, last_download_at: null }
  expect(data).toMatchObject([
    { kind: 'pack_link', pack_name: 'Almanac', email: 'cleo@example.com', ...none },
    { kind: 'delivery', email: 'bob@example.com', link_id: null, ...none },
    { kind: 'link', email: 'ann@example.com', delivery_id: null, order_name: null, ...none },
  ])
  const first = await holders('?limit=2')
  const second = await holders(`?limit=2&cursor=${first.next_cursor}`)
  expect([...first.data, ...second.data]).toEqual(data)
  await app.owner.scope.query(
    `update links set revoked_at = now(), served = 3 where shop_id = :shop
     and email = 'ann@example.com'`,
  )
  expect((await holders()).data[2]).toMatchObject({ ended: true, downloads: 3 })
  // A rental whose hours are over, in a pack.
  const before = (await holders()).data[0]
  await app.owner.scope.query(
    `update links set use_hours = 1, first_used_at = now() - interval '2 hours'
     where shop_id = :shop and email = 'cleo@example.com'`,
  )
  expect([before.ended, (await holders()).data[0].ended]).toEqual([false, true])
  const gone = await app.owner.call('GET', `/api/files/file_${'0'.repeat(32)}/holders`)
  expect(gone.status).toBe(404)
})

test('a file that does not exist, and a forged cursor, are refused', async () => {
  const none = await app.owner.call('GET', `/api/files/file_${'0'.repeat(32)}/history`)
  expect(none.status).toBe(404)
  const forged = Buffer.from('["x", 1]').toString('base64url')
  expect((await app.owner.call('GET', `/api/files/${file}/history?cursor=${forged}`)).status).toBe(
    422,
  )
})

soakTest(
  'a blocked buyer is found with the refused downloads, and unblocked with an undo',
  async () => {
    const list = async (query: string) =>
      (await app.owner.call('GET', `/api/deliveries?${query}`)).body.data
    const change = (body: object) => app.owner.call('PATCH', `/api/deliveries/${id}`, body)
    const [{ id }] = await list('')
    const past = '2026-01-01T00:00:00.000Z'
    await change({ terms: [{ file_id: file, expires_at: past, download_limit: 1 }] })
    const { scope } = app.owner
    const [page] = await scope.query<{ id: string; rotation: number }>(
      `select id, rotation from links where shop_id = :shop and parent_id is not null`,
    )
    const key = app.engine.parts.secrets.linkKey(page!.id, page!.rotation)
    const download = async () => (await fetch(`${app.url}/download?key=${key}`)).status
    expect(await download()).toBe(410)

    const attempt = { times: 1, address: '127.0.0.0/24', agent: 'node' }
    const why = { ...attempt, reason: 'expired' }
    const refusal = { ...attempt, code: 'expired' }
    const delivery = (await app.owner.call('GET', `/api/deliveries/${id}`)).body
    expect(delivery).toMatchObject({
      blocked_files: 1,
      blocked_by: { used_up: 0, expired: 1, not_prepared: 0 },
      refusals: [{ ...refusal, file_id: file, filename: 'guide.pdf' }],
    })
    const [entry] = (await entries()).data
    expect(entry).toMatchObject({
      ...why,
      kind: 'refused',
      delivery_id: id,
      email: 'bob@example.com',
    })

    const none = `file_${'0'.repeat(32)}`
    const ids = async (query: string) => (await list(query)).map((one: { id: string }) => one.id)
    expect(
      await ids(`state=blocked&file_id=${file}&product=${encodeURIComponent(PRODUCT)}`),
    ).toEqual([id])
    expect(await ids(`file_id=${none}`)).toEqual([])
    for (const other of ['gid://shopify/Product/2', '2', 'GUIDE-1'])
      expect(await ids(`product=${other}`)).toEqual([])
    expect(await ids('product=1')).toEqual([id])
    await scope.query(`update order_lines set sku = 'GUIDE-1' where shop_id = :shop`)
    expect(await ids('product=guide-1')).toEqual([id])

    expect((await change({ terms: [{ file_id: file, expires_at: null }] })).status).toBe(200)
    expect(await ids('state=blocked')).toEqual([])
    expect(await download()).toBe(200)
    expect((await change({ terms: [{ file_id: none, download_limit: 2 }] })).status).toBe(422)
    const undone = await change({ terms: [{ file_id: file, expires_at: past }] })
    expect(undone.body).toMatchObject({
      file_list: [{ expires_at: past, download_limit: 1, status: 'expired' }],
    })

    await app.owner.call('POST', `/api/deliveries/${id}/hold`)
    await download()
    const { refusals } = (await app.owner.call('GET', `/api/deliveries/${id}`)).body
    expect(refusals).toMatchObject([{ code: 'held', file_id: file }, refusal])
  },
)
