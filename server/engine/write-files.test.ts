import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FileChange } from '../../plugins/contract/index.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { makeFiles } from '../../test/files.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { defineEffect } from './effect.ts'
import type { OperationRow, WorkItem } from './types.ts'
import { applyToDraft } from '../files/draft-changes.ts'
import { freshItem } from './work-item.ts'
import { itemDraft, loadRecords } from './item-work.ts'
import { previewDone, writeDone } from './write-files.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
})
afterAll(() => database.drop())

const operation = { id: '0199aaaa-0000-7000-8000-000000000001', channel: 'api' } as OperationRow
const held = { operation, chain: 0, lease: 1 }

/** The SQL that `work` runs, in order. */
async function statementsOf(work: (tx: ShopScope) => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const recording = (tx: ShopScope): ShopScope => ({
    ...tx,
    query: (sql, bindings) => (statements.push(sql), tx.query(sql, bindings)),
    one: (sql, bindings) => (statements.push(sql), tx.one(sql, bindings)),
    first: (sql, bindings) => (statements.push(sql), tx.first(sql, bindings)),
    has: (sql, bindings) => (statements.push(sql), tx.has(sql, bindings)),
    transaction: (inner) => tx.transaction((nested) => inner(recording(nested))),
  })
  await scope.transaction((tx) => work(recording(tx)))
  return statements
}

const neverCalled = () => {
  throw new Error('An effect was called without a request')
}
const limits = { file_bytes: 1e9, shop_files: 10, shop_storage_bytes: 1e9 }
const parts = {
  limits,
  effects: [
    defineEffect({
      name: 'created',
      prepare: neverCalled,
      takeBack: neverCalled,
      write: neverCalled,
      preview: neverCalled,
      undo: neverCalled,
    }),
  ],
}

/** An item about a new file, after steps that made these changes. */
async function itemWith(filename: string, ...changes: FileChange[]): Promise<WorkItem> {
  const [file_id] = await makeFiles(scope, [{ filename }])
  const item = freshItem({ position: 0, file_id: file_id ?? null })
  await loadRecords(scope, [item])
  for (const change of changes) applyToDraft(itemDraft(item), change)
  return item
}

test('tagging a file only updates its row: no admission, quota or effect is consulted', async () => {
  const item = await itemWith('tagged.pdf', { tags: { add: ['new'] } })
  const statements = await statementsOf(async (tx) => {
    const results = await writeDone(tx, held, [item], parts)
    expect(results.get(item)).toMatchObject({ status: 'done', before: { tags: [] } })
  })
  expect(statements).toEqual([expect.stringMatching(/^update files set tags = /)])
})

test('a file that no step changed needs no statement', async () => {
  const item = await itemWith('untouched.pdf')
  const statements = await statementsOf(async (tx) => {
    expect((await writeDone(tx, held, [item], parts)).get(item)).toEqual({ status: 'done' })
    await previewDone(tx, operation.id, [item], parts)
    await writeDone(tx, held, [], parts)
  })
  expect(statements).toEqual([])
})
