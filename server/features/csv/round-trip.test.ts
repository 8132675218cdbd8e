// An export of all columns that is imported again changes nothing, and over other files it makes equal
// ones: with values that spreadsheets, the format of CSV or the import could read in another way.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  ENTRY_SETTINGS,
  EXPORT_COLUMNS,
  FILE_SETTINGS,
  MAX_REFERRERS,
  packNameProblem,
  SETTING_NAMES,
  settingColumns,
  type EntrySettingName,
  type ExportColumn,
} from '../../../plugins/contract/index.ts'
import { untilEnded } from '../../../test/app.ts'
import { openCsvApp, type CsvApp } from '../../../test/csv.ts'
import { makeFiles } from '../../../test/files.ts'
import { sized } from '../../../test/scale.ts'
import { toPublicId } from '../../core/ids.ts'
import { ensurePack } from '../../files/packs.ts'
import {
  extensionOf,
  filenameProblem,
  nameKey,
  normalizeTags,
  tagProblem,
} from '../../files/rules.ts'
import { mappingOf, suggestColumns } from './columns.ts'

let app: CsvApp
beforeAll(async () => void (app = await openCsvApp()))
afterAll(() => app.close())

/** What a file is, and no import can change. */
const FACTS: readonly ExportColumn[] = ['size_bytes', 'upload_date', 'downloads', 'paid_by']

it('each column of an export that is no fact of the file is a field of the import', () => {
  const rows = [
    EXPORT_COLUMNS.map(
      (column) => ({ id: `file_${'0'.repeat(32)}`, products: product(1) })[column as 'id'] ?? '',
    ),
  ]
  const mapping = mappingOf(suggestColumns([...EXPORT_COLUMNS], rows))
  const read = new Set(Object.values(mapping))
  expect(EXPORT_COLUMNS.filter((column) => !read.has(column))).toEqual(FACTS)
})

/** Texts that a spreadsheet or the import could read as something else. */
const WORDS = ['=1+1', '+1', '-', '@a', "'", '"', '\\', '\\-a', 'null', 'NaN', '#REF!', '#N/A']
const MORE = [
  'none',
  'None',
  'any',
  'never',
  'password',
  'true',
  '007',
  '3.10',
  '2027-03-01',
  '1e5',
]
const ODD = [
  '\u200ba',
  'a\u200b',
  'a\u2060',
  'ca\ufffd',
  '＝1',
  '日本語',
  'עברית',
  'é',
  '🗂',
  '="x"',
  '\\n',
]
const word = fc.oneof(
  fc.constantFrom(...WORDS, ...MORE, ...ODD),
  fc.string({
    unit: fc.constantFrom('=', '+', '-', "'", '"', ',', ';', ' ', 'a', '1', '.'),
    minLength: 1,
    maxLength: 20,
  }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
)
const text = (is: (text: string) => boolean) =>
  fc
    .oneof(
      word,
      fc.tuple(word, word).map((words) => words.join('-')),
      fc.constant('x'.repeat(100)),
    )
    .map((one) => one.normalize('NFC').trim())
    .filter(is)
const host = fc.constantFrom(
  'any',
  'none',
  'null',
  'localhost',
  '*.example.com',
  'xn--bcher-kva.example',
  '10.0.0.1',
  'a_b.example',
)

/** Any value of a setting, by what its cells are. */
function settingValue(name: EntrySettingName): fc.Arbitrary<unknown> {
  const { entry, schema } = FILE_SETTINGS[name]
  const valid = (value: unknown) => schema.safeParse(value).success
  const nullable = <T>(of: fc.Arbitrary<T>) => (valid(null) ? fc.option(of) : of)
  if (name === 'ask_for') return fc.constantFrom(null, 'email', HASH)
  if ('max' in entry) {
    const [min, max] = ['min' in entry ? entry.min : 1, entry.max]
    return nullable(fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max })))
  }
  if ('switch' in entry) return fc.boolean()
  if ('list' in entry)
    return fc.oneof(
      fc.array(host, { maxLength: 4 }),
      fc.constant(Array.from({ length: MAX_REFERRERS }, (_, n) => `${n}.${'a'.repeat(9)}.example`)),
    )
  if ('values' in entry) return nullable(fc.constantFrom(...entry.values))
  if ('day' in entry)
    return nullable(fc.constantFrom('2000-01-01', '2027-03-01', '2099-12-31', '2028-02-29'))
  const texts = fc.oneof(
    text(() => true),
    fc
      .array(
        text(() => true),
        { minLength: 2, maxLength: 4 },
      )
      .map((lines) => lines.join('\n')),
    fc.constant('x'.repeat(entry.maxLength)),
  )
  return nullable(texts.map((one) => schema.safeParse(one).data ?? 'x'))
}
const HASH = `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`

