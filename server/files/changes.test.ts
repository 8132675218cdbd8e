import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FileSettings, Mapping } from '../../plugins/contract/index.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { makeFiles, type MadeFile } from '../../test/files.ts'
import { sized } from '../../test/scale.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { addVersion } from './admit-version.ts'
import { changeFiles, type ChangeResult } from './changes.ts'
import { type Change, draftOfRecord, type Draft, readRecords, type FileRecord } from './drafts.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let shops = 0
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())
beforeEach(async () => {
  scope = forShop(database, await createTestShop(database, `shop-${shops++}.myshopify.com`))
})

async function made(...files: (string | MadeFile)[]): Promise<FileRecord[]> {
  const ids = await makeFiles(
    scope,
    files.map((file) => (typeof file === 'string' ? { filename: file } : file)),
  )
  return reread(ids)
}

async function reread(ids: readonly string[]): Promise<FileRecord[]> {
  const records = await readRecords(scope, ids)
  return ids.flatMap((id) => records.get(id) ?? [])
}

const idsOf = (records: readonly FileRecord[]) => records.map(({ id }) => id)
/**
 * All columns of the files' rows with their row versions, which show whether a row was written at
 * all.
 */
const rows = (records: readonly FileRecord[]) =>
  scope.query<Record<string, unknown>>(
    `select files.*, xmin::text as xmin from files where shop_id = :shop and id = any(:ids::uuid[])
      order by filename`,
    { ids: idsOf(records) },
  )
const changeTo = (record: FileRecord, to: Partial<Draft>): Change => ({
  record,
  draft: { ...draftOfRecord(record), ...to },
})

const change = (...changes: Change[]): Promise<ChangeResult[]> =>
  scope.transaction((tx) => changeFiles(tx, changes))
const product = (id: string): Mapping => ({
  product_id: id,
  product_title: `Product ${id}`,
  variant_id: null,
  sku: null,
  method: 'manual',
  score: 1,
  reason: 'Chosen manually',
})

const SETTINGS: FileSettings = {
  expiry_days: 30,
  download_limit: 3,
  visibility: 'public',
  cdn: false,
  download_notification: true,
  download_tracking: false,
  allowed_referrers: ['a.example.com', 'b.example.com'],
  view: 'view_only',
  available_from: '2027-03-01',
  available_after_days: 7,
  view_limit: 3,
  view_days: 365,
  first_use_hours: 48,
  customer_tag: 'subscriber',
  buyer_text: 'Open Start.pdf first.\nThen print it.',
  ask_for: 'email',
  sample_pages: 4,
  sample_seconds: 30,
}

describe('each field', () => {
  it.each(Object.entries(SETTINGS))(
    '%s is written and recorded before and after; nothing else is',
    async (field, value) => {
      const [record] = await made('a.pdf')
      const [before] = await rows([record!])
      const was = record![field as keyof FileSettings]
      expect(await change(changeTo(record!, { [field]: value }))).toEqual([
        {
          status: 'changed',
          ledger: {
            before: { [field]: was, updated_at: record!.updated_at },
            after: { [field]: value },
          },
        },
      ])
      const [after] = await rows([record!])
      const moved = { xmin: after!.xmin, updated_at: after!.updated_at }
      expect(after).toEqual({ ...before, ...moved, [field]: value })
      expect(after!.updated_at).not.toEqual(before!.updated_at)
    },
  )

  it('a new name updates the key, extension and type', async () => {
    const [record] = await made('Guide.PDF')
    await change(changeTo(record!, { filename: 'CAF\u00c9.Zip' }))
    expect((await rows([record!]))[0]).toMatchObject({
      filename: 'CAF\u00c9.Zip',
      name_key: 'caf\u00e9.zip',
      extension: 'zip',
      content_type: 'application/zip',
    })
  })

  it('tags are recorded as added and removed, with the previous list', async () => {
    const [record] = await made({ filename: 'a.pdf', tags: ['old', 'kept'] })
    const [changed] = await change(changeTo(record!, { tags: ['kept', 'new'] }))
    expect(changed).toMatchObject({
      ledger: {
        before: { tags: ['old', 'kept'] },
        after: { tags: { added: ['new'], removed: ['old'] } },
      },
    })
    expect((await reread([record!.id]))[0]!.tags).toEqual(['kept', 'new'])
  })

  it('a draft without differences writes nothing', async () => {
    const records = await made('a.pdf', { filename: 'b.pdf', mapped: true, tags: ['x', 'y'] })
    const before = await rows(records)
    expect(await change(...records.map((record) => changeTo(record, {})))).toEqual([
      { status: 'same' },
      { status: 'same' },
    ])
    expect(await rows(records)).toEqual(before)
  })
})

