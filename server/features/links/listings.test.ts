import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import Papa from 'papaparse'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codePoint } from '../../../test/code-points.ts'
import {
  FORMULA_SIGNS,
  EXPORT_COLUMNS,
  type ExportColumn,
} from '../../../plugins/contract/index.ts'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { insertManyFiles } from '../../../test/factories.ts'
import { sized, soakTest, someOf } from '../../../test/scale.ts'
import { analyse } from '../csv/analyse.ts'
import { bodyOf } from '../csv/body-rows.ts'
import { placesOf } from '../csv/columns.ts'
import { createEncodingDetector, decode } from '../../core/encoding.ts'
import { readValues, type RowValues } from '../csv/row-values.ts'
import { readRows } from '../csv/rows.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { toPublicId } from '../../core/ids.ts'
import { createSecrets, hashKey } from '../../core/secrets.ts'
import { cellSql, originalCell, plainCell } from '../../files/cells.ts'
import { createListings, type LinkListingParts } from './listings.ts'
import type { FileFilter } from '../../files/filter.ts'
import { listFilePage } from '../../files/list.ts'
import { publicUrl } from '../../files/public-addresses.ts'
import {
  extensionOf,
  filenameProblem,
  nameKey,
  normalizeTags,
  tagProblem,
} from '../../files/rules.ts'

const BASE = 'https://files.example.com'
const secrets = createSecrets('a secret of at least thirty-two characters')
const TERMS = [
  'view_limit',
  'view_days',
  'available_from',
  'available_after_days',
  'first_use_hours',
  'customer_tag',
  'buyer_text',
  'ask_for',
  'sample_pages',
  'sample_seconds',
  'pack',
] as const
const SWITCHES = {
  visibility: 'private',
  cdn: true,
  download_notification: false,
  download_tracking: true,
  allowed_referrers: [],
}
const ON_REQUEST: readonly string[] = [
  'id',
  'view',
  'paid_by',
  'sha256',
  'link_url',
  ...Object.keys(SWITCHES),
  ...TERMS,
  'url',
]
const USUAL = EXPORT_COLUMNS.filter((column) => !ON_REQUEST.includes(column))
const NO_TERMS = {
  ...SWITCHES,
  ...Object.fromEntries(TERMS.map((term) => [term, null])),
  pack: [],
}
const HEADER = 'filename,size_bytes,upload_date,products,tags,downloads,expiry_days,download_limit'
const quiet = new AbortController().signal
/** The bytes of these files do not exist: each has a digest that names its hash. */
const sums: LinkListingParts['sums'] = {
  of: async ({ hash }) => {
    await scope.query(
      `update blobs set sha256 = sha256(hash) where shop_id = :shop
      and hash = decode(:hash, 'hex')`,
      { hash },
    )
    return null
  },
}
let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let shops = 0

beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())
beforeEach(
  async () =>
    void (scope = forShop(
      database,
      await createTestShop(database, `shop-${shops++}.myshopify.com`),
    )),
)

interface Wanted {
  filename: string
  tags?: readonly string[]
  fields?: Record<string, unknown>
}

/** Creates files of one blob, in order. */
function addFiles(files: readonly Wanted[]): Promise<string[]> {
  return scope.transaction(async (tx) => {
    const hash = Buffer.alloc(32, 7)
    await tx.insert('blobs', { hash, size_bytes: 3 }).onConflict().ignore()
    await tx.insert('blob_locations', { hash, location: 'primary' }).onConflict().ignore()
    const about = { size_bytes: 3, content_type: 'application/pdf' }
    const rows = files.map(({ filename, tags = [], fields = {} }) => ({
      ...about,
      filename,
      name_key: nameKey(filename),
      extension: extensionOf(filename),
      channel: 'api',
      tags,
      ...fields,
    }))
    const made = (await tx.insert('files', rows).returning(['id', 'name_key'])) as {
      id: string
      name_key: string
    }[]
    await tx.insert(
      'versions',
      made.map(({ id }) => ({ file_id: id, number: 1, hash, location: 'primary', ...about })),
    )
    const ids = new Map(made.map(({ id, name_key }) => [name_key, id]))
    return files.map(({ filename }) => ids.get(nameKey(filename))!)
  })
}

