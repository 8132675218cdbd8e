import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import type { OnConflict } from '../../plugins/contract/index.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { admitFiles } from './admit.ts'
import { holdBlobs, GRACE_MS, sweepBlobs } from './blobs.ts'
import type { AdmissionLimits } from './admission.ts'
import { draftFrom } from './drafts.ts'
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

let bytes = 0
const admission = (filename: string, size = 10, onConflict: OnConflict = 'error') => {
  const hash = Buffer.alloc(32, (bytes += 1)).toString('hex')
  const staged = { hash, size_bytes: size, location: 'primary', content_type: null }
  return {
    draft: draftFrom({ filename }, shopSettingsSchema.parse({})),
    staged,
    onConflict,
    channel: 'api',
  }
}
const admit = async (
  limits: Partial<AdmissionLimits>,
  ...admissions: ReturnType<typeof admission>[]
) =>
  (
    await scope.transaction((tx) => admitFiles(tx, admissions, { file_bytes: 1000, ...limits }))
  ).map((result) => (result.status === 'refused' ? result.code : result.status))

test('files beyond the quota are refused, new versions of existing files are not', async () => {
  const limits = { shop_files: 2 }
  const given = [admission('a.pdf'), admission('b.pdf'), admission('c.pdf')]
  expect(await admit(limits, ...given)).toEqual(['created', 'created', 'file_quota'])
  expect(await admit(limits, admission('d.pdf', 10, 'rename'))).toEqual(['file_quota'])
  expect(await admit(limits, admission('A.pdf', 10, 'overwrite'))).toEqual(['replaced'])
  expect(await admit(limits, admission('b.pdf', 10, 'new_version'))).toEqual(['versioned'])
  // Deleting a file makes room for another one.
  await scope.query(
    `update files set deleted_at = now() where shop_id = :shop and name_key = 'a.pdf'`,
  )
  expect(await admit(limits, admission('e.pdf'))).toEqual(['created'])
})

test('bytes beyond the quota are refused, including those of older versions', async () => {
  const limits = { shop_storage_bytes: 300 }
  expect(await admit(limits, admission('a.pdf', 100), admission('b.pdf', 100))).toEqual([
    'created',
    'created',
  ])
  expect(await admit(limits, admission('a.pdf', 100, 'new_version'))).toEqual(['versioned'])
  expect(await admit(limits, admission('c.pdf', 1), admission('a.pdf', 1, 'overwrite'))).toEqual([
    'storage_quota',
    'storage_quota',
  ])
})

const hold = (size: number, what: string) =>
  scope.transaction(async (tx) => {
    const { staged } = admission(what, size)
    await holdBlobs(tx, [staged])
    return { ...staged, what }
  })

soakTest(
  'documents of operations count, and imported files that are kept in the drop folder',
  async () => {
    const operation = await scope.one<{ id: string }>(
      `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total, label)
     values (:shop, 'bulk', 'x', 'bulk', '{}', 'x', 1, 'x') returning id`,
    )
    await scope.query(
      `insert into artifacts (shop_id, operation_id, hash, location, filename, content_type, size_bytes)
     values (:shop, :id, decode(:hash, 'hex'), :location, 'a.zip', 'application/zip', :size_bytes)`,
      { ...(await hold(100, 'a.zip')), ...operation },
    )
    expect(await admit({ shop_storage_bytes: 150 }, admission('a.pdf', 51))).toEqual([
      'storage_quota',
    ])
    const kept = await hold(100, 'kept.pdf')
    const entry = (folder: string) =>
      scope.query(
        `insert into drop_entries (shop_id, folder, name, kind, state, hash, location, size_bytes)
       values (:shop, :folder, 'kept.pdf', 'file', 'processed', decode(:hash, 'hex'), :location, :size_bytes)`,
        { ...kept, folder },
      )
    await entry('')
    expect(await admit({ shop_storage_bytes: 250 }, admission('b.pdf', 51))).toEqual([
      'storage_quota',
    ])
    // Not once more while a version has these bytes.
    const version = { ...admission('kept.pdf', 100), staged: kept }
    const limits = { shop_storage_bytes: 400 }
    expect(await admit(limits, version, admission('c.pdf', 100))).toEqual(['created', 'created'])
    expect(await admit(limits, admission('d.pdf', 101))).toEqual(['storage_quota'])
    expect(await admit(limits, admission('d.pdf', 100))).toEqual(['created'])
  },
)

soakTest(
  'bytes that were refused or deleted count for twice the quota until they are gone',
  async () => {
    const limits = { shop_storage_bytes: 300 }
    expect(await admit(limits, admission('a.pdf', 100))).toEqual(['created'])
    // An import whose name is taken has stored its bytes already.
    for (let n = 0; n < 4; n++)
      expect(await admit(limits, admission('a.pdf', 100))).toEqual(['duplicate_filename'])
    expect(await admit(limits, admission('b.pdf', 100))).toEqual(['created'])
    const [refused] = await scope.transaction((tx) =>
      admitFiles(tx, [admission('c.pdf', 1)], { file_bytes: 1000, ...limits }),
    )
    expect(refused).toMatchObject({
      code: 'storage_quota',
      message: { message: expect.stringMatching(/^Much was deleted, replaced or refused today/) },
    })
    // They are removed as unused bytes are.
    const later = new Date(Date.now() + 2 * GRACE_MS)
    await sweepBlobs(database.pool, later, [scope.shop])
    expect(await admit(limits, admission('d.pdf', 100))).toEqual(['created'])
  },
)

test('concurrent admissions share the remaining quota; another shop has its own', async () => {
  const limits = { shop_files: 5 }
  const rounds = Array.from({ length: 8 }, (_, n) =>
    admit(limits, admission(`${n}.pdf`), admission(`${n}b.pdf`)),
  )
  const results = (await Promise.all(rounds)).flat()
  expect(results.filter((result) => result === 'created')).toHaveLength(5)
  expect(results.filter((result) => result === 'file_quota')).toHaveLength(11)
  scope = forShop(database, await createTestShop(database, `shop-${shops++}.myshopify.com`))
  expect(await admit(limits, admission('a.pdf'))).toEqual(['created'])
})