describe('mappings', () => {
  it('map a file; deleting the last one leaves it unmapped; a file that never had one stays unmapped', async () => {
    const [file, other] = await made('a.pdf', 'b.pdf')
    const [added] = await change(changeTo(file!, { mappings: [product('1'), product('2')] }))
    expect(added).toMatchObject({
      ledger: {
        before: { mapping_state: 'never' },
        after: {
          mapping_state: 'mapped',
          mappings: { added: [{ product_id: '1' }, { product_id: '2' }], removed: [] },
        },
      },
    })
    const [mapped] = await reread([file!.id])
    await change(changeTo(mapped!, { mappings: [mapped!.mappings[0]!] }))
    const [one] = await reread([file!.id])
    expect([one!.mapping_state, one!.mappings.map(({ product_id }) => product_id)]).toEqual([
      'mapped',
      ['1'],
    ])
    await change(changeTo(one!, { mappings: [] }), changeTo(other!, { mappings: [], cdn: false }))
    expect((await reread([file!.id, other!.id])).map(({ mapping_state }) => mapping_state)).toEqual(
      ['unmapped', 'never'],
    )
  })
  it('of a product and of one of its variants are different', async () => {
    const [file] = await made('a.pdf')
    const both = [product('1'), { ...product('1'), variant_id: '11' }]
    await change(changeTo(file!, { mappings: both }))
    const [mapped] = await reread([file!.id])
    expect(mapped!.mappings).toHaveLength(2)
    await change(
      changeTo(mapped!, {
        mappings: mapped!.mappings.filter(({ variant_id }) => variant_id === null),
      }),
    )
    expect((await reread([file!.id]))[0]!.mappings).toMatchObject([
      { product_id: '1', variant_id: null },
    ])
  })
  it('are restored with their creation time', async () => {
    const [file] = await made({ filename: 'a.pdf', mapped: true })
    await change(changeTo(file!, { mappings: [] }))
    const [bare] = await reread([file!.id])
    await change(changeTo(bare!, { mappings: [...file!.mappings] }))
    expect((await reread([file!.id]))[0]!.mappings).toEqual(file!.mappings)
  })
})

describe('the trash', () => {
  it('moves a file to the trash and restores it', async () => {
    const [file] = await made({ filename: 'a.pdf', mapped: true })
    const [gone] = await change(changeTo(file!, { deleted: true }))
    expect(gone).toMatchObject({ ledger: { before: { deleted: false }, after: { deleted: true } } })
    const [inTrash] = await reread([file!.id])
    expect(inTrash).toMatchObject({ deleted_at: expect.any(String), mapping_state: 'mapped' })
    const [back] = await change(changeTo(inTrash!, { deleted: false }))
    expect(back).toMatchObject({
      ledger: {
        before: { deleted: true, deleted_at: inTrash!.deleted_at },
        after: { deleted: false },
      },
    })
    expect((await reread([file!.id]))[0]!.deleted_at).toBeNull()
  })
  it('keeps the time of deletion if an undo returns a file to it', async () => {
    const [file] = await made('a.pdf')
    await change(changeTo(file!, { deleted: true, deleted_at: '2026-01-31 12:00:00.123456+00' }))
    const [row] = await scope.query(
      'select deleted_at = :at::timestamptz as same from files where shop_id = :shop',
      {
        at: '2026-01-31 12:00:00.123456+00',
      },
    )
    expect(row).toEqual({ same: true })
  })
  it('a purged file is deleted with all related rows; its bytes wait for the sweep', async () => {
    const [file, other] = await made({ filename: 'a.pdf', mapped: true }, 'b.pdf')
    const counts = async () => {
      const tables = ['files', 'versions', 'mappings', 'blobs'].map(
        (table) => `(select count(*) from ${table} where shop_id = :shop) as ${table}`,
      )
      return (await scope.query(`select ${tables.join(', ')}`))[0]
    }
    expect(await counts()).toEqual({ files: 2, versions: 2, mappings: 1, blobs: 2 })
    expect(
      await change(changeTo(file!, { purged: true }), changeTo(other!, { cdn: false })),
    ).toMatchObject([
      { ledger: { before: { filename: 'a.pdf' }, after: { purged: true } } },
      { status: 'changed' },
    ])
    expect(await counts()).toEqual({ files: 1, versions: 1, mappings: 0, blobs: 2 })
  })
})

