// Exports as the apps write them: which app is recognised, and what its rows say.
import { english } from '../../../plugins/contract/index.ts'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { analyse } from '../csv/analyse.ts'
import { bodyOf } from '../csv/body-rows.ts'
import { rowsOf } from '../csv/uploads.ts'
import { createBuyerReader } from './buyer-rows.ts'
import { readFileRow } from './file-rows.ts'
import { productsOf, readDate } from './order-cells.ts'
import { recognise } from './presets.ts'

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

const fixture = (name: string, encoding: 'utf8' | 'latin1' = 'utf8') =>
  readFileSync(path.resolve(import.meta.dirname, '../../../test/exports', name), encoding)
    .replace(/^\ufeff/, '')
    .replaceAll('ORIGIN', 'https://shop.example')

async function read(text: string) {
  const { headers, sample, format } = await analyse(once(text), 50_000)
  const preset = recognise(
    headers,
    sample.map(({ cells }) => cells),
  )
  if (!preset) return null
  const rows = (await Array.fromAsync(bodyOf(rowsOf(once(text), format), format.header_row))).flat()
  const { app, table, kind } = preset
  const reader = preset.kind === 'buyers' ? createBuyerReader(preset) : null
  const each = await Promise.all(
    rows.map(async ({ row, cells }) =>
      preset.kind === 'files'
        ? { ...(await readFileRow(preset, row, cells)), access: [] }
        : { ...reader!(row, cells), files: [] },
    ),
  )
  return {
    app,
    table,
    kind,
    fields: preset.fields.map(({ field, at }) => `${field}: ${headers[at]}`),
    files: each.flatMap(({ files }) => files),
    access: each.flatMap(({ access }) => access),
    findings: each.flatMap(({ findings }) =>
      findings.map((one) => ({ ...one, message: english(one.message) })),
    ),
  }
}

