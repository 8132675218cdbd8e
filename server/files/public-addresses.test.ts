import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OnConflict } from '../../plugins/contract/index.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { admitFiles } from './admit.ts'
import { changeFiles } from './changes.ts'
import { draftFrom, draftOfRecord, readRecords } from './drafts.ts'
import { publicUrl, rotateAddress } from './public-addresses.ts'
import { shopSettingsSchema } from './shop-settings.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let other: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database, 'ours.myshopify.com'))
  other = forShop(database, await createTestShop(database, 'theirs.myshopify.com'))
})
afterAll(() => database.drop())

type Visibility = 'public' | 'private'

let blobs = 0
async function admit(
  filename: string,
  visibility: Visibility,
  onConflict: OnConflict = 'error',
): Promise<string> {
  const draft = draftFrom({ filename }, shopSettingsSchema.parse({ visibility }))
  const hash = Buffer.alloc(32, ++blobs).toString('hex')
  const staged = { hash, size_bytes: 3, location: 'primary', content_type: null }
  const [admitted] = await scope.transaction((tx) =>
    admitFiles(tx, [{ draft, staged, onConflict, channel: 'api' }], { file_bytes: 1e9 }),
  )
  if (!('fileId' in admitted!)) throw new Error(`the file was not admitted: ${admitted!.status}`)
  return admitted.fileId
}

async function show(id: string, visibility: Visibility): Promise<void> {
  await scope.transaction(async (tx) => {
    const record = (await readRecords(tx, [id])).get(id)!
    const [changed] = await changeFiles(tx, [
      { record, draft: { ...draftOfRecord(record), visibility } },
    ])
    expect(changed!.status).toBe('changed')
  })
}

async function tokenOf(id: string): Promise<string | undefined> {
  const rows = await scope.query<{ token: string }>(
    'select token from public_addresses where shop_id = :shop and file_id = :id',
    { id },
  )
  return rows[0]?.token
}

test('a file gets its address when it becomes public in any way, and keeps it', async () => {
  const [born, later] = [await admit('born.pdf', 'public'), await admit('later.pdf', 'private')]
  const token = await tokenOf(born)
  expect(token).toMatch(/^[0-9a-f-]{36}$/)
  expect(await tokenOf(later)).toBeUndefined()
  await show(later, 'public')
  const first = await tokenOf(later)
  expect(first).toBeDefined()
  await show(later, 'private')
  await show(later, 'public')
  expect(await tokenOf(later)).toBe(first)
  await admit('over.pdf', 'private')
  const over = await admit('over.pdf', 'public', 'overwrite')
  expect(await tokenOf(over)).toBeDefined()
  const kept = await admit('kept.pdf', 'private')
  expect(await admit('kept.pdf', 'public', 'new_version')).toBe(kept)
  expect(await tokenOf(kept)).toBeUndefined()
})

test('only a public file of this shop gets another address', async () => {
  const id = await admit('rotated.pdf', 'public')
  const before = await tokenOf(id)
  expect(await rotateAddress(other, id)).toBeNull()
  expect(await tokenOf(id)).toBe(before)
  const after = await rotateAddress(scope, id)
  expect(after).not.toBe(before)
  expect(await tokenOf(id)).toBe(after)
  await show(id, 'private')
  expect(await rotateAddress(scope, id)).toBeNull()
})

test('any name results in a valid address', () => {
  expect(publicUrl('https://a.example', 't', 'a b/é?#%.pdf')).toBe(
    'https://a.example/files/t/a%20b%2F%C3%A9%3F%23%25.pdf',
  )
})
