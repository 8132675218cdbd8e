import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Mapping, OnConflict, StagedBlob } from '../../plugins/contract/index.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { admitFiles } from './admit.ts'
import type { Admission } from './admission.ts'
import { draftFrom } from './drafts.ts'
import { MAX_TAGS } from './rules.ts'
import { shopSettingsSchema } from './shop-settings.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let shops = 0
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  scope = forShop(database, await createTestShop(database, `shop-${shops++}.myshopify.com`))
})

const limits = { file_bytes: 1000 }
const blob = (byte: number, size = 10): StagedBlob => ({
  hash: Buffer.alloc(32, byte).toString('hex'),
  size_bytes: size,
  location: 'primary',
  content_type: null,
})

const mapping: Mapping = {
  product_id: 'gid://shopify/Product/1',
  product_title: 'Slow Bread',
  variant_id: null,
  sku: 'EB-003',
  method: 'sku',
  score: 1,
  reason: 'named',
}

const admission = (
  filename: string,
  byte: number,
  onConflict: OnConflict = 'error',
  mapped = false,
): Admission => {
  const draft = draftFrom({ filename, tags: ['a'] }, shopSettingsSchema.parse({}))
  return {
    draft: { ...draft, mappings: mapped ? [mapping] : [] },
    staged: blob(byte),
    onConflict,
    channel: 'api',
  }
}

const admit = (...admissions: Admission[]) =>
  scope.transaction((tx) => admitFiles(tx, admissions, limits))
const rows = (table: 'files' | 'versions' | 'mappings' | 'blobs') =>
  scope.from(table).select('*') as Promise<Record<string, unknown>[]>