describe('exports of files', () => {
  it('of WooCommerce: numbered downloads, variations, limits', async () => {
    const found = await read(fixture('woocommerce-products.csv'))
    expect(found).toMatchObject({ app: 'woocommerce', table: 'products', kind: 'files' })
    expect(found!.files.map(({ filename, url }) => [filename, url.slice(20)])).toEqual([
      ['brot-backen.pdf', '/bytes/1101/brot-backen.pdf'],
      ['karten.zip', '/bytes/1102/karten.zip'],
      ['presets-lr.zip', '/bytes/1103/presets-lr.zip'],
      ['presets-co.zip', '/bytes/1104/presets-co.zip'],
      ['kniffe.pdf', '/bytes/1105/kniffe.pdf'],
      ['extra.pdf', '/bytes/1106/extra.pdf'],
    ])
    expect(found!.files[0]).toEqual({
      row: 2,
      filename: 'brot-backen.pdf',
      tags: ['Backen', 'Küche'],
      url: 'https://shop.example/bytes/1101/brot-backen.pdf',
      product: { id: '101', sku: 'BROT-1', titles: ['Brot backen für Anfänger'] },
      download_limit: 5,
      expiry_days: 30,
      download: '0b6b9f0e-0a4e-4a55-9d3e-5f1f7d0f1a01',
    })
    expect(found!.files[2]).toMatchObject({ download_limit: null, expiry_days: null })
    expect(found!.findings).toEqual([
      { row: 8, severity: 'error', message: 'This is not an http or https URL' },
    ])
    expect(found!.fields).toContain('download_id: Download 2 ID')
  })

  it.each([
    [
      'de',
      'ID,Typ,Artikelnummer,Name,Schlagwörter,Downloadlimit,Ablauftage des Downloads,Download 1 Name,Download 1 URL',
    ],
    [
      'fr',
      "ID,Type,UGS,Nom,Étiquettes,Limite de téléchargement,Jours d'expiration du téléchargement,Nom de téléchargement 1,URL de téléchargement 1",
    ],
    [
      'es',
      'ID,Tipo,SKU,Nombre,Etiquetas,Límite de descargas,Días de expiración de la descarga,Nombre de la descarga 1,URL de la descarga 1',
    ],
    [
      'pt',
      'ID,Tipo,REF,Nome,Tags,Limite de download,Dias para expirar o download,Nome do download 1,URL de download 1',
    ],
    [
      'ja',
      'ID,タイプ,SKU,名前,タグ,ダウンロード制限,ダウンロード有効期限日,ダウンロード 1 の名前,ダウンロード 1 の URL',
    ],
  ])('of WooCommerce in another language: %s', async (_, header) => {
    const row = '7,simple,G-1,Guide,a,5,30,The guide,https://a.example/guide.pdf'
    expect(await read(`${header}\n${row}\n`)).toMatchObject({
      app: 'woocommerce',
      files: [
        {
          filename: 'guide.pdf',
          download_limit: 5,
          expiry_days: 30,
          tags: ['a'],
          product: { id: '7', sku: 'G-1', titles: ['Guide'] },
        },
      ],
    })
  })

  it('of Easy Digital Downloads: several files in a cell, with the numbers of their prices', async () => {
    const found = await read(fixture('edd-products.csv'))
    expect(found).toMatchObject({ app: 'edd', table: 'products', findings: [] })
    expect(found!.files).toMatchObject([
      {
        url: 'https://shop.example/bytes/1201/loops.zip',
        filename: 'loops.zip',
        tags: ['loops', 'drums'],
        download_limit: 4,
        product: { id: '31', sku: 'SP-1', handle: 'sound-pack', titles: ['Sound pack'] },
      },
      { url: 'https://shop.example/bytes/1202/stems.zip', filename: 'stems.zip' },
      { filename: 'manual.pdf', download_limit: null, product: { handle: 'manual' } },
    ])
  })

  it('of any app: likely headers, in another language', async () => {
    const found = await read(fixture('list-of-files.csv', 'latin1'))
    expect(found).toMatchObject({ app: 'other', table: 'list', findings: [] })
    expect(found!.files).toMatchObject([
      {
        filename: 'Geißbock & Übermut.pdf',
        tags: ['Märchen', 'Kinder'],
        expiry_days: 14,
        download_limit: 2,
        product: { sku: 'BROT-1', titles: ['Brot backen für Anfänger'] },
      },
      { filename: 'Kniffe.pdf', product: { titles: ['Kniffe & Tricks'] } },
    ])
    const lists = [
      'Product Title,Variant SKU,File Name,File URL,Download Limit\nGuide,G-1,guide.pdf,https://a.example/x,3\n',
      'Handle,File Name,Link\nguide,guide.pdf,https://a.example/x\n',
      'name,product_type,self_hosted_url,instant_buy_url\nGuide,digital,https://a.example/guide.pdf,https://a.example/buy\n',
    ]
    const all = await Promise.all(lists.map(read))
    expect(all.map((one) => [one!.app, one!.files[0]!.filename])).toEqual([
      ['other', 'guide.pdf'],
      ['other', 'guide.pdf'],
      ['sendowl', 'guide.pdf'],
    ])
    expect(all[1]!.files[0]!.product).toEqual({ handle: 'guide', titles: [] })
  })

  it('of any app: names with any extension, which several files of a row do not share', async () => {
    const found = await read(
      'SKU,File Name,File URL\n' +
        'G-1,Kit.7z,https://a.example/x\n' +
        'G-2,Kit.7z,"a.pdf (https://a.example/1),b.pdf (https://a.example/2)"\n',
    )
    expect(found!.files.map(({ filename }) => filename)).toEqual(['Kit.7z', 'a.pdf', 'b.pdf'])
  })
})