describe('versions', () => {
  it('point the file at other bytes, with their size; an older one can be restored', async () => {
    const [file] = await made({ filename: 'a.pdf', size_bytes: 100 })
    const staged = {
      hash: 'ab'.repeat(32),
      size_bytes: 4321,
      location: 'primary',
      content_type: null,
    }
    await scope.transaction(async (tx) => {
      const version = await addVersion(tx, file!.id, staged, null)
      expect(await changeFiles(tx, [changeTo(file!, { version })])).toMatchObject([
        { ledger: { before: { version: 1 }, after: { version: 2 } } },
      ])
    })
    const [newer] = await reread([file!.id])
    expect(newer).toMatchObject({ version: 2, size_bytes: 4321 })
    await change(changeTo(newer!, { version: 1 }))
    expect((await reread([file!.id]))[0]).toMatchObject({ version: 1, size_bytes: 100 })
  })
})

describe('many drafts', () => {
  it('changes each file by its own draft, in order, also where drafts share values', async () => {
    const records = await made('a.pdf', 'b.pdf', 'c.pdf', 'd.pdf')
    const results = await change(
      changeTo(records[0]!, { expiry_days: 1, cdn: false }),
      changeTo(records[1]!, { expiry_days: 2, cdn: false }),
      changeTo(records[2]!, {}),
      changeTo(records[3]!, {
        allowed_referrers: ['it\'s "here"; --, {a}'],
        tags: ["o'clock", '?', ':shop'],
      }),
    )
    expect(results.map(({ status }) => status)).toEqual(['changed', 'changed', 'same', 'changed'])
    expect(await reread(idsOf(records))).toMatchObject([
      { expiry_days: 1, cdn: false },
      { expiry_days: 2, cdn: false },
      { expiry_days: null, cdn: true },
      { allowed_referrers: ['it\'s "here"; --, {a}'], tags: ["o'clock", '?', ':shop'] },
    ])
  })
  it('a refused one changes nothing, and the others are applied', async () => {
    const records = await made('a.pdf', 'b.pdf', 'c.pdf')
    const before = await rows(records)
    const results = await change(
      changeTo(records[0]!, { filename: 'a/b.pdf', cdn: false }),
      changeTo(records[1]!, { tags: ['a;b'], cdn: false }),
      changeTo(records[2]!, { cdn: false }),
    )
    expect(results).toMatchObject([
      { status: 'refused', code: 'invalid_filename' },
      { status: 'refused', code: 'invalid_tag' },
      { status: 'changed' },
    ])
    const after = await rows(records)
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(after[2]).toMatchObject({ cdn: false })
  })
  it('a file has at most 250 tags', async () => {
    const [file] = await made('a.pdf')
    const tags = Array.from({ length: 251 }, (_, n) => `tag ${n}`)
    expect(await change(changeTo(file!, { tags }))).toMatchObject([
      { status: 'refused', code: 'invalid_tag' },
    ])
    expect(await change(changeTo(file!, { tags: tags.slice(1) }))).toMatchObject([
      { status: 'changed' },
    ])
  })
  it('a file that another transaction wrote after it was read is skipped, and the others are applied', async () => {
    const records = await made({ filename: 'a.pdf', mapped: true }, 'b.pdf', 'c.pdf')
    await change(
      changeTo(records[0]!, { download_limit: 3 }),
      changeTo(records[2]!, { download_limit: 3 }),
    )
    const before = await rows(records)
    const results = await change(
      changeTo(records[0]!, { cdn: false, mappings: [], tags: ['late'] }),
      changeTo(records[1]!, { cdn: false }),
      changeTo(records[2]!, { purged: true }),
    )
    expect(results.map(({ status }) => status)).toEqual(['overtaken', 'changed', 'overtaken'])
    const after = await rows(records)
    expect([after[0], after[2]]).toEqual([before[0], before[2]])
    expect((await reread([records[0]!.id]))[0]!.mappings).toHaveLength(1)
  })
  it('another shop’s scope changes nothing', async () => {
    const [file] = await made({ filename: 'a.pdf', mapped: true })
    const before = await rows([file!])
    const stranger = forShop(
      database,
      await createTestShop(database, `stranger-${shops}.myshopify.com`),
    )
    await stranger.transaction((tx) =>
      changeFiles(tx, [changeTo(file!, { cdn: false, mappings: [], tags: ['theirs'] })]),
    )
    await stranger.transaction((tx) => changeFiles(tx, [changeTo(file!, { purged: true })]))
    expect(await rows([file!])).toEqual(before)
    expect((await reread([file!.id]))[0]!.mappings).toHaveLength(1)
  })
})