/**
 * Creates an operation on these files in this order, stored as the engine does: in batches of this
 * size, or as items.
 */
async function operationOn(ids: readonly string[], batch: number | null = 2000): Promise<string> {
  const about = {
    kind: 'bulk',
    action: 'export-files',
    channel: 'api',
    workflow: '{}',
    requested_by: 'test',
  }
  const [row] = (await scope
    .insert('operations', { ...about, total: ids.length })
    .returning('id')) as [{ id: string }]
  const operation = { operation_id: row.id }
  if (batch === null && ids.length > 0)
    await scope.insert(
      'items',
      ids.map((file_id, position) => ({ ...operation, position, file_id })),
    )
  for (let position = 0; batch !== null && position < ids.length; position += batch)
    await scope.insert('item_batches', {
      ...operation,
      position,
      file_ids: ids.slice(position, position + batch),
    })
  return row.id
}

async function exported(
  operation: string,
  format: 'csv' | 'json' = 'csv',
  columns: readonly ExportColumn[] = USUAL,
): Promise<string> {
  const listings = createListings({ secrets, baseUrl: BASE, sums })(scope, operation, () => {})
  const pieces = await Array.fromAsync(listings.files(format, columns, quiet))
  return Buffer.concat(pieces as Buffer[]).toString()
}

/** Reads the rows as the CSV import does. */
async function imported(csv: string): Promise<RowValues[]> {
  const bytes = Buffer.from(csv)
  const detector = createEncodingDetector()
  detector.add(bytes)
  const { encoding } = await detector.result()
  const text = () =>
    decode(ReadableStream.from([bytes]) as unknown as AsyncIterable<Buffer>, encoding)
  const { headers, mapping, format, structure } = await analyse(text(), 50_000)
  expect(structure).toEqual([])
  const places = placesOf(mapping, headers)
  const values: RowValues[] = []
  for await (const rows of bodyOf(readRows(text(), format), format.header_row))
    for (const { cells } of rows) {
      const read = readValues(cells, places)
      expect(read.problems.filter(({ field }) => field !== 'file_url')).toEqual([])
      values.push(read.values)
    }
  return values
}

