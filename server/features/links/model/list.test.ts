import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../../test/database.ts'
import { insertManyFiles } from '../../../../test/factories.ts'
import { forShop, type ShopScope } from '../../../core/db/for-shop.ts'
import { AppError } from '../../../core/errors.ts'
import { createSecrets } from '../../../core/secrets.ts'
import { listLinks, pagesOfLinks, type LinkFilter } from './list.ts'
import { LINK_STATUSES, linkStatus, type Link } from './links.ts'
import { createLinks } from './creation.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const DAY_MS = 86_400_000
const FILES = 1500
const secrets = createSecrets('a secret of at least thirty-two characters')
let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let other: ShopScope
/** In the order of their names. */
let files: string[]

beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database, 'ours.myshopify.com'))
  other = forShop(database, await createTestShop(database, 'theirs.myshopify.com'))
  await insertManyFiles(database.pool, { shop: scope.shop, count: FILES })
  const rows = await scope.query<{ id: string }>(
    'select id from files where shop_id = :shop order by size_bytes, id',
  )
  files = rows.map(({ id }) => id)
})
afterAll(() => database.drop())

const make = (given: object, now = NOW): Promise<readonly Link[]> =>
  createLinks(scope, secrets, { file_ids: files, ...given }, now)
const list = (filter: LinkFilter & { limit?: number; cursor?: string }, of = scope) =>
  listLinks(of, secrets, { limit: 250, ...filter }, NOW)
const idsOf = async (filter: LinkFilter): Promise<string[]> =>
  (await list(filter)).data.map(({ id }) => id)
const nameOf = async (id: string) =>
  (
    await scope.query<{ filename: string }>(
      'select filename from files where shop_id = :shop and id = :id',
      { id },
    )
  )[0]!.filename

test('is read page by page, newest first, shows the keys, and excludes other shops', async () => {
  const [file, another] = [files[0]!, files[1]!]
  const links = await make({ file_ids: [file, file, file, another] }, new Date(+NOW - DAY_MS))
  const first = await list({ fileId: file, limit: 2 })
  expect(first.data.map(({ key }) => key)).toEqual([links[2]!.key, links[1]!.key])
  const rest = await list({ fileId: file, limit: 2, cursor: first.next_cursor! })
  expect(rest).toEqual({ data: [links[0]], next_cursor: null })
  expect((await list({ limit: 1 })).data).toEqual([links[3]])
  expect(await list({ fileId: file }, other)).toEqual({ data: [], next_cursor: null })
  await expect(list({ cursor: "'; drop" })).rejects.toThrow(AppError)
})

describe('a filter', () => {
  test('by address ignores case; by name it matches any part of it or the beginning of the address', async () => {
    const [one, two] = [files[10]!, files[11]!]
    const [mine] = await make({ file_ids: [one], email: 'Mira_7@Example.com' })
    await make({ file_ids: [two], email: 'mirax7@example.com' })
    expect(await idsOf({ email: 'mira_7@EXAMPLE.com' })).toEqual([mine!.id])
    expect(await idsOf({ search: 'mira_7@' })).toEqual([mine!.id])
    expect(await idsOf({ search: (await nameOf(one)).slice(3).toUpperCase() })).toEqual([mine!.id])
    expect(await idsOf({ search: 'no name has this' })).toEqual([])
    await scope
      .from('files')
      .where('id', one)
      .update({ deleted_at: NOW } as never)
    expect(await idsOf({ search: await nameOf(one) })).toEqual([mine!.id])
    await scope
      .from('files')
      .where('id', one)
      .update({ deleted_at: null } as never)
  })

  test('by pack, also by its name, finds the pack’s links; those of its files are only in a file’s own list', async () => {
    const [pack] = (await scope
      .insert('packs', { name: 'Spring set', name_key: 'spring set' })
      .returning('id')) as [{ id: string }]
    const whole = '01900000-0000-7000-8000-000000000001'
    await scope.insert('links', { id: whole, pack_id: pack.id, key_hash: Buffer.alloc(32, 1) })
    const [part] = await make({ file_ids: [files[20]!] })
    await scope
      .from('links')
      .where('id', part!.id)
      .update({ parent_id: whole } as never)
    expect((await list({ packId: pack.id })).data).toMatchObject([
      { id: whole, file_id: null, pack_id: pack.id, name: 'Spring set', status: 'active' },
    ])
    expect(await idsOf({ search: 'SPRING' })).toEqual([whole])
    expect(await idsOf({ fileId: files[20]! })).toEqual([part!.id])
    expect(await idsOf({ fileId: files[20]!, isOwn: true })).toEqual([])
    expect((await list({})).data.map(({ id }) => id)).not.toContain(part!.id)
  })

  test('by operation finds the links that it created', async () => {
    const operation = '01900000-0000-7000-8000-00000000000f'
    const links = await make({ file_ids: files.slice(30, 33), operation })
    expect(await idsOf({ operation })).toEqual(links.map(({ id }) => id).toReversed())
  })
})

