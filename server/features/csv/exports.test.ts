// Exports of other shops: recognised by their headers, and read with one row for each file.
import Papa from 'papaparse'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openCsvApp, type CsvApp } from '../../../test/csv.ts'
import { nameOfAddress } from './exports.ts'

let app: CsvApp
beforeAll(async () => void (app = await openCsvApp({ 'BOOK-1': 1, 'BOOK-2': 1, 'BOOK-3': 1 })))
afterAll(() => app.close())

const host = 'https://shop.example/wp-content/uploads/woocommerce_uploads'
const csvOf = (rows: object[]) => Papa.unparse(rows)
const read = async (text: string | Buffer) => {
  const { status, body } = await app.upload(text)
  expect(status).toBe(201)
  return body
}
const files = (body: { preview: { values: Record<string, string | null> }[] }) =>
  body.preview.map(({ values: one }) => [one.filename, one.file_url, one.product_sku])

// The columns of WooCommerce 9, without those between them that do not matter here.
const wooRow = (sku: string, name: string, rest: Record<string, string>) => ({
  ID: '61',
  Type: 'simple, downloadable, virtual',
  SKU: sku,
  'GTIN, UPC, EAN, or ISBN': '',
  Name: name,
  Published: '1',
  Description: 'A book\\nwith lines, and "quotes"',
  Categories: 'Books > Sea',
  Tags: 'harbour, tides',
  Images: 'https://shop.example/a.jpg, https://shop.example/b.jpg',
  'Download limit': '-1',
  'Download expiry days': '-1',
  'Download 1 ID': '',
  'Download 1 name': '',
  'Download 1 URL': '',
  'Download 2 ID': '',
  'Download 2 name': '',
  'Download 2 URL': '',
  ...rest,
})
const woo = [
  wooRow('BOOK-1', 'Harbours', {
    'Download 1 name': 'The book',
    'Download 1 URL': `${host}/2024/01/harbours-x1.pdf`,
    'Download 2 name': 'Audio',
    'Download 2 URL': `${host}/2024/01/harbours%20audio.mp3?ver=2`,
  }),
  wooRow('MUG', 'A mug', { Type: 'simple' }),
  wooRow('BOOK-2', 'Tides', {
    'Download limit': '3',
    'Download expiry days': '30',
    'Download 1 name': 'Tides.epub',
    'Download 1 URL': 'https://shop.example/?download=22',
  }),
]

it('reads WooCommerce’s products, where -1 means unlimited and Images are not the files', async () => {
  const body = await read(csvOf(woo))
  expect(body).toMatchObject({
    list: { id: 'woocommerce', files: 3, products: 2, without_files: 1 },
    rows: 3,
    missing: [],
    problems: [],
    is_workbook: false,
    sheets: ['The file as it is', 'One row for each file'],
    sheet: 'One row for each file',
  })
  expect(files(body)).toEqual([
    ['harbours-x1.pdf', `${host}/2024/01/harbours-x1.pdf`, 'BOOK-1'],
    ['harbours audio.mp3', `${host}/2024/01/harbours%20audio.mp3?ver=2`, 'BOOK-1'],
    ['Tides.epub', 'https://shop.example/?download=22', 'BOOK-2'],
  ])
  expect(body.preview[0].values).toMatchObject({
    download_limit: 'unlimited',
    expiry_days: 'never',
    tags: 'harbour, tides',
  })
  expect(body.preview[2].values).toMatchObject({ download_limit: '3', expiry_days: '30' })
  const { check } = await app.checked(body.id)
  expect(check).toMatchObject({ import_rows: 3, errors: 0 })
})

it('reads the file as it is if that is chosen, in its own encoding', async () => {
  const rows = woo.map((row) => ({ ...row, Name: `Häfen ${row.SKU}` }))
  const body = await read(Buffer.from(csvOf(rows), 'latin1'))
  expect(body).toMatchObject({ encoding: 'windows-1252', list: { files: 3 } })
  const choose = async (sheet: string) =>
    (await app.owner.call('PUT', `/api/csv/${body.id}/sheet`, { sheet })).body
  const whole = await choose('The file as it is')
  expect(whole).toMatchObject({ list: null, rows: 3, encoding: 'windows-1252' })
  expect(whole.mapping).toMatchObject({ product_sku: 'SKU', file_url: null })
  const list = await choose('One row for each file')
  expect(list).toMatchObject({ list: { files: 3 }, encoding: 'windows-1252' })
  const other = (
    await app.owner.call('PUT', `/api/csv/${body.id}/encoding`, { encoding: 'macintosh' })
  ).body
  expect(other).toMatchObject({ list: { files: 3 }, encoding: 'macintosh' })
  expect(files(other)).toEqual(files(list))
})

it('reads the downloads of Easy Digital Downloads, whose 0 means unlimited', async () => {
  const row = {
    ID: '12',
    post_name: 'harbours',
    post_title: 'Harbours',
    post_status: 'publish',
    tags: 'sea',
    edd_price: '9.00',
    _edd_files: 'https://edd.example/edd/a.pdf|https://edd.example/edd/b.epub',
    _edd_download_limit: '0',
    _thumbnail_id: 'https://edd.example/cover.jpg',
    edd_sku: 'BOOK-1',
  }
  const body = await read(csvOf([row, { ...row, _edd_files: '', edd_sku: 'BOOK-2' }]))
  expect(body).toMatchObject({ list: { id: 'edd', files: 2, products: 1, without_files: 1 } })
  expect(files(body)).toEqual([
    ['a.pdf', 'https://edd.example/edd/a.pdf', 'BOOK-1'],
    ['b.epub', 'https://edd.example/edd/b.epub', 'BOOK-1'],
  ])
  expect(body.preview[0].values).toMatchObject({ download_limit: 'unlimited', expiry_days: '' })
})