const SIGNS = [
  '=',
  '+',
  '-',
  '@',
  "'",
  '"',
  ',',
  ';',
  ' ',
  '.',
  'é',
  '名',
  '🗂',
  'a',
  '1',
  '%',
  '#',
  '&',
]
const awkward = fc.oneof(
  fc.string({ unit: fc.constantFrom(...SIGNS), minLength: 1, maxLength: 30 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
)
// The import refuses U+FFFD in any cell: it stands for bytes that are no character of the encoding.
const UNREADABLE = '\ufffd'
const name = awkward
  .map((text) => text.normalize('NFC').trim())
  .filter((text) => filenameProblem(text) === null && !text.includes(UNREADABLE))
/** What begins a tag: signs change tags when they are read, unless they are escaped. */
const beginning = fc.constantFrom('', '', '+', '-', '\\', '\\-', '\\\\')
const tags = fc.array(
  fc
    .tuple(beginning, awkward)
    .map((parts) => parts.join('').trim())
    .filter((text) => tagProblem(text) === null && !text.includes(UNREADABLE)),
  { maxLength: 4 },
)

describe('a CSV export', () => {
  it('has the specification’s columns, in their order', async () => {
    const at = new Date('2026-01-15T23:59:59Z')
    const [id] = await addFiles([
      {
        filename: 'guide.pdf',
        tags: ['baking', 'ebook'],
        fields: { created_at: at, expiry_days: 30, download_limit: 3 },
      },
    ])
    const mapping = { file_id: id, product_title: 'P', method: 'sku', score: 1, reason: 'SKU' }
    await scope
      .from('files')
      .where('id', id!)
      .update({ mapping_state: 'mapped' } as never)
    await scope.insert('mappings', [
      { ...mapping, product_id: 'gid://shopify/Product/2' },
      {
        ...mapping,
        product_id: 'gid://shopify/Product/1',
        variant_id: 'gid://shopify/ProductVariant/1',
      },
      {
        ...mapping,
        product_id: 'gid://shopify/Product/1',
        variant_id: 'gid://shopify/ProductVariant/2',
      },
    ])
    await scope.insert(
      'links',
      [1, 2].map((n) => ({ file_id: id, key_hash: Buffer.alloc(32, n), served: n })),
    )
    await scope.insert('public_addresses', { file_id: id, downloads: 4 })
    const products = 'gid://shopify/Product/1;gid://shopify/Product/2'
    expect(await exported(await operationOn([id!]))).toBe(
      `\ufeff${HEADER}\r\nguide.pdf,3,2026-01-15,${products},baking;ebook,7,30,3\r\n`,
    )
  })

  soakTest('has the requested columns, each once, in any order of the request', async () => {
    const [id] = await addFiles([{ filename: 'a.pdf', tags: ['x'] }])
    const columns: ExportColumn[] = ['url', 'tags', 'id', 'tags']
    const own = toPublicId('file', id!)
    expect(await exported(await operationOn([id!]), 'csv', columns)).toBe(
      `\ufeffid,tags,url\r\n${own},x,${BASE}/api/files/${own}/content\r\n`,
    )
  })

  it('of no files is a header', async () => {
    expect(await exported(await operationOn([]))).toBe(`\ufeff${HEADER}\r\n`)
    expect(JSON.parse(await exported(await operationOn([]), 'json'))).toEqual([])
  })

  it('is read back by the CSV import unchanged: names, tags and terms with any characters', async () => {
    const file = fc.record({
      filename: name,
      tags,
      days: fc.option(fc.integer({ min: 1, max: 36_500 })),
    })
    const files = fc.uniqueArray(file, {
      selector: ({ filename }) => nameKey(filename),
      minLength: 1,
      maxLength: 40,
    })
    await fc.assert(
      fc.asyncProperty(files, async (wanted) => {
        scope = forShop(database, await createTestShop(database, `shop-${shops++}.myshopify.com`))
        const made = wanted.map(({ filename, tags, days }) => ({
          filename,
          tags: normalizeTags(tags),
          fields: { expiry_days: days, download_limit: days, view: days ? 'both' : 'view_only' },
        }))
        const ids = await addFiles(made)
        const csv = await exported(await operationOn(ids), 'csv', ['id', ...USUAL, 'view'])
        expect(await imported(csv)).toEqual(
          made.map(({ filename, tags, fields }, at) => ({
            id: ids[at],
            filename,
            command: null,
            fetches: false,
            file_url: '',
            link_url: '',
            product_sku: '',
            product_handle: '',
            product_id: '',
            sha256: '',
            tags: tags.length > 0 ? tags : undefined,
            ...fields,
          })),
        )
        const { data } = Papa.parse<string[]>(csv.slice(1).trimEnd(), {
          delimiter: ',',
          newline: '\r\n',
        })
        const names = data.slice(1).map((cells) => cells[1] ?? '')
        expect(names.map(originalCell)).toEqual(made.map(({ filename }) => filename))
        const runs = (cell: string) => FORMULA_SIGNS.some((sign) => cell.startsWith(sign))
        expect(names.filter(runs)).toEqual([])
      }),
      { numRuns: sized(6, 25) },
    )
  })
})

const unquoted = (cell: string) =>
  cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell

it('a text that a spreadsheet would change is marked, and read as it was', async () => {
  const cellsOf = (texts: readonly string[]) =>
    scope
      .withoutRows<{ cell: string }>(
        `select ${cellSql('t.text')} as cell
         from jsonb_array_elements_text(:texts::jsonb) with ordinality as t(text, n)
           order by n`,
        { texts: JSON.stringify(texts) },
      )
      .then((rows) => rows.map(({ cell }) => unquoted(cell)))
  const changed = [
    '007',
    '3.10',
    '1,5',
    '1e5',
    '2024-05',
    '2027-03-01',
    '1-2',
    '12:30',
    '9 AM',
    '5%',
    '$5',
    '(3)',
    '1234567890123456',
    '.5',
    '1 000',
    'JAN1',
    'May 2024',
    '5. März',
    '12.Okt',
    '1-Sep-24',
    'true',
    'Falsch',
  ]
  const cells = await cellsOf(changed)
  expect(cells).toEqual(changed.map((text) => `'${text}`))
  expect(cells.map(originalCell)).toEqual(changed)
  const kept = [
    '0',
    '7',
    '2024',
    'guide.pdf',
    '10.pdf',
    '2024 guide',
    'Part 2',
    'Mai',
    'march',
    'v1.2',
    '3D',
    'e5',
    '24h',
    '1,5;2',
    '3 volumes',
    'truely',
    'never',
    'a',
  ]
  expect(await cellsOf(kept)).toEqual(kept)
  expect(kept.map(originalCell)).toEqual(kept)
})

it('a cell is the same from the program and from the database', async () => {
  const cell = fc.oneof(
    fc.string({ unit: codePoint }).filter((text) => !text.includes('\0')),
    fc.string({
      unit: fc.constantFrom(
        '=',
        '+',
        '-',
        '@',
        '\t',
        '\r',
        '\n',
        "'",
        '"',
        ',',
        '\\',
        '^',
        ']',
        'a',
        'é',
      ),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 200 }), async (texts) => {
      const rows = await scope.withoutRows<{ cell: string }>(
        `select ${cellSql('t.text')} as cell
         from jsonb_array_elements_text(:texts::jsonb) with ordinality as t(text, n)
           order by n`,
        { texts: JSON.stringify(texts) },
      )
      const cells = rows.map(({ cell }) => unquoted(cell))
      expect(cells.map(originalCell)).toEqual(texts)
      for (const [at, text] of texts.entries())
        if (!/\d/.test(text)) expect(cells[at]).toBe(plainCell(text))
    }),
    { numRuns: sized(15, 60) },
  )
})

describe('a JSON export', () => {
  it('is an array of the specification’s objects', async () => {
    const [first, second] = await addFiles([
      {
        filename: '=1+1 "ä", 名.pdf',
        tags: ['=x', 'y'],
        fields: { expiry_days: 60, download_limit: 5 },
      },
      { filename: 'b.pdf' },
    ])
    const mapping = {
      product_id: 'gid://shopify/Product/1',
      product_title: 'P',
      method: 'sku',
      score: 1,
      reason: 'SKU',
    }
    await scope
      .from('files')
      .where('id', second!)
      .update({ mapping_state: 'mapped' } as never)
    await scope.insert('mappings', { file_id: second, ...mapping })
    // The day of the shop, which is not that of UTC.
    await scope.query(
      `update shops set settings = settings || '{"time_zone": "Pacific/Kiritimati"}' where id = :shop`,
    )
    await scope.query(
      `update files set created_at = '2026-03-01T21:00:00Z' where shop_id = :shop and id = any(:ids)`,
      { ids: [first!, second!] },
    )
    const upload_date = '2026-03-02'
    const sha256 = createHash('sha256').update(Buffer.alloc(32, 7)).digest('hex')
    const common = { size_bytes: 3, upload_date, downloads: 0, paid_by: [], sha256, link_url: null }
    const id = (of: string) => toPublicId('file', of)
    const url = (of: string) => `${BASE}/api/files/${id(of)}/content`
    const text = await exported(await operationOn([second!, first!]), 'json', EXPORT_COLUMNS)
    expect(JSON.parse(text)).toEqual([
      {
        ...common,
        id: id(second!),
        filename: 'b.pdf',
        products: ['gid://shopify/Product/1'],
        tags: [],
        expiry_days: null,
        download_limit: null,
        view: 'download',
        url: url(second!),
        ...NO_TERMS,
      },
      {
        ...common,
        id: id(first!),
        filename: '=1+1 "ä", 名.pdf',
        products: [],
        tags: ['=x', 'y'],
        expiry_days: 60,
        download_limit: 5,
        view: 'download',
        url: url(first!),
        ...NO_TERMS,
      },
    ])
    expect(Object.keys(JSON.parse(text)[0])).toEqual([...EXPORT_COLUMNS])
    const without = JSON.parse(
      await exported(await operationOn([first!]), 'json', ['filename', 'tags']),
    )
    expect(without).toEqual([{ filename: '=1+1 "ä", 名.pdf', tags: ['=x', 'y'] }])
  })

  soakTest('has a public file’s public address', async () => {
    const names = ["50% of (it)!*'~_-.pdf", 'ä 名 🗂 #?&=+.pdf', 'plain.pdf']
    const ids = await addFiles(
      names.map((filename) => ({ filename, fields: { visibility: 'public' } })),
    )
    await scope.insert(
      'public_addresses',
      ids.slice(0, 2).map((file_id) => ({ file_id })),
    )
    const rows = await scope.query<{ file_id: string; token: string }>(
      'select file_id, token from public_addresses where shop_id = :shop',
    )
    const tokens = new Map(rows.map(({ file_id, token }) => [file_id, token]))
    const listed = JSON.parse(await exported(await operationOn(ids), 'json', ['url'])) as {
      url: string
    }[]
    expect(listed.map(({ url }) => url)).toEqual([
      publicUrl(BASE, tokens.get(ids[0]!)!, names[0]!),
      publicUrl(BASE, tokens.get(ids[1]!)!, names[1]!),
      `${BASE}/api/files/${toPublicId('file', ids[2]!)}/content`,
    ])
  })
})

/** An order that these files were delivered with. `corrected`: the merchant's address of its buyer. */
async function sell(
  files: readonly string[],
  email: string | null,
  corrected: string | null = null,
): Promise<void> {
  const [order_id, now] = [`gid://shopify/Order/${randomUUID()}`, new Date()]
  const times = { ordered_at: now, changed_at: now }
  await scope.insert('orders', { id: order_id, name: '#1001', email, ...times })
  const [row] = (await scope
    .insert('deliveries', { order_id, email: corrected })
    .returning('id')) as [{ id: string }]
  // Two lines of the order have the file.
  const lines = files.flatMap((file_id) => ['a', 'b'].map((line_id) => ({ file_id, line_id })))
  await scope.insert(
    'delivery_files',
    lines.map((line) => ({ delivery_id: row.id, ...line })),
  )
}

describe('the buyers of files', () => {
  it('are listed with each file once, with the address that counts, and counted by their orders', async () => {
    const [sold, other, unsold] = await addFiles(
      ['sold.pdf', 'other.pdf', 'unsold.pdf'].map((filename) => ({ filename })),
    )
    await sell([sold!, other!], 'ann@example.com')
    await sell([sold!], 'ann@example.com')
    await sell([sold!], 'typo@exmple.com', 'ben@example.com')
    await sell([other!], null)
    const operation = await operationOn([sold!, other!, unsold!])
    const csv = await exported(operation, 'csv', ['filename', 'paid_by'])
    expect(csv.slice(1).trimEnd().split('\r\n')).toEqual([
      'filename,paid_by',
      'sold.pdf,ann@example.com;ben@example.com',
      'other.pdf,ann@example.com',
      'unsold.pdf,',
    ])
    expect(JSON.parse(await exported(operation, 'json', ['paid_by']))).toEqual([
      { paid_by: ['ann@example.com', 'ben@example.com'] },
      { paid_by: ['ann@example.com'] },
      { paid_by: [] },
    ])
    const paid = async (filter: FileFilter) =>
      (await listFilePage(scope, { filter, sort: 'filename', after: null, limit: 10 })).map(
        ({ filename, paid_by }) => [filename, paid_by],
      )
    expect(await paid({ delivered: true, not_downloaded_for_days: 180 })).toEqual([
      ['other.pdf', 2],
      ['sold.pdf', 3],
    ])
    expect(await paid({ delivered: false })).toEqual([['unsold.pdf', 0]])
  })
})

describe('many files', () => {
  const COUNT = 5000
  const files = async () => {
    await insertManyFiles(database.pool, { shop: scope.shop, count: COUNT, mapped: 0.3 })
    // As autovacuum does: PostgreSQL plans queries of tables without statistics for a few rows.
    await database.pool.query('analyze files, versions, mappings')
    const rows = await scope.query<{ id: string; filename: string }>(
      'select id, filename from files where shop_id = :shop order by id',
    )
    return rows
  }
  const namesIn = (csv: string) => csv.slice(1).trimEnd().split('\r\n').slice(1)

  it.each(
    someOf(
      [
        ['batches', 2000],
        ['uneven batches', 700],
        ['items', null],
      ] as const,
      (_, at) => at < 1,
    ),
  )('are in their order, in %s, without those in the trash', async (_what, batch) => {
    const all = await files()
    const shuffled = all.toSorted((a, b) => (a.filename.slice(8) < b.filename.slice(8) ? 1 : -1))
    for (const order of [all, shuffled]) {
      await scope.query('update files set deleted_at = null where shop_id = :shop')
      const gone = new Set([order[0]!.id, order[4001]!.id, order.at(-1)!.id])
      await scope
        .from('files')
        .whereIn('id', [...gone])
        .update({ deleted_at: new Date() } as never)
      const operation = await operationOn(
        order.map(({ id }) => id),
        batch,
      )
      const names = namesIn(await exported(operation, 'csv', ['filename']))
      expect(names).toEqual(order.filter(({ id }) => !gone.has(id)).map(({ filename }) => filename))
    }
  })

  soakTest('are counted while they are written, and an abort stops the writing', async () => {
    const operation = await operationOn((await files()).map(({ id }) => id))
    const seen: number[] = []
    const stop = new AbortController()
    const reason = new Error('paused')
    const listing = createListings({ secrets, baseUrl: BASE, sums })(
      scope,
      operation,
      (count, written) => {
        expect(written).toBe(count)
        seen.push(count)
        if (count >= 4000) stop.abort(reason)
      },
    )
    await expect(Array.fromAsync(listing.files('csv', USUAL, stop.signal))).rejects.toBe(reason)
    expect(seen.at(-1)!).toBeLessThan(COUNT)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    const running = async () =>
      (
        await database.pool.query(
          `select from pg_stat_activity where datname = current_database() and state = 'active'
             and query like '%string_agg(concat_ws%' and pid <> pg_backend_pid()`,
        )
      ).rowCount
    await expect.poll(running).toBe(0)
  })
})

soakTest(
  'links are in the order of the items, complete, without revoked ones and those of others',
  async () => {
    const ids = await addFiles(['c', 'a', 'b', 'd'].map((one) => ({ filename: `${one}.pdf` })))
    const operation = await operationOn(ids, null)
    const link = (n: number) => `01900000-0000-7000-8000-00000000000${n}`
    // Created in another order, as by concurrent batches.
    const about = [2, 0, 1, 3].map((n) => ({
      id: link(n),
      file_id: ids[n],
      operation_id: operation,
      key_hash: hashKey(secrets.linkKey(link(n), 0)),
      email: n === 0 ? 'a@example.com' : null,
      expires_at: n === 1 ? new Date(0) : null,
      download_limit: n || null,
      revoked_at: n === 3 ? new Date() : null,
    }))
    for (const row of about) await scope.insert('links', row)
    for (const [n] of ids.entries())
      await scope
        .from('items')
        .where({ operation_id: operation, position: n } as never)
        .update({ after: JSON.stringify({ link: link(n) }) } as never)
    const listings = createListings({ secrets, baseUrl: BASE, sums })(scope, operation, () => {})
    const url = (n: number) => `${BASE}/download?key=${secrets.linkKey(link(n), 0)}`
    expect(await Array.fromAsync(listings.links(quiet))).toEqual([
      [
        {
          filename: 'c.pdf',
          url: url(0),
          email: 'a@example.com',
          expires_at: null,
          download_limit: null,
        },
        {
          filename: 'a.pdf',
          url: url(1),
          email: null,
          expires_at: '1970-01-01T00:00:00.000Z',
          download_limit: 1,
        },
        { filename: 'b.pdf', url: url(2), email: null, expires_at: null, download_limit: 2 },
      ],
    ])
  },
)
