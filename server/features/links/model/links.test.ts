import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../../test/database.ts'
import { forShop, type ShopScope } from '../../../core/db/for-shop.ts'
import { AppError } from '../../../core/errors.ts'
import { createSecrets, hashKey } from '../../../core/secrets.ts'
import { linkStatus, readLinks } from './links.ts'
import { extendLink, resetLink, revokeLinks } from './changes.ts'
import { createLinks, orderedIds } from './creation.ts'

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
      .insert('files', {
        filename: name,
        name_key: name,
        extension: 'pdf',
        channel: 'api',
        ...about,
        ...fields,
      })
      .returning('id')) as [{ id: string }]
    await tx.insert('versions', {
      file_id: file.id,
      number: 1,
      hash,
      location: 'primary',
      ...about,
    })
    return file.id
  })
}

test('absent terms come from the file, null is never and unlimited', async () => {
  const file = await addFile(scope, { expiry_days: 60, download_limit: 5 })
  const make = async (terms: object) =>
    (await createLinks(scope, secrets, { file_ids: [file], ...terms }, NOW))[0]!
  expect(await make({})).toMatchObject({
    file_id: file,
    expires_at: new Date(+NOW + 60 * DAY_MS),
    download_limit: 5,
  })
  expect(await make({ expiry_days: null, download_limit: null })).toMatchObject({
    expires_at: null,
    download_limit: null,
  })
  expect(
    await make({ expiry_days: 1, download_limit: 2, email: 'buyer@example.com' }),
  ).toMatchObject({
    expires_at: new Date(+NOW + DAY_MS),
    download_limit: 2,
    email: 'buyer@example.com',
    downloads: 0,
    status: 'active',
  })
})

test('terms of a single file override the common ones, field by field', async () => {
  const files = [
    await addFile(scope, { download_limit: 9 }),
    await addFile(scope),
    await addFile(scope),
  ]
  const per_file = [
    { file_id: files[1]!, expiry_days: null },
    { file_id: files[2]!, download_limit: 7, expiry_days: undefined },
  ]
  const links = await createLinks(
    scope,
    secrets,
    { file_ids: files, expiry_days: 2, per_file },
    NOW,
  )
  expect(links.map(({ file_id }) => file_id)).toEqual(files)
  expect(links.map(({ expires_at }) => expires_at && +expires_at - +NOW)).toEqual([
    2 * DAY_MS,
    null,
    2 * DAY_MS,
  ])
  expect(links.map(({ download_limit }) => download_limit)).toEqual([9, null, 7])
})

test('a hundred links keep their order, and each is found only by its key’s hash', async () => {
  const file = await addFile(scope)
  const links = await createLinks(
    scope,
    secrets,
    { file_ids: Array.from({ length: 100 }, () => file) },
    NOW,
  )
  expect(links.map(({ id }) => id)).toEqual(links.map(({ id }) => id).toSorted())
  expect(new Set(links.map(({ key }) => key)).size).toBe(100)
  for (const { id, key } of [links[0]!, links[99]!]) {
    expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(await scope.from('links').where('key_hash', hashKey(key)).select('id')).toEqual([{ id }])
  }
  expect(JSON.stringify(await scope.from('links').select('*'))).not.toContain(links[0]!.key)
})