it.each([
  [
    'numbered columns',
    { SKU: 'BOOK-1', 'File 1': 'https://a.example/1.pdf', 'File 2': 'https://a.example/2.pdf' },
  ],
  [
    'one cell',
    { SKU: 'BOOK-1', file_url: 'https://a.example/1.pdf, https://a.example/2.pdf', filename: 'x' },
  ],
  ['lines of a cell', { SKU: 'BOOK-1', Link: 'https://a.example/1.pdf\nhttps://a.example/2.pdf' }],
])('reads several files in %s', async (_, row) => {
  const body = await read(csvOf([row, row]))
  expect(body.list).toEqual({ id: 'several_files', files: 4, products: 2, without_files: 0 })
  expect(files(body).slice(0, 2)).toEqual([
    ['1.pdf', 'https://a.example/1.pdf', 'BOOK-1'],
    ['2.pdf', 'https://a.example/2.pdf', 'BOOK-1'],
  ])
})

it('reads attachments of Airtable with their names', async () => {
  const token = 'https://v5.airtableusercontent.com/v3/u/1/token'
  const row = { Name: 'Harbours', Attachments: `guide (1).pdf (${token}),map.pdf (${token}2)` }
  const body = await read(csvOf([row, { ...row, Attachments: '' }]))
  expect(body).toMatchObject({
    list: { id: 'several_files', files: 2, products: 1, without_files: 1 },
  })
  expect(files(body).map(([name, url]) => [name, url])).toEqual([
    ['guide (1).pdf', token],
    ['map.pdf', `${token}2`],
  ])
  const single = await read(csvOf([{ ...row, Attachments: `map.pdf (${token})` }]))
  expect(single).toMatchObject({ list: null, mapping: { file_url: 'Attachments' } })
  expect(single.preview[0].values.file_url).toBe(`map.pdf (${token})`)
})

it.each([
  [
    'guide.pdf (https://x.example/a_(1).pdf),map.pdf (https://x.example/b.pdf)',
    [
      ['guide.pdf', 'https://x.example/a_(1).pdf'],
      ['map.pdf', 'https://x.example/b.pdf'],
    ],
  ],
  [
    'guide.pdf (https://x.example/a.pdf),https://x.example/map.pdf',
    [
      ['guide.pdf', 'https://x.example/a.pdf'],
      ['map.pdf', 'https://x.example/map.pdf'],
    ],
  ],
  [
    'a.pdf (https://x.example/1.pdf) | b.pdf (https://x.example/2.pdf) |',
    [
      ['a.pdf', 'https://x.example/1.pdf'],
      ['b.pdf', 'https://x.example/2.pdf'],
    ],
  ],
  [
    '[Guide](https://x.example/guide.pdf), Map (https://x.example/map.pdf)',
    [
      ['Guide.pdf', 'https://x.example/guide.pdf'],
      ['Map.pdf', 'https://x.example/map.pdf'],
    ],
  ],
])('reads all attachments of %j', async (Attachments, expected) => {
  const { preview } = await read(csvOf([{ SKU: 'BOOK-1', Attachments }]))
  expect(files({ preview }).map(([name, url]) => [name, url])).toEqual(expected)
})

it('reads cells in which long gaps and unclosed addresses look like attachments', async () => {
  const gap = ' '.repeat(10_000)
  const open = '[x](https://x.example/a'.repeat(400)
  const cells = [
    'https://x.example/1.pdf, https://x.example/2.pdf',
    `x${gap}(https://x.example/a b`,
    open,
    `${open} )`,
    `x,${gap}y https://x.example/a`,
  ]
  const body = await read(csvOf(cells.map((file_url) => ({ file_url }))))
  expect(body.list).toMatchObject({ id: 'several_files', products: 5 })
})

it.each([
  ['https://a.example/pattern-2.5x', 'Pattern.pdf', 'Pattern.pdf'],
  ['https://a.example/abc.1f3d9', 'Pattern.pdf', 'Pattern.pdf'],
  ['https://a.example/set.procreate', 'Set', 'set.procreate'],
  ['https://a.example/guide.pdf?x=1', 'Pattern.zip', 'guide.pdf'],
  ['https://a.example/x', '', 'x'],
])('the file at %s with the name %j is %s', (address, name, expected) => {
  expect(nameOfAddress(address, name)).toBe(expected)
})

it('says that the storefront’s own products have no addresses of files', async () => {
  for (const row of [
    { Handle: 'a', Title: 'A', 'Variant SKU': 'BOOK-1', 'Image Src': 'https://a.example/a.jpg' },
    {
      'URL handle': 'a',
      Title: 'A',
      SKU: 'BOOK-1',
      'Product image URL': 'https://a.example/a.jpg',
    },
  ]) {
    const body = await read(csvOf([row]))
    expect(body).toMatchObject({ kind: 'storefront_products', list: null, missing: ['file_url'] })
    expect(body.mapping.file_url).toBeNull()
  }
})

it.each([
  'filename,file_url,product_sku\na.pdf,https://a.example/a?x=https://b.example/b,BOOK-1\n',
  'filename,file_url,Image 1,Image 2\na.pdf,https://a.example/a,https://a.example/1.jpg,https://a.example/2.jpg\n',
])('leaves a list of files as it is', async (text) => {
  expect(await read(text)).toMatchObject({ list: null, sheets: [], kind: null, rows: 1 })
})