describe('an expected change', () => {
  it('a preview changes nothing and returns the change', async () => {
    const [file] = await made('a.pdf')
    const before = await rows([file!])
    const wanted = () => changeTo(file!, { cdn: false, tags: ['new'] })
    const previewed = await scope.transaction((tx) => changeFiles(tx, [wanted()], { write: false }))
    expect(await rows([file!])).toEqual(before)
    expect(await change(wanted())).toEqual(previewed)
  })
  it('is applied exactly or not at all: a file whose relevant fields changed since is skipped', async () => {
    const [same, moved, elsewhere] = await made('a.pdf', 'b.pdf', 'c.pdf')
    const promised = [{ cdn: true, updated_at: 'then' }, { cdn: false }] as const
    await change(changeTo(moved!, { cdn: false }), changeTo(elsewhere!, { download_limit: 3 }))
    const records = await reread(idsOf([same!, moved!, elsewhere!]))
    const results = await change(
      ...records.map((record) => ({ ...changeTo(record, { cdn: false }), promised })),
    )
    expect(results.map(({ status }) => status)).toEqual(['changed', 'drifted', 'changed'])
  })
  it('of nothing cannot be invalidated', async () => {
    const [file] = await made('a.pdf')
    expect(await change({ ...changeTo(file!, { cdn: false }), promised: [null, null] })).toEqual([
      { status: 'drifted' },
    ])
    expect(await change({ ...changeTo(file!, {}), promised: [null, null] })).toEqual([
      { status: 'same' },
    ])
  })
})

describe('for any draft', () => {
  const tag = fc.constantFrom('a', 'b', "o'c", '日', '?')
  const wish: Record<string, fc.Arbitrary<unknown>> = {
    expiry_days: fc.option(fc.constantFrom(1, 60, 36_500)),
    download_limit: fc.option(fc.constantFrom(1, 5)),
    visibility: fc.constantFrom('public', 'private'),
    cdn: fc.boolean(),
    download_notification: fc.boolean(),
    download_tracking: fc.boolean(),
    allowed_referrers: fc.array(fc.constantFrom('x.com', 'y.com'), { maxLength: 2 }),
    view: fc.constantFrom('download', 'both', 'view_only'),
    sample_pages: fc.option(fc.constantFrom(1, 5)),
    sample_seconds: fc.option(fc.constantFrom(5, 30)),
    tags: fc.uniqueArray(tag, { maxLength: 3 }),
    mappings: fc.subarray([product('1'), product('2'), { ...product('1'), variant_id: '7' }]),
    deleted: fc.boolean(),
  }
  const draft = fc
    .subarray(Object.keys(wish))
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, wish[name]!]))))

  it('the file has its values, and the ledger names exactly the differences', async () => {
    const ids = idsOf(await made(...Array.from({ length: 6 }, (_, n) => `file-${n}.pdf`)))
    await fc.assert(
      fc.asyncProperty(fc.array(draft, { minLength: 6, maxLength: 6 }), async (drafts) => {
        const before = await reread(ids)
        const results = await change(
          ...before.map((record, at) => changeTo(record, drafts[at] as Partial<Draft>)),
        )
        for (const [at, after] of (await reread(ids)).entries()) {
          const was = comparable(before[at]!)
          const is = comparable(after)
          expect(is).toEqual({
            ...was,
            ...comparable({ ...before[at]!, ...drafts[at] } as FileRecord),
          })
          const different = Object.keys(is).filter(
            (field) => JSON.stringify(is[field]) !== JSON.stringify(was[field]),
          )
          const result = results[at]!
          const named = result.status === 'changed' ? Object.keys(result.ledger.after) : []
          expect(named.filter((field) => field !== 'mapping_state').sort()).toEqual(
            different.sort(),
          )
        }
      }),
      { numRuns: sized(10, 40) },
    )
  })
})

/**
 * The fields of drafts and records in one format; tags as a set, since another order is not a
 * change.
 */
function comparable(file: FileRecord & { deleted?: boolean }): Record<string, unknown> {
  const { filename, tags, mappings, deleted = file.deleted_at !== null } = file
  return {
    ...Object.fromEntries(
      Object.keys(SETTINGS).map((field) => [field, file[field as keyof FileSettings]]),
    ),
    filename,
    tags: tags.toSorted(),
    mappings: mappings.map(({ product_id, variant_id }) => `${product_id} ${variant_id}`).sort(),
    deleted,
  }
}