test('files that are unknown, in the trash or of another shop are each named, and no link is created', async () => {
  const [good, trashed, theirs] = [
    await addFile(scope),
    await addFile(scope, { deleted_at: NOW }),
    await addFile(other),
  ]
  const unknown = '01900000-0000-7000-8000-000000000000'
  const file_ids = [good, trashed, theirs, unknown]
  const error = await createLinks(scope, secrets, { file_ids }, NOW).catch(
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(AppError)
  expect(error).toMatchObject({ code: 'validation_failed' })
  expect((error as AppError).details).toEqual(
    [1, 2, 3].map((index) => ({
      index,
      param: 'file_ids',
      code: 'not_found',
      message: 'There is no such file',
    })),
  )
  expect(await scope.from<LinkRow>('links').where({ file_id: good }).select('id')).toEqual([])
})

test('ids of the same millisecond ascend', () => {
  const ids = orderedIds(NOW, 10_000)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(10_000)
  expect(ids[9999]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

describe('a changed link', () => {
  const one = async (fields: object = {}) =>
    (
      await createLinks(
        scope,
        secrets,
        { file_ids: [await addFile(scope)], expiry_days: 1, ...fields },
        NOW,
      )
    )[0]!
  const read = async (...ids: string[]) => await readLinks(scope, secrets, ids, LATER)
  const LATER = new Date(+NOW + 5 * DAY_MS)

  test('is extended from now, or without end; an expired one works again', async () => {
    const { id } = await one()
    expect(await read(id)).toMatchObject([{ status: 'expired' }])
    await extendLink(scope, id, 3, LATER)
    expect(await read(id)).toMatchObject([
      { status: 'active', expires_at: new Date(+LATER + 3 * DAY_MS) },
    ])
    await extendLink(scope, id, null, LATER)
    expect(await read(id)).toMatchObject([{ status: 'active', expires_at: null }])
  })
  test('counts from zero after a reset', async () => {
    const { id } = await one({ expiry_days: null, download_limit: 2 })
    await scope
      .from('links')
      .where('id', id)
      .update({ downloads: 2, served: 2 } as never)
    expect(await read(id)).toMatchObject([{ status: 'exhausted' }])
    await resetLink(scope, id)
    expect(await read(id)).toMatchObject([{ status: 'active', downloads: 0 }])
    expect(await scope.from('links').where('id', id).select('served')).toEqual([{ served: 2 }])
  })
  test('changes the links that it gave to its pack’s files, and none that a file has itself', async () => {
    const [parent, child, own] = [await one(), await one(), await one()]
    await scope
      .from('links')
      .where('id', child.id)
      .update({ parent_id: parent.id } as never)
    await extendLink(scope, parent.id, 9, LATER)
    await resetLink(scope, parent.id)
    const until = new Date(+LATER + 9 * DAY_MS)
    expect((await read(parent.id, child.id)).map(({ expires_at }) => expires_at)).toEqual([
      until,
      until,
    ])
    await revokeLinks(scope, [parent.id])
    expect((await read(own.id, child.id, parent.id)).map(({ status }) => status)).toEqual([
      'expired',
      'revoked',
      'revoked',
    ])
  })
  test('stays revoked; another shop’s is not found', async () => {
    const { id } = await one()
    await revokeLinks(other, [id])
    expect(await readLinks(other, secrets, [id], NOW)).toEqual([])
    await expect(resetLink(other, id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await read(id)).toMatchObject([{ status: 'expired' }])
    await revokeLinks(scope, [id])
    await expect(extendLink(scope, id, 1, NOW)).rejects.toMatchObject({ code: 'conflict' })
    await expect(resetLink(scope, id)).rejects.toMatchObject({ code: 'conflict' })
    expect(await read(id)).toMatchObject([{ status: 'revoked' }])
  })
})

test('the state of a link', async () => {
  const link = {
    revoked_at: null,
    expires_at: new Date(+NOW + 1),
    available_at: NOW,
    download_limit: 2,
    downloads: 1,
    deleted_at: null,
    mapping_state: 'never',
  }
  expect(linkStatus(link, NOW)).toBe('active')
  expect(linkStatus({ ...link, mapping_state: 'mapped', download_limit: null }, NOW)).toBe('active')
  expect(linkStatus({ ...link, expires_at: NOW }, NOW)).toBe('expired')
  expect(linkStatus({ ...link, downloads: 2 }, NOW)).toBe('exhausted')
  const later = { ...link, available_at: new Date(+NOW + 1) }
  expect(linkStatus({ ...later, expires_at: NOW, downloads: 2 }, NOW)).toBe('not_released')
  expect(linkStatus({ ...later, deleted_at: NOW }, NOW)).toBe('withdrawn')
  expect(linkStatus({ ...link, downloads: 2, mapping_state: 'unmapped' }, NOW)).toBe('withdrawn')
  expect(linkStatus({ ...link, expires_at: NOW, deleted_at: NOW }, NOW)).toBe('withdrawn')
  expect(linkStatus({ ...link, expires_at: NOW, revoked_at: NOW }, NOW)).toBe('revoked')
})
