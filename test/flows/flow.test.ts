// The platform's automation (Flow) with the whole product: triggers are sent if a workflow of the
// shop uses them, a refusal switches one off, and its action sends links once.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { importUntilEnd } from './imports.ts'
import { startOrderShop, type OrderShop } from './order-shop.ts'
import { soakTest } from '../scale.ts'

let server: OrderShop['server']
let origin: OrderShop['origin']
let mail: OrderShop['mail']
let shopFront: string

beforeAll(async () => {
  const shop = await startOrderShop()
  ;({ server, origin, mail, shopFront } = shop)
  return shop.end
})

// Tests look into answers as they like.
/* oxlint-disable typescript/no-explicit-any */
async function post(route: string, body: object): Promise<any> {
  const headers = { 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(`${shopFront}${route}`, sent)).json()
}
const read = async (route: string): Promise<any> => (await server.call('GET', route)).json()
const flow = async (): Promise<any> => (await fetch(`${shopFront}/demo/flow`)).json()
const received = async (handle: string): Promise<any[]> =>
  (await flow()).received.filter((one: { handle: string }) => one.handle === handle)
const use = (handle: string, enabled = true) => post('/demo/flow/triggers', { handle, enabled })
const messages = async (): Promise<any[]> => (await read('/api/messages?kind=flow')).data
const importOne = async (filename: string, more: object = {}) => {
  const file = { filename, url: `${origin.url}/bytes/500/${filename}`, ...more }
  const { files } = await importUntilEnd(server, {
    files: [file],
    auto_map: false,
    on_conflict: 'new_version',
  })
  return files[0]!.file_id!
}

/** The fields that an extension declares. */
async function keysOf(extension: string): Promise<string[]> {
  const file = `../../web/extensions/${extension}/shopify.extension.toml`
  const text = await readFile(path.join(import.meta.dirname, file), 'utf8')
  const keys = [...text.matchAll(/^key = "(.*)"$/gm)].map(([, key]) => key!)
  return text.includes('"order_reference"') ? ['order_id', ...keys] : keys
}

test('triggers are sent if a workflow uses them, with the fields that they declare', async () => {
  await importOne('before.pdf')
  expect(await messages()).toEqual([])
  for (const handle of ['import-finished', 'file-delivered', 'limit-reached'])
    expect((await use(handle)).status).toBe(200)

  await importOne('sold.pdf', { product_sku: 'EB-001', download_limit: 1 })
  await expect.poll(() => received('import-finished')).toHaveLength(1)
  const [imported] = await received('import-finished')
  expect(imported.payload).toMatchObject({ Status: 'success', 'Files imported': 1 })
  expect(Object.keys(imported.payload)).toEqual(await keysOf('flow-import-finished'))

  // The same bytes again are not imported.
  await importOne('before.pdf')
  await expect.poll(() => received('import-finished')).toHaveLength(2)
  expect((await received('import-finished'))[1].payload).toMatchObject({ 'Files imported': 0 })

  const lines = [{ sku: 'EB-001', quantity: 1 }]
  const order = await post('/demo/orders', { email: 'buyer@example.com', lines })
  await expect.poll(() => received('file-delivered')).toHaveLength(1)
  const [delivered] = await received('file-delivered')
  expect(delivered.payload).toMatchObject({
    order_id: Number(order.order_id.split('/').at(-1)),
    'Files delivered': 1,
  })
  expect(Object.keys(delivered.payload)).toEqual(await keysOf('flow-file-delivered'))

  const file_ids = [await importOne('limited.pdf')]
  const link = { file_ids, download_limit: 1, email: 'reader@example.com' }
  const made = (await (await server.call('POST', '/api/links', link)).json()) as any
  expect((await fetch(made.data[0].url)).status).toBe(200)
  await expect.poll(() => received('limit-reached')).toHaveLength(1)
  const [reached] = await received('limit-reached')
  expect(reached.payload).toMatchObject({
    'File name': 'limited.pdf',
    'Buyer email': 'reader@example.com',
    'Download limit': 1,
  })
  expect(Object.keys(reached.payload)).toEqual(await keysOf('flow-limit-reached'))
})

