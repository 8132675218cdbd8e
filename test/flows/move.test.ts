// A shop moves from another app: its export of files, then that of its buyers, each imported once,
// undone, and imported again.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilEnded } from '../app.ts'
import { openCsvApp, type CsvApp } from '../csv.ts'
import { exportOf } from '../exports.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { fillMirror } from '../mirror.ts'
import { soakTest } from '../scale.ts'

let app: CsvApp
let origin: Origin
let stop: () => Promise<void>
beforeAll(async () => {
  ;[app, origin] = await Promise.all([openCsvApp(), startOrigin()])
  stop = (await app.engine.startWorker()).stop
  await fillMirror(app.owner.scope, [
    { title: 'Brot backen für Anfänger', skus: ['BROT-1'] },
    { title: 'Presets', skus: ['PRESETS-LR', 'PRESETS-CO'] },
    { title: 'Kniffe & Tricks' },
  ])
})
afterAll(async () => {
  await stop()
  await app.close()
  await origin.close()
})

async function upload(name: string, text?: string) {
  const answer = await fetch(`${app.url}/api/moves?filename=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.key}`, 'content-type': 'text/csv' },
    body: text ?? new Uint8Array(exportOf(name, origin.url)),
  })
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: answer.status, body: (await answer.json()) as any }
}

