// An order's delivery with a workflow: nothing is delivered in any way before the workflow has
// succeeded, and the buyer gets only the prepared copy.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { z } from 'zod'
import { definePlugin, planEach, type Item } from '../../../plugins/contract/index.ts'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { openTestWorker, type TestWorker } from '../../../test/background.ts'
import { addFile } from '../../../test/deliveries.ts'
import {
  documentOf,
  inkOf,
  numberedPages,
  renderPages,
  type PagePicture,
} from '../../../test/documents.ts'
import { paidOrder } from '../../../test/orders.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { mailedDelivery, writeDeliveryMails } from './delivery-mail.ts'
import { renewTask } from '../preparation/renew.ts'
import { prepareTask } from '../preparation/run.ts'
import { addMappings } from '../../files/mappings.ts'
import { deliveryExtras } from './extras.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import { createOrderPages } from './order-pages.ts'
import { endPreparation } from './preparation.ts'
import { reconcileOrder } from './reconcile.ts'

/** Opens for files whose names contain `slow`. */
let slow: Promise<void> = Promise.resolve()
function gate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}
const waitForGate = definePlugin({
  id: 'wait-for-gate',
  kind: 'optimize',
  title: 'Wait',
  undo: 'none',
  options: z.strictObject({}),
  worksOn: 'deliveries',
  plan: planEach(() => ({ status: 'ok' })),
  async *run(items) {
    const ordered = items.toSorted((a, b) => +isSlow(a) - +isSlow(b))
    for (const item of ordered) {
      if (isSlow(item)) await slow
      yield { item: item.id, status: 'ok' }
    }
  },
})
const isSlow = ({ file }: Item) => file.filename.includes('slow')

const PDF = documentOf(numberedPages(1))
let app: TestApp
let worker: TestWorker
let task: BackgroundTask
let renewal: BackgroundTask
let workflow: string
let products = 0
let orders = 0

beforeAll(async () => {
  app = await openTestApp({ plugins: [waitForGate] })
  const { parts } = app.engine
  // Ready files are delivered immediately while others are prepared.
  task = prepareTask(parts, (tx, delivery) => endPreparation(tx, delivery, new Date()), 0)
  renewal = renewTask(parts, (tx, delivery) => endPreparation(tx, delivery, new Date()))
  worker = await openTestWorker(parts.database, [task, renewal])
  const steps = [{ plugin: 'stamp-pdf' }]
  const made = await app.owner.call('POST', '/api/workflows', {
    name: 'Stamp',
    kind: 'delivery',
    steps,
  })
  expect(made.status).toBe(201)
  workflow = made.body.id as string
})
afterAll(() => app.close())
beforeEach(() => choose(workflow))

const choose = async (id: string | null) => {
  const answer = await app.owner.call('PATCH', '/api/settings', { delivery_workflow: id })
  expect(answer.status).toBe(200)
}

/** Creates a product with these files, and a paid order of it. */
async function buy(files: Record<string, Uint8Array>) {
  const product_id = `gid://shopify/Product/${(products += 1)}`
  const ids: Record<string, string> = {}
  for (const [name, bytes] of Object.entries(files)) {
    ids[name] = await addFile(app.engine, `${products}-${name}`, bytes)
    const mapping = { product_title: '', variant_id: null, sku: null, score: 1, reason: '' }
    await addMappings(app.engine.scope, [
      { fileId: ids[name]!, mapping: { ...mapping, product_id, method: 'manual' } },
    ])
  }
  const order = paidOrder({ id: `gid://shopify/Order/${(orders += 1)}`, products: [product_id] })
  return { order, ids, ...(await reconcile(order)) }
}
async function reconcile(order: ReturnType<typeof paidOrder>) {
  const { scope, parts } = app.engine
  await reconcileOrder(scope, order, { secrets: parts.secrets, now: new Date() })
  const { body } = await app.owner.call(
    'GET',
    `/api/deliveries?order=${encodeURIComponent(order.id)}`,
  )
  return { delivery: body.data[0].id as string }
}
const run = (delivery: string) =>
  worker.run(task, { shop: app.engine.shop, key: parsePublicId('delivery', delivery)! })
