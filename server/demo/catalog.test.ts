import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CatalogError, readCatalog, type DemoCatalog } from './catalog.ts'
import { fold } from './search.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'catalog-'))
})
afterAll(() => rm(folder, { recursive: true }))

const file = () => path.join(folder, 'products.csv')
async function read(...lines: string[]): Promise<DemoCatalog> {
  await writeFile(file(), lines.join('\n'))
  return readCatalog(file())
}
const OLD =
  'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Price,Variant Barcode,Image Src,Status'
const NEW =
  'Title,URL handle,Description,Vendor,Type,Tags,Status,SKU,Barcode,Option1 name,Option1 value,Option2 name,Option2 value,Price,Product image URL'

test('the older and the newer export format of one catalog give the same result', async () => {
  const older = await read(
    '\uFEFF' + OLD,
    'hat,Hat,"<p>A hat,',
    'warm</p>",Wool,Pattern,"knit, hat",TRUE,Size,S,Yarn,Thick,HAT-S,5.00,\'123,https://x.example/1.png,active',
    'hat,,,,,,,,M,,Thin,HAT-M,6,,https://x.example/2.png,',
    'hat,,,,,,,,,,,,,,https://x.example/3.png,',
    '',
    'one,One,,,,,,Title,Default Title,,,,,,,draft',
  )
  const newer = await read(
    NEW,
    'Hat,hat,,Wool,Pattern,"knit, hat",Active,HAT-S,123,Size,S,Yarn,Thick,5.00,https://x.example/1.png',
    ',hat,,,,,,HAT-M,,,M,,Thin,6,https://x.example/2.png',
    ',hat,,,,,,,,,,,,,https://x.example/3.png',
    'One,one,,,,,Draft,,,,,,,,',
  )
  expect(newer.products).toEqual(older.products)
  expect(newer.variants).toEqual(older.variants)
  expect(older.products.variants).toEqual([[0, 1], [2]])
  expect(older.variants).toMatchObject({
    product: [0, 0, 1],
    title: ['S / Thick', 'M / Thin', 'Default Title'],
    sku: ['HAT-S', 'HAT-M', ''],
    barcode: ['123', '', ''],
    price: ['5.00', '6', '0.00'],
  })
  expect(older.products).toMatchObject({ tags: [['knit', 'hat'], []], status: ['ACTIVE', 'DRAFT'] })
})

test('ids of products do not depend on the other rows', async () => {
  const header = 'Handle,Title,Option1 Value,Variant SKU'
  const first = await read(header, 'a,A,Default Title,1', 'b,B,PDF,2', 'b,,EPUB,3')
  const second = await read(header, 'c,C,Default Title,1', 'b,B (new name),EPUB,9', 'b,,PDF,2')
  expect(second.products.id[1]).toBe(first.products.id[1])
  expect(second.products.id[0]).not.toBe(first.products.id[0])
  expect(second.variants.id.slice(1)).toEqual([first.variants.id[2], first.variants.id[1]])
  const twice = await read(header, 'a,A,PDF,1', 'a,,PDF,1', 'a,,PDF,1')
  expect(new Set(twice.variants.id).size).toBe(3)
  for (const id of [...twice.products.id, ...twice.variants.id])
    expect(Number.isSafeInteger(id) && id > 0).toBe(true)
})

describe('an unreadable file is named, with the position', () => {
  const header = 'Handle,Title,Variant SKU,Variant Price,Status'
  test.each<[string, string[], string]>([
    ['empty', [''], 'it is empty'],
    ['no products', [header], 'it has no products'],
    ['other columns', ['name,sku', 'a,b'], 'line 1: there is no column "Handle"'],
    ['no title column', ['Handle,SKU', 'a,b'], 'line 1: there is no column "Title"'],
    ['no handle', [header, 'a,A,,,', '"",B,"x\ny",,'], 'line 3: column 1: the handle is missing'],
    [
      'no title',
      [header, '"a\n",A,,,', 'b,,SKU,,'],
      'line 4: column 2: the product b has no title',
    ],
    ['no price', [header, 'a,A,,five,'], 'line 2: column 4: five is not a price'],
    ['no status', [header, 'a,A,,,sold'], 'line 2: column 5: SOLD is not a status'],
    ['too many cells', [header, 'a,A,,,,,'], 'line 2: it has 7 cells under 5 headings'],
    ['an open quote', [header, 'a,A,"open', 'b,B,,,'], 'line 2: a quoted cell is not closed'],
  ])('%s', async (_, lines, message) => {
    const error = await read(...lines).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(CatalogError)
    expect((error as Error).message).toContain(`${file()}: ${message}`)
  })
  test('not UTF-8', async () => {
    await writeFile(
      file(),
      Buffer.concat([Buffer.from('Handle,Title\ncaf'), Buffer.of(0xe9), Buffer.from(',Caf')]),
    )
    await expect(readCatalog(file())).rejects.toThrow('line 2: column 1: the text is not UTF-8')
  })
  test('missing file, and a folder', async () => {
    const missing = path.join(folder, 'none.csv')
    await expect(readCatalog(missing)).rejects.toThrow(`${missing}: it can’t be read (ENOENT)`)
    await expect(readCatalog(folder)).rejects.toThrow(`${folder}: it can’t be read (EISDIR)`)
  })
})

test('the bundled catalog has the cases that mapping must handle', async () => {
  const { products, variants, bySku } = await readCatalog(
    new URL('./products.csv', import.meta.url).pathname,
  )
  expect(products.id.length).toBeGreaterThanOrEqual(200)
  expect(variants.id.length).toBeGreaterThanOrEqual(260)
  const productsOf = (sku: string) => new Set(bySku(fold(sku)).map((row) => variants.product[row]))
  expect(bySku('eb 007').length).toBe(3)
  expect(productsOf('EB-007').size).toBe(1)
  expect(productsOf('TIDE-2025').size).toBe(2)
  const skus = variants.sku.filter((sku) => sku !== '')
  expect(skus.length).toBeLessThan(variants.sku.length)
  for (const kind of [/_/, /\./, / /, /-/, /^[a-z_.]+$/, /"/, /'/, /\(/, /:/, /[^\x20-\x7e]/])
    expect(
      skus.some((sku) => kind.test(sku)),
      String(kind),
    ).toBe(true)
  expect(skus).toEqual(
    expect.arrayContaining([
      'TIDE',
      'TIDE-2025',
      'TIDE-2025-POCKET',
      'BUNDLE_ALL',
      'BUNDLE_ALL_GIFT',
    ]),
  )
  expect(new Set(products.id).size).toBe(products.id.length)
})