const product = (n: number) => `gid://shopify/Product/${7_700_000_000 + n}`
const file = fc.record({
  filename: text((name) => filenameProblem(name) === null),
  tags: fc.array(
    text((tag) => tagProblem(tag) === null && !/[,;\n\r]/.test(tag)),
    { maxLength: 4 },
  ),
  packs: fc.uniqueArray(
    text((name) => packNameProblem(name) === null),
    { selector: nameKey, maxLength: 3 },
  ),
  products: fc.constantFrom<number>(0, 0, 1, 2, 120),
  settings: fc.record(
    Object.fromEntries(ENTRY_SETTINGS.map((name) => [name, settingValue(name)])),
  ) as fc.Arbitrary<Record<string, unknown>>,
})
type MadeFile = typeof file extends fc.Arbitrary<infer Made> ? Made : never
const files = (count: number) =>
  fc.uniqueArray(file, {
    selector: ({ filename }) => nameKey(filename),
    minLength: count,
    maxLength: count,
  })

const scope = () => app.owner.scope
const TYPED = SETTING_NAMES.map((name) => `${name} ${settingColumns()[name]}`).join(', ')

/** Creates files with these values; returns their UUIDs. */
async function make(wanted: readonly MadeFile[]): Promise<string[]> {
  const ids = await makeFiles(
    scope(),
    wanted.map(({ filename, tags }) => ({ filename, tags: normalizeTags(tags) })),
  )
  const rows = []
  const places = []
  for (const [at, { settings, packs, products, filename }] of wanted.entries()) {
    for (const name of packs)
      places.push({ file: ids[at], pack: await ensurePack(scope(), name), at: places.length })
    rows.push({ ...settings, id: ids[at], products, extension: extensionOf(filename) })
  }
  await scope().query(
    `insert into pack_files (shop_id, pack_id, file_id, position, added_at)
     select :shop, pack, file, at, now() + at * interval '1 second'
     from jsonb_to_recordset(:places::jsonb) as p(pack uuid, file uuid, at int)`,
    { places: JSON.stringify(places) },
  )
  const names = ENTRY_SETTINGS.join(', ')
  await scope().query(
    `update files f set (mapping_state, ${names}) =
       (select case when r.products > 0 then 'mapped' else 'never' end,
          ${ENTRY_SETTINGS.map((name) => `r.${name}`).join(', ')})
     from jsonb_to_recordset(:rows::jsonb) as r(id uuid, products int, ${TYPED})
     where f.shop_id = :shop and f.id = r.id`,
    { rows: JSON.stringify(rows) },
  )
  const mappings = wanted.flatMap(({ products }, at) =>
    Array.from({ length: products }, (_, n) => ({ file: ids[at], product: product(n) })),
  )
  await scope().query(
    `insert into mappings (shop_id, file_id, product_id, product_title, method, score, reason)
     select :shop, file, product, 'A product', 'manual', 1, 'test'
     from jsonb_to_recordset(:mappings::jsonb) as m(file uuid, product text)`,
    { mappings: JSON.stringify(mappings) },
  )
  return ids
}

/** What an import can change of these files. */
const contentsOf = async (ids: readonly string[]) => {
  const rows = await scope().query<{ tags: string[]; updated_at?: unknown }>(
    `select ${SETTING_NAMES.join(', ')}, tags, version, mapping_state = 'mapped' as mapped,
       array(select k.pack_id from pack_files k where k.shop_id = f.shop_id and k.file_id = f.id
         order by k.added_at, k.pack_id) as packs,
       (select array_agg(product_id order by product_id) from mappings m
         where m.shop_id = f.shop_id and m.file_id = f.id) as products
     from files f where shop_id = :shop and id = any(:ids::uuid[])
     order by array_position(:ids::uuid[], id)`,
    { ids },
  )
  return rows
}