soakTest('a trigger that no workflow uses any more, or that is refused, is not sent', async () => {
  await use('import-finished', false)
  const before = (await messages()).length
  await importOne('unheard.pdf')
  expect(await messages()).toHaveLength(before)

  await use('import-finished')
  await post('/demo/flow/refusal', { refused: 'Flow is not available on this plan' })
  await importOne('refused.pdf')
  await expect.poll(async () => (await messages())[0].status).toBe('failed')
  const told = async () =>
    (await read('/api/notices')).data.filter((one: { body: string }) =>
      one.body.includes('Flow is not available on this plan'),
    )
  expect(await told()).toHaveLength(1)
  await importOne('after the refusal.pdf')
  expect(await messages()).toHaveLength(before + 1)

  // Switching it off and on in Flow enables it again.
  await post('/demo/flow/refusal', { refused: null })
  const sent = (await received('import-finished')).length
  await use('import-finished')
  await importOne('again.pdf')
  await expect.poll(() => received('import-finished')).toHaveLength(sent + 1)
  expect(await told()).toHaveLength(1)
})

test('the action sends links by email, once for each run', async () => {
  const id = await importOne('Ünïcode 名.pdf')
  const properties = {
    email: ' flow@example.com ',
    files: `Ünïcode 名.pdf\n${id}\n\n`,
    pack: '',
    expiry_days: '7',
    download_limit: '3.0',
  }
  const run = { action_run_id: 'run-1', properties }
  const [first, second] = [
    await post('/demo/flow/actions', run),
    await post('/demo/flow/actions', run),
  ]
  expect(first).toMatchObject({ status: 200, body: { return_value: { links: [{}] } } })
  expect(second).toEqual({ status: 200, body: {} })
  const mails = () => mail.mails.filter(({ to }) => to[0] === 'flow@example.com').length
  await expect.poll(mails).toBe(1)
  const { data } = await read('/api/links?email=flow@example.com')
  expect(data).toMatchObject([{ file_id: id, download_limit: 3, email: 'flow@example.com' }])
})

test('an action that cannot run reports why, and does not block a later run', async () => {
  const act = (properties: object, action_run_id = 'run-2') =>
    post('/demo/flow/actions', { action_run_id, properties })
  const to = { email: 'flow@example.com' }
  for (const [properties, said] of [
    [{ email: 'nobody', files: 'a' }, 'Give an email address'],
    [{ ...to }, 'Send either files or a pack'],
    [{ ...to, files: 'nowhere.pdf' }, 'There is no file “nowhere.pdf”'],
    [{ ...to, pack: 'Nothing' }, 'There is no pack “Nothing”'],
    [{ ...to, files: 'x'.repeat(30_001) }, 'Name fewer files'],
    [{ ...to, files: 'a', expiry_days: '0' }, 'expiry_days'],
  ] as const) {
    const { status, body } = await act(properties)
    expect([status, body.message]).toEqual([422, expect.stringContaining(said)])
  }
  // The merchant reads it in the shop's language.
  await server.call('PATCH', '/api/settings', { mail_language: 'de' })
  const german = (await act({ ...to, files: 'nowhere.pdf' })).body
  const said = 'Die Datei „nowhere.pdf“ gibt es nicht'
  expect(german).toMatchObject({ message: `files: ${said}`, errors: [{ message: said }] })
  await server.call('PATCH', '/api/settings', { mail_language: null })
  expect((await act({ ...to, files: 'Ünïcode 名.pdf' })).status).toBe(200)
  const unsigned = await fetch(`${server.url}/flow/actions/send-download-links`, {
    method: 'POST',
    body: '{}',
    headers: { 'x-shopify-hmac-sha256': 'AAAA' },
  })
  expect(unsigned.status).toBe(401)
})
