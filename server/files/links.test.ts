import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { AppError } from '../errors.ts'
import { createSecrets, hashKey } from '../secrets.ts'
import { createLinks, linkStatus, listLinks } from './links.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const DAY_MS = 86_400_000
const secrets = createSecrets('a secret of at least thirty-two characters')
let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let other: ShopScope

beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database, 'ours.myshopify.com'))
  other = forShop(database, await createTestShop(database, 'theirs.myshopify.com'))
})
afterAll(() => database.drop())

interface LinkRow {
  id: string
  file_id: string
  key_hash: Buffer
}

let names = 0
async function addFile(to: ShopScope, fields: Record<string, unknown> = {}): Promise<string> {
  const name = `file-${names++}.pdf`
  return to.transaction(async (tx) => {
    const hash = Buffer.alloc(32, names)
    await tx.insert('blobs', { hash, size_bytes: 3 }).onConflict().ignore()
    await tx.insert('blob_locations', { hash, location: 'primary' }).onConflict().ignore()
    const about = { size_bytes: 3, content_type: 'application/pdf' }
    const [file] = (await tx
      .insert('files', { filename: name, name_key: name, extension: 'pdf', channel: 'api', ...about, ...fields })
      .returning('id')) as [{ id: string }]
    await tx.insert('versions', { file_id: file.id, number: 1, hash, location: 'primary', ...about })
    return file.id
  })
}

test('what is absent comes from the file, what is null is never and unlimited', async () => {
  const file = await addFile(scope, { expiry_days: 60, download_limit: 5 })
  const make = async (terms: object) => (await createLinks(scope, secrets, { file_ids: [file], ...terms }, NOW))[0]!
  expect(await make({})).toMatchObject({ file_id: file, expires_at: new Date(+NOW + 60 * DAY_MS), download_limit: 5 })
  expect(await make({ expiry_days: null, download_limit: null })).toMatchObject({
    expires_at: null,
    download_limit: null,
  })
  expect(await make({ expiry_days: 1, download_limit: 2, email: 'buyer@example.com' })).toMatchObject({
    expires_at: new Date(+NOW + DAY_MS),
    download_limit: 2,
    email: 'buyer@example.com',
    downloads: 0,
    status: 'active',
  })
})

test('terms of a single file go over the common ones, field by field', async () => {
  const files = [await addFile(scope, { download_limit: 9 }), await addFile(scope), await addFile(scope)]
  const per_file = [
    { file_id: files[1]!, expiry_days: null },
    { file_id: files[2]!, download_limit: 7, expiry_days: undefined },
  ]
  const links = await createLinks(scope, secrets, { file_ids: files, expiry_days: 2, per_file }, NOW)
  expect(links.map(({ file_id }) => file_id)).toEqual(files)
  expect(links.map(({ expires_at }) => expires_at && +expires_at - +NOW)).toEqual([2 * DAY_MS, null, 2 * DAY_MS])
  expect(links.map(({ download_limit }) => download_limit)).toEqual([9, null, 7])
})

test('a hundred links in one go keep their order, and each is found by the hash of its key alone', async () => {
  const file = await addFile(scope)
  const links = await createLinks(scope, secrets, { file_ids: Array.from({ length: 100 }, () => file) }, NOW)
  expect(links.map(({ id }) => id)).toEqual(links.map(({ id }) => id).toSorted())
  expect(new Set(links.map(({ key }) => key)).size).toBe(100)
  for (const { id, key } of [links[0]!, links[99]!]) {
    expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(await scope.from('links').where('key_hash', hashKey(key)).select('id')).toEqual([{ id }])
  }
  expect(JSON.stringify(await scope.from('links').select('*'))).not.toContain(links[0]!.key)
})

test('files that are unknown, in the trash or of another shop are each named, and no link is made', async () => {
  const [good, trashed, theirs] = [
    await addFile(scope),
    await addFile(scope, { deleted_at: NOW }),
    await addFile(other),
  ]
  const unknown = '01900000-0000-7000-8000-000000000000'
  const file_ids = [good, trashed, theirs, unknown]
  const error = await createLinks(scope, secrets, { file_ids }, NOW).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(AppError)
  expect(error).toMatchObject({ code: 'validation_failed' })
  expect((error as AppError).details).toEqual(
    [1, 2, 3].map((index) => ({ index, param: 'file_ids', code: 'not_found', message: 'There is no such file' })),
  )
  expect(await scope.from<LinkRow>('links').where({ file_id: good }).select('id')).toEqual([])
})

test('the list goes page by page, newest first, shows the keys again, and sees no other shop', async () => {
  const [file, another] = [await addFile(scope), await addFile(scope)]
  const made = await createLinks(scope, secrets, { file_ids: [file, file, file, another] }, new Date(+NOW + 1))
  const first = await listLinks(scope, secrets, { fileId: file, limit: 2 }, NOW)
  expect(first.data.map(({ key }) => key)).toEqual([made[2]!.key, made[1]!.key])
  const rest = await listLinks(scope, secrets, { fileId: file, limit: 2, cursor: first.next_cursor! }, NOW)
  expect(rest).toEqual({ data: [made[0]], next_cursor: null })
  expect((await listLinks(scope, secrets, { limit: 1 }, NOW)).data).toEqual([made[3]])
  expect(await listLinks(other, secrets, { fileId: file, limit: 10 }, NOW)).toEqual({ data: [], next_cursor: null })
  await expect(listLinks(scope, secrets, { limit: 1, cursor: "'; drop" }, NOW)).rejects.toThrow(AppError)
})

test('the state of a link', async () => {
  const link = {
    revoked_at: null,
    expires_at: new Date(+NOW + 1),
    download_limit: 2,
    downloads: 1,
    deleted_at: null,
    mapping_state: 'never',
  }
  expect(linkStatus(link, NOW)).toBe('active')
  expect(linkStatus({ ...link, mapping_state: 'mapped', download_limit: null }, NOW)).toBe('active')
  expect(linkStatus({ ...link, expires_at: NOW }, NOW)).toBe('expired')
  expect(linkStatus({ ...link, downloads: 2 }, NOW)).toBe('exhausted')
  expect(linkStatus({ ...link, downloads: 2, mapping_state: 'unmapped' }, NOW)).toBe('withdrawn')
  expect(linkStatus({ ...link, expires_at: NOW, deleted_at: NOW }, NOW)).toBe('withdrawn')
  expect(linkStatus({ ...link, expires_at: NOW, revoked_at: NOW }, NOW)).toBe('revoked')
})
