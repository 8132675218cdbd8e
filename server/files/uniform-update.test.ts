import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FileChange } from '../../plugins/contract/index.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { makeFiles } from '../../test/files.ts'
import { sized } from '../../test/scale.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { applyToDraft } from './draft-changes.ts'
import { uniformUpdate } from './uniform-update.ts'
import { changeFiles } from './changes.ts'
import type { Ledger } from './change-ledger.ts'
import { draftOfRecord, readRecords } from './drafts.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let shops = 0
beforeAll(async () => void (database = await openTestDatabase()))
afterAll(() => database.drop())
beforeEach(async () => {
  scope = forShop(database, await createTestShop(database, `shop-${shops++}.myshopify.com`))
})

class RolledBack extends Error {}

/** The result of `work`, which is rolled back. */
async function tried<T>(work: (tx: ShopScope) => Promise<T>): Promise<T> {
  let result!: T
  await scope
    .transaction(async (tx) => {
      result = await work(tx)
      throw new RolledBack()
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error
    })
  return result
}

const contents = (tx: ShopScope) =>
  tx.query(`select id, tags, expiry_days, download_limit, cdn, download_notification,
    download_tracking, allowed_referrers, view, sample_pages, sample_seconds,
    deleted_at, updated_at = now() as touched from files where shop_id = :shop order by id`)

async function alike(
  tx: ShopScope,
  ids: readonly string[],
  change: FileChange,
): Promise<Map<string, Ledger>> {
  const { sql, bindings } = uniformUpdate(change)!
  const rows = await tx.query<Ledger & { id: string }>(
    `with given as (select id from unnest(:ids::uuid[]) as t(id)), changed as (${sql}) select *
       from changed`,
    { ...bindings, ids },
  )
  return new Map(rows.map(({ id, before, after }) => [id, { before, after }]))
}

async function oneByOne(
  tx: ShopScope,
  ids: readonly string[],
  change: FileChange,
): Promise<Map<string, Ledger>> {
  const records = [...(await readRecords(tx, ids)).values()]
  const changes = records.map((record) => ({ record, draft: draftOfRecord(record) }))
  for (const { draft } of changes) applyToDraft(draft, change)
  const results = await changeFiles(tx, changes)
  return new Map(
    results.flatMap((result, at) =>
      result.status === 'changed' ? [[records[at]!.id, result.ledger] as const] : [],
    ),
  )
}

const tag = fc.constantFrom('a', 'b', "o'c", '日', '?', 'C')
const tags = fc.uniqueArray(tag, { maxLength: 4 })
const days = fc.option(fc.constantFrom(1, 60, 36_500))
const settings = fc.record(
  {
    expiry_days: days,
    download_limit: fc.option(fc.constantFrom(1, 5)),
    cdn: fc.boolean(),
    download_notification: fc.boolean(),
    download_tracking: fc.boolean(),
    allowed_referrers: fc.array(fc.constantFrom('x.com', 'y.com'), { maxLength: 2 }),
    view: fc.constantFrom('download', 'both', 'view_only'),
    sample_pages: fc.option(fc.constantFrom(1, 5)),
    sample_seconds: fc.option(fc.constantFrom(5, 30)),
  },
  { requiredKeys: [] },
)
const change: fc.Arbitrary<FileChange> = fc.oneof(
  settings.filter((set) => Object.keys(set).length > 0).map((set) => ({ set })),
  fc.oneof(
    tags.map((replace) => ({ tags: { replace } })),
    tags.map((add) => ({ tags: { add } })),
    tags.map((remove) => ({ tags: { remove } })),
  ),
  fc.constant({ deleted: true }),
)

describe('a change that is the same for every file', () => {
  it('has the same result as changing one by one: the rows, and before and after', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(tags, { minLength: 5, maxLength: 5 }),
        settings,
        change,
        async (has, first, wanted) => {
          const count = String(shops++)
          const ids = await makeFiles(
            scope,
            has.map((own, n) => ({ filename: `file-${count}-${n}.pdf`, tags: own })),
          )
          if (Object.keys(first).length > 0)
            await scope.transaction((tx) => oneByOne(tx, ids.slice(0, 2), { set: first }))
          const apart = await tried(async (tx) => [
            await oneByOne(tx, ids, wanted),
            await contents(tx),
          ])
          const together = await tried(async (tx) => [
            await alike(tx, ids, wanted),
            await contents(tx),
          ])
          expect(ledgers(together)).toEqual(ledgers(apart))
          expect(timeless(together)).toEqual(timeless(apart))
        },
      ),
      { numRuns: sized(15, 60) },
    )
  })
  it('skips files in the trash, claimed by others, of another shop, or with too many tags', async () => {
    const many = Array.from({ length: 250 }, (_, n) => `tag ${n}`)
    const ids = await makeFiles(scope, [
      { filename: 'kept.pdf' },
      { filename: 'trash.pdf' },
      { filename: 'full.pdf', tags: many },
      { filename: 'claimed.pdf' },
    ])
    const other = forShop(
      database,
      await createTestShop(database, `other-${shops++}.myshopify.com`),
    )
    const [foreign] = await makeFiles(other, [{ filename: 'foreign.pdf' }])
    await scope.query('update files set deleted_at = now() where shop_id = :shop and id = :id', {
      id: ids[1],
    })
    const [operation] = await scope.query<{ id: string }>(
      `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total)
       select :shop, 'bulk', 'x', 'api', '{}', 'x', 1 returning id`,
    )
    await scope.insert('file_claims', { file_id: ids[3], operation_id: operation!.id, lease: 1 })
    const changed = await scope.transaction((tx) =>
      alike(tx, [...ids, foreign!], { tags: { add: ['new'] } }),
    )
    expect([...changed.keys()]).toEqual([ids[0]])
  })
  it('does not apply to names, visibility, products, packs, or restoring from the trash', () => {
    const others: FileChange[] = [
      { set: { filename: 'a.pdf' } },
      { set: { visibility: 'public' } },
      { deleted: true, mappings: { remove: 'all' } },
      { packs: { remove: 'all' } },
      { deleted: false },
      { purged: true },
      { tags: { add: ['a'], remove: ['b'] } },
      {},
    ]
    expect(others.map((one) => uniformUpdate(one))).toEqual(others.map(() => null))
  })
})

type Outcome = (Map<string, Ledger> | object[])[]
const ledgers = ([noted]: Outcome) =>
  [...(noted as Map<string, Ledger>)].sort().map(([id, { before, after }]) => [id, before, after])
/** Excludes times, because each ran in a separate transaction. */
const timeless = ([, rows]: Outcome) =>
  (rows as { deleted_at: Date | null; tags: string[] }[]).map((row) => ({
    ...row,
    deleted_at: row.deleted_at !== null,
  }))