describe('admitFiles', () => {
  test('creates file, version, blob and mapping together', async () => {
    const [result] = await admit(admission('Slow Bread.PDF', 1, 'error', true))
    expect(result).toMatchObject({ status: 'created', filename: 'Slow Bread.PDF' })
    expect(await rows('files')).toMatchObject([
      {
        name_key: 'slow bread.pdf',
        extension: 'pdf',
        content_type: 'application/pdf',
        mapping_state: 'mapped',
        version: 1,
        expiry_days: 60,
        download_limit: 5,
      },
    ])
    expect(await rows('versions')).toMatchObject([
      { number: 1, location: 'primary', size_bytes: 10 },
    ])
    expect(await rows('mappings')).toMatchObject([
      { product_title: 'Slow Bread', variant_id: '', score: 1 },
    ])
  })

  test('refuses a taken name in any case, also within one call, and admits the others', async () => {
    await admit(admission('taken.txt', 1))
    const results = await admit(
      admission('TAKEN.txt', 2),
      admission('free.txt', 3),
      admission('Free.TXT', 4),
    )
    expect(results.map(({ status }) => status)).toEqual(['refused', 'created', 'refused'])
    expect(results[0]).toMatchObject({ code: 'duplicate_filename', message: 'Duplicate filename' })
    expect((await rows('files')).length).toBe(2)
  })

  test('leaves taken names out on request, also within one call and in a full shop', async () => {
    await admit(admission('taken.txt', 1))
    const results = await scope.transaction((tx) =>
      admitFiles(
        tx,
        [
          admission('TAKEN.txt', 2, 'skip'),
          admission('b.txt', 3, 'skip'),
          admission('B.txt', 4, 'skip'),
        ],
        { ...limits, shop_files: 3 },
      ),
    )
    expect(results.map(({ status }) => status)).toEqual(['left_out', 'created', 'left_out'])
    expect(await rows('versions')).toHaveLength(2)
  })

  test('numbers many taken names in order, with few statements', async () => {
    await admit(admission('a.txt', 1), admission('b.txt', 2), admission('a (3).txt', 3))
    const wanted = Array.from({ length: 60 }, (_, n) => (n % 3 === 0 ? 'b.txt' : 'A.txt'))
    let statements = 0
    const results = await scope.transaction((tx) => {
      const query = tx.query.bind(tx)
      const counted = {
        ...tx,
        query: (...given: Parameters<typeof query>) => (statements++, query(...given)),
      }
      return admitFiles(
        counted as ShopScope,
        wanted.map((name, n) => admission(name, n + 4, 'rename')),
        limits,
      )
    })
    const names = results.map((result) => result.status === 'created' && result.filename)
    expect(names.slice(0, 6)).toEqual([
      'b (2).txt',
      'A (2).txt',
      'A (4).txt',
      'b (3).txt',
      'A (5).txt',
      'A (6).txt',
    ])
    expect(new Set(names).size).toBe(60)
    expect(statements).toBeLessThan(10)
  })
  test('renames to the next free number', async () => {
    await admit(admission('a.txt', 1))
    const results = await admit(admission('a.txt', 2, 'rename'), admission('A.txt', 3, 'rename'))
    expect(results).toMatchObject([{ filename: 'a (2).txt' }, { filename: 'A (3).txt' }])
  })

  test('a new version keeps the record and its older versions; overwriting replaces settings and deletes them', async () => {
    const [first] = await admit(admission('a.txt', 1, 'error', true))
    await scope.from('files').update({ tags: ['mine'], expiry_days: 7 } as never)
    const [renewed] = await admit(admission('a.txt', 2, 'new_version'))
    expect(renewed).toMatchObject({
      status: 'versioned',
      before: 1,
      version: 2,
      fileId: (first as { fileId: string }).fileId,
    })
    expect(await rows('files')).toMatchObject([
      { version: 2, tags: ['mine'], expiry_days: 7, mapping_state: 'mapped' },
    ])
    expect((await rows('versions')).length).toBe(2)

    await admit(admission('a.txt', 3, 'overwrite'))
    expect(await rows('files')).toMatchObject([
      { version: 3, tags: ['a'], expiry_days: 60, mapping_state: 'mapped' },
    ])
    expect(await rows('versions')).toMatchObject([{ number: 3 }])
    expect((await rows('mappings')).length).toBe(1)
  })

  describe('onto a file that has the bytes', () => {
    const onto = (conflict: OnConflict, states: string[] = [], tags = ['a']) => {
      const one = admission('a.txt', 1, conflict)
      return { ...one, draft: { ...one.draft, tags, expiry_days: 90 }, states }
    }
    const kept = { version: 1, tags: ['mine'], expiry_days: 7 }
    beforeEach(async () => {
      await admit(admission('a.txt', 1))
      await scope.from('files').update({ tags: ['mine'], expiry_days: 7 } as never)
    })

    test.each(['new_version', 'overwrite'] as const)(
      '%s changes nothing, also at the quota of storage',
      async (conflict) => {
        const before = await rows('files')
        const [result] = await scope.transaction((tx) =>
          admitFiles(tx, [onto(conflict)], { ...limits, shop_storage_bytes: 10 }),
        )
        expect(result).toMatchObject({ status: 'same', filename: 'a.txt', ledger: null })
        expect(await rows('files')).toEqual(before)
        expect(await rows('files')).toMatchObject([kept])
        expect(await rows('versions')).toMatchObject([{ number: 1 }])
      },
    )

    test('named by its id, under another name', async () => {
      const [{ id: replaces }] = (await rows('files')) as [{ id: string }]
      const [result] = await admit({ ...admission('b.txt', 1), replaces })
      expect(result).toMatchObject({ status: 'same', fileId: replaces, filename: 'a.txt' })
      expect((await rows('versions')).length).toBe(1)
    })

    test('only what its source states is changed, with its ledger', async () => {
      const stated = { ...onto('new_version', ['tags', 'products'], ['b']) }
      stated.draft.mappings = [mapping]
      expect(await admit(stated)).toMatchObject([
        {
          status: 'same',
          mapped: true,
          ledger: { before: { tags: ['mine'] }, after: { tags: { added: ['b'] } } },
        },
      ])
      expect(await rows('files')).toMatchObject([
        { version: 1, tags: ['b'], expiry_days: 7, mapping_state: 'mapped' },
      ])
      expect(await rows('versions')).toMatchObject([{ number: 1 }])
      expect(await admit(stated)).toMatchObject([{ status: 'same', ledger: null }])
    })

    test.each(['new_version', 'overwrite'] as const)(
      'tags are added and removed by %s',
      async (conflict) => {
        await scope.from('files').update({ tags: ['mine', 'old'] } as never)
        const edit = { ...onto(conflict, ['tags'], ['b']), tagsRemoved: ['old', 'unknown'] }
        expect(await admit(edit)).toMatchObject([
          { status: 'same', ledger: { after: { tags: { added: ['b'], removed: ['old'] } } } },
        ])
        expect(await rows('files')).toMatchObject([{ version: 1, tags: ['mine', 'b'] }])
      },
    )

    test('no product that was guessed', async () => {
      const stated = onto('new_version', ['products'])
      stated.draft.mappings = [{ ...mapping, method: 'title' }]
      expect(await admit(stated)).toMatchObject([{ status: 'same', ledger: null }])
      expect(await rows('mappings')).toEqual([])
    })

    test('what an older version had, and a damaged one, becomes a version', async () => {
      await admit(admission('a.txt', 2, 'new_version'))
      expect(await admit(onto('new_version'))).toMatchObject([{ status: 'versioned', version: 3 }])
      await scope.from('versions').update({ bytes_damaged: true } as never)
      expect(await admit(onto('new_version'))).toMatchObject([{ status: 'versioned', version: 4 }])
    })

    test('other names are asked for as before', async () => {
      expect(await admit(onto('error'), onto('rename'))).toMatchObject([
        { status: 'refused', code: 'duplicate_filename' },
        { status: 'created', filename: 'a (2).txt' },
      ])
    })
  })

  test('a new version changes what its source states', async () => {
    await admit(admission('a.txt', 1))
    const other = { ...admission('a.txt', 2, 'new_version'), states: ['expiry_days'] }
    other.draft.expiry_days = 90
    expect(await admit(other)).toMatchObject([
      { status: 'versioned', version: 2, ledger: { after: { expiry_days: 90 } } },
    ])
    expect(await rows('files')).toMatchObject([{ version: 2, tags: ['a'], expiry_days: 90 }])
  })

  test.each([
    ['new_version', 'versioned'],
    ['overwrite', 'replaced'],
  ] as const)('%s adds and removes tags, and keeps the others', async (conflict, status) => {
    await admit(admission('a.txt', 1))
    await scope.from('files').update({ tags: ['mine', 'old', 'A'] } as never)
    const edit = { states: ['tags'], tagsRemoved: ['old', 'unknown'] }
    const other = admission('a.txt', 2, conflict)
    expect(await admit({ ...other, ...edit })).toMatchObject([{ status }])
    expect(await rows('files')).toMatchObject([{ version: 2, tags: ['mine', 'A', 'a'] }])
  })

  test.each(['new_version', 'overwrite'] as const)(
    '%s adds no tag to a file that has the most, and no bytes then',
    async (conflict) => {
      await admit(admission('a.txt', 1))
      const most = Array.from({ length: MAX_TAGS }, (_, n) => `t${n}`)
      await scope.from('files').update({ tags: most } as never)
      const edit = { states: ['tags'], tagsRemoved: [] }
      const other = admission('a.txt', 2, conflict)
      expect(await admit({ ...other, ...edit })).toMatchObject([
        { status: 'refused', code: 'invalid_tag' },
      ])
      expect(await rows('files')).toMatchObject([{ version: 1, tags: most }])
      expect(await admit({ ...other, ...edit, tagsRemoved: ['t3'] })).toMatchObject([
        { fileId: expect.any(String) },
      ])
      expect(await rows('files')).toMatchObject([
        { version: 2, tags: [...most.filter((tag) => tag !== 't3'), 'a'] },
      ])
    },
  )

  test('stores the same bytes once', async () => {
    await admit(admission('a.txt', 1), admission('b.txt', 1))
    expect((await rows('blobs')).length).toBe(1)
    expect((await rows('versions')).length).toBe(2)
  })

  test('refuses files that break the rules', async () => {
    const huge = { ...admission('huge.bin', 5), staged: blob(5, 1001) }
    expect(await admit(admission('../x', 4), huge)).toMatchObject([
      { status: 'refused', code: 'invalid_filename' },
      { status: 'refused', code: 'file_too_large' },
    ])
    expect(await rows('files')).toEqual([])
  })

  test('two concurrent transactions with many files create each name once', async () => {
    const batch = (from: number) =>
      Array.from({ length: 40 }, (_, n) => admission(`f-${(n * 7 + from) % 60}`, n % 11))
    const results = (await Promise.all([admit(...batch(0)), admit(...batch(20))])).flat()
    const created = results.flatMap((result) =>
      result.status === 'created' ? [result.filename] : [],
    )
    expect(new Set(created).size).toBe(created.length)
    expect((await rows('files')).length).toBe(created.length)
  })
})