describe('a state', () => {
  const CASES = [
    {},
    { expires_at: NOW },
    { expires_at: new Date(+NOW + 1) },
    { download_limit: 2, downloads: 2 },
    { download_limit: 2, downloads: 1 },
    { expires_at: NOW, download_limit: 2, downloads: 2 },
    { available_at: new Date(+NOW + 1), expires_at: NOW, download_limit: 2, downloads: 2 },
    { available_at: NOW },
    { use_hours: 1, first_used_at: new Date(+NOW - 3_600_000) },
    { use_hours: 1, first_used_at: NOW },
    { revoked_at: NOW },
    { revoked_at: NOW, expires_at: NOW },
  ]
  test('is the same in the database and in memory, for any combination', async () => {
    const states = [
      { mapping_state: 'never' },
      { deleted_at: NOW },
      { mapping_state: 'unmapped' },
      { mapping_state: 'mapped' },
    ]
    const links: Link[] = []
    for (const [at, state] of states.entries()) {
      const file = files[100 + at]!
      await scope
        .from('files')
        .where('id', file)
        .update(state as never)
      for (const [n, facts] of CASES.entries()) {
        const key_hash = Buffer.alloc(32, `${at} ${n}`)
        await scope.insert('links', {
          file_id: file,
          key_hash,
          email: 'states@example.com',
          ...facts,
        })
      }
      links.push(...(await list({ fileId: file })).data)
    }
    expect(new Set(links.map(({ status }) => status))).toEqual(new Set(LINK_STATUSES))
    for (const status of LINK_STATUSES) {
      const wanted = links.filter((link) => link.status === status).map(({ id }) => id)
      expect((await idsOf({ status, email: 'states@example.com' })).toSorted(), status).toEqual(
        wanted.toSorted(),
      )
      const all = (await list({ status })).data
      expect(all.map((link) => link.status)).toEqual(all.map(() => status))
      expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(wanted))
    }
  })

  test('of a few old links is found behind thousands of newer ones, page after page', async () => {
    const old = await make(
      { file_ids: files.slice(200, 203), download_limit: 1 },
      new Date(+NOW - 90 * DAY_MS),
    )
    await scope
      .from('links')
      .whereIn(
        'id',
        old.map(({ id }) => id),
      )
      .update({ downloads: 1, expires_at: null } as never)
    for (let n = 0; n < 3; n++)
      await make({ file_ids: files.slice(400), expiry_days: null, download_limit: null })
    const before = new Date(+NOW - 30 * DAY_MS)
    const found = []
    for await (const page of pagesOfLinks(
      scope,
      secrets,
      { status: 'exhausted' },
      NOW,
      new AbortController().signal,
    ))
      found.push(...page)
    expect(found.every((link) => linkStatus({ ...link, ...NO_STATE }, NOW) === 'exhausted')).toBe(
      true,
    )
    expect(found.filter(({ created_at }) => created_at < before).map(({ id }) => id)).toEqual(
      old.map(({ id }) => id).toReversed(),
    )
    const first = await list({ status: 'exhausted', limit: found.length - 1 })
    const rest = await list({ status: 'exhausted', limit: 5, cursor: first.next_cursor! })
    expect([first.data.length, rest.data.map(({ id }) => id), rest.next_cursor]).toEqual([
      found.length - 1,
      [old[0]!.id],
      null,
    ])
  })
  const NO_STATE = { revoked_at: null, deleted_at: null, mapping_state: 'never' }

  test('by status reads of a file that is only viewed what is left of its views', async () => {
    const [only, zip] = [files[401]!, files[402]!]
    const setType = (id: string, content_type: string) =>
      scope
        .from('files')
        .where('id', id)
        .update({ view: 'view_only', content_type } as never)
    await setType(only, 'application/pdf')
    await setType(zip, 'application/zip')
    const past = new Date(+NOW - 2 * DAY_MS)
    const lasting = { expiry_days: 1, view_days: 9, download_limit: 1 }
    const made = [
      ...(await make({ file_ids: [only, zip], ...lasting }, past)),
      ...(await make({ file_ids: [only, zip], expiry_days: 9, view_days: 1 }, past)),
      ...(await make({ file_ids: [only, zip], expiry_days: 9, view_limit: 1 }, past)),
    ].map(({ id }) => id)
    await scope
      .from('links')
      .whereIn('id', made)
      .update({ views: 1, downloads: 1 } as never)
    const statusOf = async (id: string) => {
      const found = await Promise.all(
        LINK_STATUSES.map(async (status) => {
          const { data } = await list({ fileId: only, status })
          const others = await list({ fileId: zip, status })
          return [...data, ...others.data].filter((link) => link.id === id)
        }),
      )
      return found.flatMap((links, at) =>
        links.map(({ status }) => [LINK_STATUSES[at], status].join()),
      )
    }
    const shown = []
    for (const id of made) shown.push(...(await statusOf(id)))
    expect(shown).toEqual([
      'active,active',
      'expired,expired',
      'expired,expired',
      'active,active',
      'exhausted,exhausted',
      'active,active',
    ])
    // Without a file, used-up links are read by their indexes.
    const usedUp = await idsOf({ status: 'exhausted' })
    expect(made.map((id) => usedUp.includes(id))).toEqual([false, false, false, false, true, false])
  })

  test('combines with a search that matches thousands of files', async () => {
    const revoked = (await make({ file_ids: [files[300]!] }))[0]!
    await scope
      .from('links')
      .where('id', revoked.id)
      .update({ revoked_at: NOW } as never)
    expect(await idsOf({ search: 'file-', status: 'revoked' })).toContain(revoked.id)
    expect((await list({ search: 'file-', status: 'active', limit: 10 })).data.length).toBe(10)
  })
})