async function start(move: { id: string }, body: object = {}) {
  const answer = await app.owner.call('POST', `/api/moves/${move.id}/start`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(202)
  return untilEnded(app.owner, answer.body.id)
}

async function undo(operation: string) {
  const answer = await app.owner.call('POST', `/api/operations/${operation}/undo`)
  expect(answer.status).toBe(202)
  return untilEnded(app.owner, answer.body.id)
}

const files = () =>
  app.owner.scope.query<{ filename: string; products: string[] }>(
    `select f.filename, f.expiry_days, f.download_limit, f.tags,
       coalesce(array_agg(m.product_title || coalesce('/' || m.sku, '') || ' by ' || m.method)
         filter (where m.file_id is not null), '{}') as products
     from files f left join mappings m on m.shop_id = f.shop_id and m.file_id = f.id
     where f.shop_id = :shop and f.deleted_at is null group by f.shop_id, f.id order by f.filename`,
  )

const links = () =>
  app.owner.scope.query(
    `select f.filename, l.email, l.download_limit, l.expires_at, l.downloads from links l
     join files f on f.shop_id = l.shop_id and f.id = l.file_id
     where l.shop_id = :shop and l.revoked_at is null order by l.email, f.filename`,
  )
const mails = () =>
  app.owner.scope.query<{ n: number; template: string }>(
    `select coalesce(jsonb_array_length(payload -> 'links'), 1) as n, payload ->> 'template' as template
     from outbox where shop_id = :shop and payload ->> 'template' in ('download-link', 'moved-links')
     order by n`,
  )

test('files with their products, then buyers with what remains of their terms; both undone', async () => {
  const { status, body: products } = await upload('woocommerce-products.csv')
  expect({ status, products }).toMatchObject({
    status: 201,
    products: {
      app: 'woocommerce',
      table: 'products',
      kind: 'files',
      rows: 8,
      operation_id: null,
      files: {
        total: 6,
        fresh: 6,
        present: 0,
        without_files: 2,
        products: { id: 0, sku: 3, handle: 0, title: 1, none: 1 },
      },
      findings: [
        { severity: 'error', message: 'This is not an http or https URL', count: 1, rows: [8] },
        { severity: 'warning', count: 1, rows: [9] },
      ],
    },
  })
  expect(products.unknown_columns).toContain('Regular price')
  expect(products.unknown_columns).not.toContain('Download 1 URL')
  // The rows of the uploaded file are in no list of CSV files.
  expect((await app.owner.call('GET', '/api/csv')).body.data).toEqual([])

  const imported = await start(products)
  expect(imported).toMatchObject({ status: 'success', done: 6, failed: 0 })
  const there = await files()
  expect(there).toMatchObject([
    {
      filename: 'brot-backen.pdf',
      expiry_days: 30,
      download_limit: 5,
      tags: ['Backen', 'Küche'],
      products: ['Brot backen für Anfänger/BROT-1 by sku'],
    },
    { filename: 'extra.pdf', products: [] },
    { filename: 'karten.zip', products: ['Brot backen für Anfänger/BROT-1 by sku'] },
    { filename: 'kniffe.pdf', download_limit: 3, products: ['Kniffe & Tricks by title'] },
    { filename: 'presets-co.zip', products: ['Presets/PRESETS-CO by sku'] },
    {
      filename: 'presets-lr.zip',
      expiry_days: null,
      download_limit: null,
      products: ['Presets/PRESETS-LR by sku'],
    },
  ])

  // The same export again: everything is there.
  const { body: again } = await upload('woocommerce-products.csv')
  expect(again.files).toMatchObject({ fresh: 0, present: 6 })
  expect(await app.owner.call('POST', `/api/moves/${again.id}/start`, {})).toMatchObject({
    status: 422,
    body: { error: { code: 'too_few' } },
  })
  expect(await app.owner.call('POST', `/api/moves/${products.id}/start`, {})).toMatchObject({
    status: 409,
  })

  const { body: permissions } = await upload('woocommerce-permissions.csv')
  expect(permissions).toMatchObject({
    app: 'woocommerce',
    table: 'permissions',
    kind: 'buyers',
    buyers: { total: 5, links: 3, files: 3, present: 0, ended: 2, without_file: 1 },
  })
  const given = await start(permissions)
  expect(given).toMatchObject({ status: 'success', done: 3, failed: 0 })
  const created = await links()
  expect(created).toEqual([
    {
      filename: 'presets-lr.zip',
      email: 'Jörg.Müller@example.com',
      downloads: 0,
      download_limit: null,
      expires_at: null,
    },
    {
      filename: 'brot-backen.pdf',
      email: 'mira@example.com',
      downloads: 0,
      download_limit: 2,
      expires_at: new Date('3000-01-01T00:00:00Z'),
    },
    {
      filename: 'karten.zip',
      email: 'mira@example.com',
      downloads: 0,
      download_limit: null,
      expires_at: null,
    },
  ])
  expect(await mails()).toEqual([])
  const { body: repeated } = await upload('woocommerce-permissions.csv')
  expect(repeated.buyers).toMatchObject({ links: 0, present: 3 })

  // Of an order of March, links for 30 days have expired.
  const { body: orders } = await upload('shopify-orders.csv')
  expect(orders).toMatchObject({
    app: 'shopify',
    buyers: { total: 1, links: 1, present: 0, ended: 2 },
  })

  expect(await undo(given.id)).toMatchObject({ status: 'success', done: 3 })
  expect(await links()).toEqual([])
  const { body: after } = await upload('woocommerce-permissions.csv')
  expect(after.buyers).toMatchObject({ links: 3, present: 0 })
  expect(await start(after, { email: true })).toMatchObject({ status: 'success', done: 3 })
  // One for each buyer, with all links.
  expect(await mails()).toEqual([
    { n: 1, template: 'download-link' },
    { n: 2, template: 'moved-links' },
  ])
  const list = await app.owner.call('GET', '/api/messages')
  const mail = list.body.data.find(({ subject }: { subject: string }) =>
    subject.startsWith('Your downloads from'),
  )
  expect(mail.text).toMatch(/brot-backen\.pdf\nhttps?:.*key=\(this key is not kept, 1\)/)
  expect(mail.text).toMatch(/karten\.zip\nhttps?:.*key=\(this key is not kept, 2\)/)

  expect(await undo(imported.id)).toMatchObject({ status: 'success', done: 6 })
  expect(await files()).toEqual([])
  const { body: fresh } = await upload('woocommerce-products.csv')
  expect(fresh.files).toMatchObject({ fresh: 6, present: 0 })
  expect(await start(fresh)).toMatchObject({ status: 'success', done: 6 })
  expect(await files()).toHaveLength(there.length)
})

soakTest('other apps, and a table that no app wrote', async () => {
  const { body: list } = await upload('list-of-files.csv')
  expect(list).toMatchObject({
    app: 'other',
    table: 'list',
    unknown_columns: ['Bemerkung'],
    files: { fresh: 2, products: { sku: 1, title: 1, none: 0 } },
  })
  expect(await start(list)).toMatchObject({ status: 'success', done: 2 })
  expect(await files()).toContainEqual(
    expect.objectContaining({ filename: 'Geißbock & Übermut.pdf', expiry_days: 14 }),
  )

  // One file for two products.
  const shared = `${origin.url}/bytes/1401/shared.pdf`
  const { body: twice } = await upload(
    'shared.csv',
    `SKU,File URL,Tags\nBROT-1,${shared},one\nPRESETS-LR,${shared},two\nPRESETS-LR,${shared},two\n`,
  )
  expect(twice.files).toMatchObject({ total: 1, fresh: 1, products: { sku: 2 } })
  expect(await start(twice)).toMatchObject({ status: 'success', done: 1 })
  expect((await files()).filter(({ filename }) => filename === 'shared.pdf')).toMatchObject([
    {
      tags: ['one', 'two'],
      products: expect.arrayContaining([
        'Brot backen für Anfänger/BROT-1 by sku',
        'Presets/PRESETS-LR by sku',
      ]) as string[],
    },
  ])

  const { body: edd } = await upload('edd-products.csv')
  expect(await start(edd)).toMatchObject({ status: 'success', done: 3 })
  const { body: orders } = await upload('edd-orders.csv')
  expect(orders.buyers).toEqual({
    total: 2,
    links: 4,
    files: 3,
    present: 0,
    ended: 0,
    without_file: 0,
  })
  expect(await start(orders)).toMatchObject({ status: 'success', done: 3 })
  // The limit of the product, not used yet as far as the export says.
  expect(await links()).toContainEqual(
    expect.objectContaining({
      filename: 'loops.zip',
      email: 'lukasz@example.pl',
      download_limit: 4,
    }),
  )

  const answer = await fetch(`${app.url}/api/moves`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.key}`, 'content-type': 'text/csv' },
    body: 'Country,Sales\nDE,12\n',
  })
  expect([answer.status, await answer.json()]).toMatchObject([
    422,
    { error: { code: 'invalid_csv', details: [{}, { message: 'Its columns: Country, Sales' }] } },
  ])
  expect((await app.owner.call('GET', '/api/csv')).body.data).toEqual([])
})