describe('exports of buyers', () => {
  it('of WooCommerce’s permissions: what is left, and until when', async () => {
    const found = await read(fixture('woocommerce-permissions.csv'))
    expect(found).toMatchObject({ app: 'woocommerce', table: 'permissions', kind: 'buyers' })
    expect(found!.access.map(({ email, left, expires }) => [email, left, expires])).toEqual([
      ['mira@example.com', 2, '3000-01-01T00:00:00.000Z'],
      ['mira@example.com', null, null],
      ['Jörg.Müller@example.com', null, null],
      ['done@example.com', 0, null],
      ['late@example.com', 4, '2020-02-01T00:00:00.000Z'],
      ['gone@example.com', null, null],
    ])
    expect(found!.access[0]).toMatchObject({
      product: { id: '101' },
      download: '0b6b9f0e-0a4e-4a55-9d3e-5f1f7d0f1a01',
    })
    expect(found!.findings).toEqual([
      { row: 8, severity: 'error', message: 'This is not an email address' },
    ])
  })

  it('of Easy Digital Downloads: several products in an order; refunded ones are left out', async () => {
    const found = await read(fixture('edd-orders.csv'))
    expect(found).toMatchObject({ app: 'edd', table: 'orders' })
    expect(found!.access.map(({ email, product }) => [email, product])).toEqual([
      ['lukasz@example.pl', { sku: 'SP-1', titles: ['Sound pack'] }],
      ['lukasz@example.pl', { titles: ['Manual'] }],
      ['anna@example.com', { titles: ['Manual'] }],
    ])
    expect(found!.findings).toMatchObject([{ row: 3, severity: 'error' }])
    expect(await read(fixture('edd-sales.csv'))).toMatchObject({
      app: 'edd',
      table: 'sales',
      access: [{ email: 'kim@example.com', product: { id: '31', titles: ['Sound pack'] } }],
    })
  })

  it('of the storefront’s orders: the rows of an order name its buyer once', async () => {
    const found = await read(fixture('shopify-orders.csv'))
    expect(found).toMatchObject({ app: 'shopify', table: 'orders' })
    expect(found!.access).toMatchObject([
      { row: 2, product: { sku: 'BROT-1' }, ordered: '2026-03-01T07:59:00.000Z' },
      { row: 3, product: { sku: 'PRESETS-LR', titles: ['Presets - Lightroom', 'Presets'] } },
    ])
    expect(found!.access[1]!.ordered).toBe('2026-03-01T07:59:00.000Z')
    expect(found!.findings).toHaveLength(1)
  })

  it('of SendOwl, and of any list with addresses and products', async () => {
    expect(await read(fixture('sendowl-orders.csv'))).toMatchObject({
      app: 'sendowl',
      table: 'orders',
      access: [{ email: 'ida@example.com', expires: '2999-01-02T00:00:00.000Z' }],
    })
    const list =
      'Customer email,SKU,Downloads left,Expires at\na@example.com,G-1,3,31.12.2999\nb@example.com,G-1,many,\nc@example.com,G-1,,soon\n'
    const found = await read(list)
    expect(found).toMatchObject({
      app: 'other',
      table: 'list',
      kind: 'buyers',
      access: [{ email: 'a@example.com', left: 3, expires: '3000-01-01T00:00:00.000Z' }],
    })
    expect(found!.findings.map(({ message }) => message)).toEqual([
      'The number of downloads could not be read',
      'This date could not be read: write it as 2026-12-31',
    ])
  })
})

test.each([
  'Country,Sales\nDE,12\n',
  'Email,Accepts Marketing\na@example.com,yes\n',
  'Handle,Title,Variant SKU,Image Src\nguide,Guide,G-1,https://a.example/cover.jpg\n',
])('nothing is recognised without files and buyers: %j', async (text) => {
  expect(await read(text)).toBeNull()
})

test.each([
  ['2026-03-01 08:59:00 +0100', '2026-03-01T07:59:00.000Z', false],
  ['2026-03-01T08:59:00Z', '2026-03-01T08:59:00.000Z', false],
  ['2026-03-01', '2026-03-01T00:00:00.000Z', true],
  ['1.3.2026', '2026-03-01T00:00:00.000Z', true],
])('the date %s is read', (text, at, day) => {
  expect(readDate(text)).toEqual({ at: new Date(at), day })
})
test.each(['03/01/2026', '2026-02-31', 'soon'])('the date %s is unknown', (text) => {
  expect(readDate(text)).toBe('unknown')
})
test.each(['', 'NULL', '0000-00-00 00:00:00', 'never'])('%j is no date', (text) => {
  expect(readDate(text)).toBeNull()
})

test('a title with a slash is one product of an order', () => {
  const columns = { id: -1, sku: -1, title: 0, handle: -1, form: 'edd' } as const
  expect(productsOf(['Loops / Drums|9.5{0}{} / Manual|0{0}{1}'], columns)).toEqual([
    { titles: ['Loops / Drums'] },
    { titles: ['Manual'] },
  ])
})