async function exported(ids: readonly string[], columns: readonly ExportColumn[]): Promise<string> {
  const begun = await app.owner.call('POST', '/api/operations', {
    action: 'export-files',
    options: { format: 'csv', columns },
    select: { file_ids: ids.map((id) => toPublicId('file', id)) },
  })
  expect(begun.status, JSON.stringify(begun.body)).toBe(202)
  await untilEnded(app.owner, begun.body.id)
  const response = await fetch(`${app.url}/api/operations/${begun.body.id}/artifact`, {
    headers: { authorization: `Bearer ${app.key}` },
  })
  expect(response.status).toBe(200)
  return response.text()
}

/** Checks a table; its rows have no problem but warnings, and no address is requested. */
async function check(csv: string, rows: number, options: object = {}): Promise<string> {
  const id = await app.uploaded(csv)
  const { check: found } = await app.checked(id, options)
  const errors = (await app.problems(id, '&severity=error')).map(
    ({ row, column, detail, message, value }) => ({
      row,
      column,
      message: detail ?? message,
      value,
    }),
  )
  expect(errors).toEqual([])
  expect(found).toMatchObject({ update_rows: rows, import_rows: 0, urls_total: 0 })
  return id
}

async function working<T>(work: () => Promise<T>): Promise<T> {
  const worker = await app.engine.startWorker()
  try {
    return await work()
  } finally {
    await worker.stop()
  }
}

const reset = () => scope().query('delete from files where shop_id = :shop')
const COUNT = sized(12, 100)
const RUNS = { numRuns: sized(1, 30), endOnFailure: true }

it('an export of all columns that is imported again would change no file', async () => {
  await working(() =>
    fc.assert(
      fc.asyncProperty(files(COUNT), async (wanted) => {
        await reset()
        const ids = await make(wanted)
        const before = await contentsOf(ids)
        const id = await check(await exported(ids, EXPORT_COLUMNS), COUNT)
        const { body } = await app.owner.call('POST', `/api/csv/${id}/start`, { dry_run: true })
        expect(body.job_id).toBe(null)
        const job = async () =>
          (await app.owner.call('GET', `/api/operations/${body.update_job_id}`)).body
        await expect.poll(async () => (await job()).status).toBe('previewed')
        const changes = (
          await app.owner.call('GET', `/api/operations/${body.update_job_id}/items?limit=250`)
        ).body.data
        expect((await job()).foreseen, JSON.stringify(changes)).toMatchObject({
          changed: 0,
          unchanged: COUNT,
        })
        expect(await contentsOf(ids)).toEqual(before)
      }),
      RUNS,
    ),
  )
})

/** The names of the others are taken, and a password cannot be read back. */
const COPIED = EXPORT_COLUMNS.filter((column) => column !== 'filename')

it('an export that is imported over other files makes them equal', async () => {
  await working(() =>
    fc.assert(
      fc.asyncProperty(files(COUNT), async (given) => {
        await reset()
        const wanted = given.map((one) => ({
          ...one,
          settings: {
            ...one.settings,
            ask_for: one.settings.ask_for === HASH ? null : one.settings.ask_for,
          },
          tags: one.tags.length > 0 ? one.tags : ['a'],
          products: Math.max(1, one.products),
        }))
        const ids = await make(wanted)
        await scope().query(
          `insert into products (shop_id, id, title, title_key, handle, status)
           select :shop, id, id, id, right(id, 3), 'ACTIVE' from unnest(:products::text[]) id on conflict do nothing`,
          { products: Array.from({ length: 120 }, (_, n) => product(n)) },
        )
        const csv = await exported(ids, COPIED)
        const copies = await makeFiles(
          scope(),
          ids.map((_, n) => ({ filename: `copy ${n}.pdf`, tags: ['old'] })),
        )
        const public_ = (id: string) => toPublicId('file', id)
        const copied = ids.reduce(
          (all, id, n) => all.replaceAll(public_(id), public_(copies[n]!)),
          csv,
        )
        const id = await check(copied, COUNT, { products: 'replace' })
        const { body } = await app.owner.call('POST', `/api/csv/${id}/start`, {})
        expect(await untilEnded(app.owner, body.update_job_id)).toMatchObject({ failed: 0 })
        expect(await contentsOf(copies)).toEqual(await contentsOf(ids))
      }),
      RUNS,
    ),
  )
})