const read = async (delivery: string) =>
  (await app.owner.call('GET', `/api/deliveries/${delivery}`)).body
/** Everything that the buyer gets: the page, its first download, and the ZIP file of all files. */
async function fetchAll(delivery: string) {
  const address = new URL((await read(delivery)).url as string)
  const at = (path: string) => fetch(`${app.url}${path}`)
  const page = await at(address.pathname + address.search)
  const text = await page.text()
  const forms = text.matchAll(/<form method='post' action='download\?key(?:=|&#x3D;)([\w-]+)/g)
  const keys = [...forms].map(([, key]) => key!)
  const files = await Promise.all(keys.map((key) => at(`/download?key=${key}`)))
  return { status: page.status, text, keys, files }
}

test('is held until the workflow has succeeded; then the buyer gets only the copy', async () => {
  const { delivery, ids, order } = await buy({ 'book.pdf': PDF })
  expect(await read(delivery)).toMatchObject({
    status: 'held',
    hold: { by: 'workflow' },
    sent: null,
    reason: 'Its workflow prepares the files.',
  })
  const pages = createOrderPages({
    database: app.engine.parts.database,
    secrets: app.engine.parts.secrets,
    baseUrl: 'https://files.example.com',
  })
  expect(await pages.find(app.engine.shop, order.id)).toMatchObject({ status: 'preparing' })
  const waiting = await fetchAll(delivery)
  expect(waiting.files).toEqual([])
  expect(waiting.text).toContain('Your files are being prepared.')
  await run(delivery)
  expect(await read(delivery)).toMatchObject({ status: 'ready', reason: null, hold: null })
  // The mail is sent when the files are ready, and not before.
  expect((await read(delivery)).sent).toMatchObject({ status: 'waiting' })
  const { files } = await fetchAll(delivery)
  const bytes = Buffer.from(await files[0]!.arrayBuffer())
  const extras = await deliveryExtras(
    app.engine.scope,
    app.engine.parts.secrets,
    parsePublicId('delivery', delivery)!,
    { show: false },
  )
  expect(bytes.length).toBe(extras.get(ids['book.pdf']!)!.copy!.size_bytes)
  expect(bytes.equals(PDF)).toBe(false)
})

test('serves no unprepared file, even if the page is open', async () => {
  const { delivery } = await buy({ 'book.pdf': PDF })
  await run(delivery)
  const { keys, files } = await fetchAll(delivery)
  expect(files[0]!.status).toBe(200)
  const { scope } = app.engine
  await scope.query(`update prepared_files set status = 'waiting' where shop_id = :shop`)
  await scope.withoutRows(`select pg_notify('link_changed', '')`)
  await expect
    .poll(async () => (await fetch(`${app.url}/download?key=${keys[0]}`)).status)
    .not.toBe(200)
  const address = new URL((await read(delivery)).url as string)
  const zip = await fetch(`${app.url}${address.pathname}${address.search}&all=1`)
  expect(zip.headers.get('content-type')).not.toContain('zip')
  await scope.query(`update prepared_files set status = 'ready' where shop_id = :shop`)
})

test('serves no copy of a file in which a virus was found', async () => {
  const { delivery } = await buy({ 'book.pdf': PDF })
  await run(delivery)
  const { keys, files } = await fetchAll(delivery)
  expect(files[0]!.status).toBe(200)
  const { scope } = app.engine
  const status = async () => (await fetch(`${app.url}/download?key=${keys[0]}`)).status
  const write = async (quarantine: object | null) => {
    await scope.query('update versions set quarantine = :given where shop_id = :shop', {
      given: quarantine && JSON.stringify(quarantine),
    })
    await scope.withoutRows(`select pg_notify('link_changed', '')`)
  }
  await write({ found: 'Eicar' })
  await expect.poll(status).toBe(503)
  await write(null)
  await expect.poll(status).toBe(200)
})

test('shows why it failed; a release prepares it again and stays held meanwhile', async () => {
  const { delivery, ids } = await buy({ 'broken.pdf': PDF.subarray(0, 100) })
  await run(delivery)
  expect((await read(delivery)).reason).toMatch(/broken\.pdf”: /)
  expect((await fetchAll(delivery)).text).toContain('could not be prepared yet')
  const released = await app.owner.call('POST', `/api/deliveries/${delivery}/release`)
  expect(released.body).toMatchObject({ status: 'held', hold: { by: 'workflow' } })
  await run(delivery)
  expect(await read(delivery)).toMatchObject({ status: 'held', hold: { by: 'workflow' } })
  // The merchant replaces it with a file that can be stamped.
  const whole = await addFile(app.engine, `whole-${products}.pdf`, PDF)
  const replace = [
    {
      file_id: `file_${ids['broken.pdf']!.replaceAll('-', '')}`,
      with: `file_${whole.replaceAll('-', '')}`,
    },
  ]
  const changed = await app.owner.call('PATCH', `/api/deliveries/${delivery}`, { replace })
  expect(changed.status).toBe(200)
  await run(delivery)
  expect(await read(delivery)).toMatchObject({ status: 'ready' })
})

/** What the mails about the delivery say, newest first, as they would be sent now. */
async function mailsOf(delivery: string) {
  const { scope } = app.engine
  const rows = await scope.query<{ payload: unknown }>(
    `select payload from outbox where shop_id = :shop and payload ->> 'delivery' = :delivery
     order by id desc`,
    { delivery: parsePublicId('delivery', delivery) },
  )
  const mailed = rows.flatMap(({ payload }) => mailedDelivery(payload) ?? [])
  const mails = await writeDeliveryMails(scope, mailed, 'https://files.example.com')
  return mails.map((mail) => mail?.text ?? '')
}
const sendMails = () =>
  app.engine.scope.query(`update outbox set status = 'sent' where shop_id = :shop`)

soakTest(
  'a broken document does not hold the others, and a second mail follows when it is ready',
  async () => {
    const { delivery, ids } = await buy({ 'book.pdf': PDF, 'broken.pdf': PDF.subarray(0, 100) })
    await run(delivery)
    expect(await read(delivery)).toMatchObject({
      status: 'ready',
      blocked_files: 1,
      hold: null,
      reason: expect.stringMatching(/broken\.pdf”: /) as string,
    })
    const { keys, files, text } = await fetchAll(delivery)
    expect([keys.length, files[0]!.status]).toEqual([1, 200])
    expect(text).toContain('This file is being prepared. We write again when it is ready.')
    const [first] = await mailsOf(delivery)
    expect(first).toMatch(/- \S*book\.pdf/)
    expect(first).not.toMatch(/- \S*broken\.pdf/)
    expect(first).toMatch(/One file is still being prepared: \S*broken\.pdf\. We write again/)
    await sendMails()

    const whole = await addFile(app.engine, `mended-${products}.pdf`, PDF)
    const replace = [
      { file_id: toPublicId('file', ids['broken.pdf']!), with: toPublicId('file', whole) },
    ]
    await app.owner.call('PATCH', `/api/deliveries/${delivery}`, { replace })
    expect((await read(delivery)).status).toBe('ready')
    await run(delivery)
    expect(await read(delivery)).toMatchObject({ status: 'ready', reason: null, blocked_files: 0 })
    expect((await fetchAll(delivery)).keys.length).toBe(2)
    const mails = await mailsOf(delivery)
    expect(mails.length).toBe(2)
    expect(mails[0]).toContain('are ready now')
    expect(mails[0]).not.toContain('being prepared:')
    // Nothing more follows.
    await run(delivery)
    expect((await mailsOf(delivery)).length).toBe(2)
  },
)

soakTest(
  'a slow document does not hold the others, and no second mail repeats the first one',
  async () => {
    const opened = gate()
    slow = opened.passed
    const made = { name: 'Slow', kind: 'delivery', steps: [{ plugin: 'wait-for-gate' }] }
    await choose((await app.owner.call('POST', '/api/workflows', made)).body.id as string)
    const { delivery } = await buy({ 'fast.pdf': PDF, 'slow.pdf': PDF })
    const running = run(delivery)
    await expect.poll(async () => (await read(delivery)).status).toBe('ready')
    expect((await fetchAll(delivery)).keys.length).toBe(1)
    const preparing = (await read(delivery)).file_list.filter(
      (file: { preparing: boolean }) => file.preparing,
    )
    expect(preparing.length).toBe(1)
    expect((await mailsOf(delivery))[0]).toContain('still being prepared')
    opened.open()
    await running
    expect((await fetchAll(delivery)).keys.length).toBe(2)
    // The first mail was not sent yet: it names both files.
    const mails = await mailsOf(delivery)
    expect(mails.length).toBe(1)
    expect(mails[0]).not.toContain('being prepared')
  },
)

test('a merchant’s hold and a risk come first, and are followed by the workflow', async () => {
  const { delivery, order } = await buy({ 'book.pdf': PDF })
  await app.owner.call('POST', `/api/deliveries/${delivery}/hold`)
  await run(delivery)
  expect(await read(delivery)).toMatchObject({ status: 'held', hold: { by: 'merchant' } })
  const released = await app.owner.call('POST', `/api/deliveries/${delivery}/release`)
  expect(released.body).toMatchObject({ status: 'ready' })
  await reconcile({ ...order, updated_at: new Date() })
  expect(await read(delivery)).toMatchObject({ status: 'ready' })
})

soakTest('a corrected address stamps new copies before the buyer gets anything', async () => {
  const { delivery } = await buy({ 'book.pdf': PDF })
  await run(delivery)
  const before = await (await fetchAll(delivery)).files[0]!.arrayBuffer()
  await app.owner.call('PATCH', `/api/deliveries/${delivery}`, { email: 'right@example.com' })
  expect(await read(delivery)).toMatchObject({ status: 'held', hold: { by: 'workflow' } })
  await run(delivery)
  const after = await (await fetchAll(delivery)).files[0]!.arrayBuffer()
  expect(Buffer.from(after).equals(Buffer.from(before))).toBe(false)
})

/** A list with these keys, given by the workflow that is chosen. */
async function chooseKeys(...keys: readonly string[]): Promise<string> {
  const named = { name: `Keys ${keys[0]}` }
  const list = (await app.owner.call('POST', '/api/licence-lists', named)).body.id as string
  await fetch(`${app.url}/api/licence-lists/${list}/keys`, {
    method: 'POST',
    body: keys.join('\n'),
    headers: { authorization: `Bearer ${app.owner.key}`, 'content-type': 'text/plain' },
  })
  const steps = [{ plugin: 'assign-licence-key', options: { list } }]
  const made = { ...named, kind: 'delivery', steps }
  await choose((await app.owner.call('POST', '/api/workflows', made)).body.id as string)
  return list
}
const listOf = async (id: string) => {
  const { body } = await app.owner.call('GET', '/api/licence-lists')
  const { left, given } = body.data.find((one: { id: string }) => one.id === id)
  return { left, given }
}
const keysIn = async (delivery: string) =>
  (await read(delivery)).file_list.map((one: { licence_key: string | null }) => one.licence_key)
type Order = Awaited<ReturnType<typeof buy>>['order']
const quantityOf = (order: Order, quantity: number): Order => ({
  ...order,
  lines: order.lines.map((line) => ({ ...line, quantity })),
  financial_status: quantity > 0 ? 'PAID' : 'REFUNDED',
  updated_at: new Date(),
})

test('a key that nobody has seen returns to its list when the order no longer needs it', async () => {
  const list = await chooseKeys('RETURN-1', 'RETURN-2', 'RETURN-3')
  const { delivery, order } = await buy({
    'app.zip': Buffer.from('app'),
    'guide.txt': Buffer.from('guide'),
  })
  await reconcile(quantityOf(order, 3))
  await app.owner.call('POST', `/api/deliveries/${delivery}/hold`)
  await run(delivery)
  expect(await listOf(list)).toEqual({ left: 0, given: 3 })
  // The page of a delivery that is not ready shows no key.
  expect(await keysIn(delivery)).toEqual([null, null])
  await reconcile(quantityOf(order, 2))
  expect(await listOf(list)).toEqual({ left: 1, given: 2 })
  await reconcile(quantityOf(order, 0))
  expect(await listOf(list)).toEqual({ left: 3, given: 0 })

  const other = await buy({ 'other.zip': Buffer.from('other') })
  await run(other.delivery)
  expect(await keysIn(other.delivery)).toEqual(['RETURN-1'])
  // The order entitles its buyer again, and there are fewer keys.
  await reconcile(quantityOf(order, 2))
  await run(delivery)
  await app.owner.call('POST', `/api/deliveries/${delivery}/release`)
  expect((await keysIn(delivery)).filter(Boolean)).toEqual(['RETURN-2, RETURN-3'])
  // A key that was shown stays the buyer's.
  await reconcile(quantityOf(order, 0))
  expect(await listOf(list)).toEqual({ left: 0, given: 3 })
})

soakTest(
  'a returned key continues a delivery that waits for one, and a revoked one returns its keys',
  async () => {
    const list = await chooseKeys('SCARCE-1')
    const one = await buy({ 'one.zip': Buffer.from('one') })
    await app.owner.call('POST', `/api/deliveries/${one.delivery}/hold`)
    await run(one.delivery)
    const two = await buy({ 'two.zip': Buffer.from('two') })
    await run(two.delivery)
    expect(await read(two.delivery)).toMatchObject({ status: 'held', hold: { by: 'workflow' } })
    await app.owner.call('POST', `/api/deliveries/${one.delivery}/revoke`)
    expect(await listOf(list)).toEqual({ left: 1, given: 0 })
    await run(two.delivery)
    expect(await keysIn(two.delivery)).toEqual(['SCARCE-1'])
  },
)

test('keys of refunded units are revoked until the refund is reversed, unless the merchant decides', async () => {
  const list = await generateKeys({ revoke_on_refund: true })
  const { delivery, order } = await buy({ 'pro.zip': Buffer.from('pro') })
  const keys = async () =>
    (await app.owner.call('GET', `/api/licence-lists/${list}/keys`)).body.data as {
      id: string
      key: string | null
      status: string
    }[]
  const states = async () => (await keys()).map(({ status }) => status).toSorted()
  await reconcile(quantityOf(order, 3))
  await run(delivery)
  // Unseen: keys of lists that generate them are deleted.
  expect((await keys()).map(({ key }) => key)).toEqual([null, null, null])
  await reconcile(quantityOf(order, 2))
  expect(await states()).toEqual(['active', 'active'])
  const shown = String((await keysIn(delivery))[0]).split(', ')
  expect(shown).toHaveLength(2)
  await reconcile(quantityOf(order, 1))
  expect(await states()).toEqual(['active', 'revoked'])
  expect((await keys()).find(({ status }) => status === 'revoked')!.key).toBe(shown[1])
  const { text } = await fetchAll(delivery)
  expect([text.includes(shown[0]!), text.includes(shown[1]!)]).toEqual([true, false])
  expect(text).toContain('licence key withdrawn')
  await reconcile(quantityOf(order, 2))
  expect(await states()).toEqual(['active', 'active'])
  // The key that the merchant revoked is that of the refunded unit.
  const [first, second] = shown.map(async (key) => (await keys()).find((one) => one.key === key)!)
  await app.owner.call('POST', `/api/licence-keys/${(await first!).id}/revoke`)
  await reconcile(quantityOf(order, 1))
  expect(await states()).toEqual(['active', 'revoked'])
  await reconcile(quantityOf(order, 0))
  expect(await states()).toEqual(['revoked', 'revoked'])
  const refunded = (await second!).id
  expect((await app.owner.call('POST', `/api/licence-keys/${refunded}/rotate`)).status).toBe(409)
  await app.owner.call('POST', `/api/licence-keys/${refunded}/restore`)
  await app.owner.call('POST', `/api/deliveries/${delivery}/revoke`)
  expect(await states()).toEqual(['active', 'revoked'])
})

soakTest(
  'a replaced key is on no page any more, and copies that show it are made again',
  async () => {
    const list = await generateKeys({}, { plugin: 'stamp-pdf', options: { text: 'Key {licence}' } })
    const { delivery, ids } = await buy({ 'keyed.pdf': PDF })
    await run(delivery)
    const [key] = await keysIn(delivery)
    const { body } = await app.owner.call('GET', `/api/licence-lists/${list}/keys`)
    expect(body.data).toMatchObject([
      {
        key,
        status: 'active',
        delivery_id: delivery,
        order_name: '#1001',
        filename: expect.stringMatching(/keyed/) as string,
      },
    ])
    for (const [search, found] of [
      ['1001', 1],
      ['%231001', 1],
      ['BUYER@example.com', 1],
      ['1002', 0],
      ['buyer@', 0],
    ] as const) {
      const { body } = await app.owner.call(
        'GET',
        `/api/licence-lists/${list}/keys?search=${search}`,
      )
      expect([search, body.data.length]).toEqual([search, found])
    }
    const rotated = await app.owner.call('POST', `/api/licence-keys/${body.data[0].id}/rotate`)
    expect(rotated.status).toBe(200)
    expect(await keysIn(delivery)).toEqual([rotated.body.key])
    const { text } = await fetchAll(delivery)
    expect([text.includes(rotated.body.key as string), text.includes(String(key))]).toEqual([
      true,
      false,
    ])
    const stale = await app.engine.scope.query<{ file_id: string }>(
      'select file_id from prepared_files where shop_id = :shop and stale',
    )
    expect(stale.map(({ file_id }) => file_id)).toEqual([ids['keyed.pdf']])
  },
)

/** A list that generates its keys, given by the workflow that is chosen. */
async function generateKeys(terms: object, ...steps: readonly object[]): Promise<string> {
  const name = `Generated ${randomUUID()}`
  const generate = { pattern: 'XXXX-XXXX-XXXX', prefix: '', checksum: true }
  const body = { name, generate, ...terms }
  const list = (await app.owner.call('POST', '/api/licence-lists', body)).body.id as string
  const assign = { plugin: 'assign-licence-key', options: { list } }
  const made = { name, kind: 'delivery', steps: [assign, ...steps] }
  await choose((await app.owner.call('POST', '/api/workflows', made)).body.id as string)
  return list
}

soakTest('an added unit gets a key, and what was delivered stays meanwhile', async () => {
  const list = await chooseKeys('ADDED-1', 'ADDED-2')
  const { delivery, order } = await buy({ 'add.zip': Buffer.from('add') })
  await run(delivery)
  expect(await keysIn(delivery)).toEqual(['ADDED-1'])
  await reconcile(quantityOf(order, 2))
  expect(await read(delivery)).toMatchObject({ status: 'ready', hold: null })
  expect((await fetchAll(delivery)).text).toContain('licence key ADDED-1')
  await run(delivery)
  expect(await read(delivery)).toMatchObject({ status: 'ready', reason: null })
  expect(await keysIn(delivery)).toEqual(['ADDED-1, ADDED-2'])
  expect(await listOf(list)).toEqual({ left: 0, given: 2 })
})

const addKeys = (list: string, ...keys: readonly string[]) =>
  fetch(`${app.url}/api/licence-lists/${list}/keys`, {
    method: 'POST',
    body: keys.join('\n'),
    headers: { authorization: `Bearer ${app.owner.key}`, 'content-type': 'text/plain' },
  })

soakTest(
  'with an empty list only the added units wait, and a mail follows when they have keys',
  async () => {
    const list = await chooseKeys('KEPT-1', 'KEPT-2', 'KEPT-3')
    const { delivery, order } = await buy({ 'kept.zip': Buffer.from('kept') })
    await reconcile(quantityOf(order, 3))
    await run(delivery)
    const keys = ['KEPT-1, KEPT-2, KEPT-3']
    expect(await keysIn(delivery)).toEqual(keys)
    expect(await mailsOf(delivery)).toHaveLength(1)
    await sendMails()
    await reconcile(quantityOf(order, 5))
    await run(delivery)
    expect(await read(delivery)).toMatchObject({
      status: 'ready',
      blocked_files: 0,
      hold: null,
      reason: expect.stringMatching(/^Added units need 2 more licence keys of the list/) as string,
    })
    expect(await keysIn(delivery)).toEqual(keys)
    const page = await fetchAll(delivery)
    expect(page.files.map(({ status }) => status)).toEqual([200])
    expect(page.text).toContain('licence key KEPT-3')

    // What there is is given; the rest waits.
    await addKeys(list, 'KEPT-4')
    await run(delivery)
    expect(await keysIn(delivery)).toEqual(['KEPT-1, KEPT-2, KEPT-3, KEPT-4'])
    expect((await read(delivery)).reason).toMatch(/need 1 more licence key of/)
    await addKeys(list, 'KEPT-5', 'KEPT-6')
    await run(delivery)
    expect(await read(delivery)).toMatchObject({ status: 'ready', reason: null })
    expect(await keysIn(delivery)).toEqual(['KEPT-1, KEPT-2, KEPT-3, KEPT-4, KEPT-5'])
    const mails = await mailsOf(delivery)
    expect(mails).toHaveLength(2)
    expect(mails[0]).toContain('are ready now')
  },
)

soakTest('units that wait for keys and are refunded wait no longer', async () => {
  await chooseKeys('BACK-1')
  const { delivery, order } = await buy({ 'back.zip': Buffer.from('back') })
  await run(delivery)
  await reconcile(quantityOf(order, 2))
  await run(delivery)
  expect((await read(delivery)).reason).toMatch(/need 1 more licence key/)
  await reconcile(quantityOf(order, 1))
  await run(delivery)
  expect(await read(delivery)).toMatchObject({ status: 'ready', reason: null })
  expect(await keysIn(delivery)).toEqual(['BACK-1'])
})

soakTest(
  'units of another line with the same product get keys, or wait for them alone',
  async () => {
    const list = await chooseKeys('SAME-1')
    const { delivery, order } = await buy({ 'same.zip': Buffer.from('same') })
    await run(delivery)
    const [line] = order.lines
    const lines = [line!, { ...line!, id: `${line!.id}0` }]
    await reconcile({ ...order, lines, updated_at: new Date() })
    await run(delivery)
    expect(await read(delivery)).toMatchObject({ status: 'ready' })
    expect(await keysIn(delivery)).toEqual(['SAME-1'])
    await addKeys(list, 'SAME-2')
    await run(delivery)
    expect(await keysIn(delivery)).toEqual(['SAME-1, SAME-2'])
  },
)

soakTest(
  'while units wait, a stamped copy is served, and a new version still reaches the buyer',
  async () => {
    const list = await chooseKeys('STAMP-1')
    const stamp = { plugin: 'stamp-pdf', options: { text: 'Key {licence}' } }
    const steps = [{ plugin: 'assign-licence-key', options: { list } }, stamp]
    const made = { name: 'Keys and stamps', kind: 'delivery', steps }
    await choose((await app.owner.call('POST', '/api/workflows', made)).body.id as string)
    const { delivery, order, ids } = await buy({
      'stamped.pdf': PDF,
      'plain.txt': Buffer.from('plain'),
    })
    await run(delivery)
    const copies = async () => (await fetchAll(delivery)).files.map(({ status }) => status)
    expect(await copies()).toEqual([200, 200])
    await reconcile(quantityOf(order, 2))
    await run(delivery)
    expect((await read(delivery)).reason).toMatch(/need 1 more licence key/)
    expect(await copies()).toEqual([200, 200])
    await app.engine.scope.query(
      `update prepared_files set stale = true where shop_id = :shop and file_id = :file`,
      { file: ids['plain.txt'] },
    )
    const { rows } = await app.engine.parts.database.pool.query<{ key: string }>(renewal.wanted!)
    for (const { key } of rows) await worker.run(renewal, { shop: app.engine.shop, key })
    expect(await copies()).toEqual([200, 200])
  },
)

soakTest('a key is shown with another file of its line when its own is left out', async () => {
  const list = await chooseKeys('MOVED-1')
  const rule = { plugin: 'choose-files', options: { deliver: { type: ['txt'] } } }
  const steps = [{ plugin: 'assign-licence-key', options: { list } }, rule]
  const made = { name: 'Rule after keys', kind: 'delivery', steps }
  await choose((await app.owner.call('POST', '/api/workflows', made)).body.id as string)
  const { delivery } = await buy({ 'a.zip': Buffer.from('a'), 'b.txt': Buffer.from('b') })
  await run(delivery)
  expect((await fetchAll(delivery)).text).toContain('licence key MOVED-1')
})

soakTest(
  'a workflow that delivers cannot be deleted, and its keys are on the buyer’s page',
  async () => {
    const gone = await app.owner.call('DELETE', `/api/workflows/${workflow}`)
    expect(gone).toMatchObject({ status: 409, body: { error: { code: 'workflow_in_use' } } })
    await chooseKeys('KEY-ON-PAGE')
    const { delivery } = await buy({ 'app.zip': Buffer.from('app') })
    await run(delivery)
    expect((await fetchAll(delivery)).text).toContain('licence key KEY-ON-PAGE')
    expect((await read(delivery)).file_list[0].licence_key).toBe('KEY-ON-PAGE')
    const reader = await app.clientWith(['files:read', 'operations:read'])
    const seen = await reader.call('GET', `/api/deliveries/${delivery}`)
    expect(seen.body.file_list[0].licence_key).toBeNull()
  },
)

soakTest(
  'only a workflow for deliveries can be chosen, and a refused one changes nothing',
  async () => {
    for (const id of ['workflow_0', 'import-api', toPublicId('workflow', randomUUID()), '']) {
      const answer = await app.owner.call('PATCH', '/api/settings', { delivery_workflow: id })
      expect(answer).toMatchObject({
        status: 422,
        body: { error: { details: [{ param: 'delivery_workflow', code: 'not_found' }] } },
      })
    }
    const { body } = await app.owner.call('GET', '/api/settings')
    expect(body.delivery_workflow).toBe(workflow)
  },
)

test('without a workflow nothing is held', async () => {
  await choose(null)
  const { delivery } = await buy({ 'book.pdf': PDF })
  expect(await read(delivery)).toMatchObject({ status: 'ready' })
})

soakTest(
  'a view of a file that is only viewed shows the copy with the stamp of its buyer',
  async () => {
    const { delivery, ids } = await buy({ 'book.pdf': PDF })
    await app.engine.scope.query(
      `update files set view = 'view_only' where shop_id = :shop and id = :id`,
      { id: ids['book.pdf'] },
    )
    await run(delivery)
    const { url } = (await read(delivery)) as { url: string }
    const page = decoded(await (await fetch(app.url + pathOf(url))).text())
    const key = /view\?key=([\w-]{43})/.exec(page)?.[1] ?? ''
    const view = await fetch(`${app.url}/view?key=${key}`)
    expect(view.status).toBe(200)
    const bytes = /view\/bytes\?[^'"\s]+/.exec(decoded(await view.text()))?.[0]
    const cookie = view.headers.get('set-cookie')?.split(';')[0] ?? ''
    const shown = await fetch(`${app.url}/${bytes}`, { headers: { cookie } })
    expect(shown.status).toBe(200)
    // The stamp is drawn as outlines, not as text.
    const stampOf = async (document: Uint8Array) => {
      const [{ width, height, grey }] = (await renderPages(document, 100)) as [PagePicture]
      const from = Math.floor(height * 0.9)
      return inkOf({ width, height: height - from, grey: grey.subarray(from * width) })
    }
    const stamp = await stampOf(new Uint8Array(await shown.arrayBuffer()))
    expect([stamp!.left < 0.1, stamp!.right > 0.25]).toEqual([true, true])
    expect(await stampOf(PDF)).toBeNull()
    // The address works in no other browser.
    expect((await fetch(`${app.url}/${bytes}`)).status).toBe(403)
  },
)

const decoded = (html: string): string =>
  html.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&').replaceAll('&#x2F;', '/')
const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search
