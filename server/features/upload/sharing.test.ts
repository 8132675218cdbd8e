import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../../test/database.ts'
import { openListener } from '../../core/db/listener.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { Role } from '../../core/configuration/environment-schema.ts'
import { createDiskStore } from '../../core/store/disk.ts'
import { createLogger } from '../../core/log.ts'
import { openUploadFolder, type UploadFolder } from './folder.ts'
import { createUploadPort } from './port.ts'
import { insertUpload } from './rows.ts'
import { newUploadId } from '../../../test/uploads.ts'
import { joinFolder } from './sharing.ts'
import { sweepUploads } from './sweep.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let root: string
let scope: ShopScope
let leaving: (() => Promise<void>)[]
let time = 0
beforeEach(async () => {
  database = await openTestDatabase()
  root = await mkdtemp(path.join(tmpdir(), 'stevedore-sharing-'))
  scope = forShop(database, await createTestShop(database))
  leaving = []
})
afterEach(async () => {
  for (const leave of leaving) await leave()
  await database.drop()
  await rm(root, { recursive: true })
})

/** A process with these roles that keeps uploads in this folder. */
async function join(name: string, roles: Role[]) {
  const lines: string[] = []
  const listener = await openListener(database.url, silent)
  const leave = () => listener.close()
  leaving.push(leave)
  const log = createLogger('info', (line) => lines.push(line))
  const given = { database, listener, roles, log, now: () => time }
  const folder = await joinFolder(openUploadFolder(path.join(root, name)), given)
  return { folder, isShared: () => folder.sharing.isShared(), lines, leave }
}

async function uploaded(folder: UploadFolder, metadata = {}): Promise<string> {
  const id = await newUploadId(scope)
  const choices = { filename: 'a.pdf', on_conflict: 'error' as const, tags: [], batch: null }
  const row = { id, size: 3, choices, metadata, requestedBy: 'test' }
  const quotas = { shop_open_uploads: 1000, shop_upload_bytes: 1e12 }
  await insertUpload(scope, { ...row, folder: folder.sharing.number }, quotas)
  await folder.create(id)
  return id
}

/** After the last answer about other processes is too old to be used again. */
const later = (isShared: () => Promise<boolean>, expected: boolean) => {
  time += 60_000
  return expect(isShared()).resolves.toBe(expected)
}

it('one folder is shared by all roles, at the same time', async () => {
  const all = await Promise.all([join('a', ['web']), join('a', ['worker']), join('a', ['web'])])
  for (const { folder, isShared, lines } of all) {
    expect(await isShared()).toBe(true)
    expect(folder.sharing.number).toBe(all[0].folder.sharing.number)
    expect(lines).toEqual([])
  }
})

it('a later web process with another folder is told so, until the first has ended', async () => {
  const first = await join('a', ['web', 'worker'])
  const second = await join('b', ['web'])
  expect(await second.isShared()).toBe(false)
  expect(second.lines.join()).toContain('not the one of the other processes')
  await later(first.isShared, true)
  await first.leave()
  await later(second.isShared, true)
  expect(second.lines.join()).toContain('all processes use one folder')
})

it('a worker with another folder stops uploads everywhere', async () => {
  const first = await join('a', ['web', 'worker'])
  const second = await join('b', ['worker'])
  expect(await second.isShared()).toBe(false)
  await later(first.isShared, false)
})

it('a worker without the folder leaves the upload to one that has it', async () => {
  const [a, b] = [await join('a', ['web', 'worker']), await join('b', ['worker'])]
  const id = await uploaded(a.folder)
  await scope.query(`update uploads set status = 'received' where shop_id = :shop and id = :id`, {
    id,
  })
  const store = createDiskStore({ folder: path.join(root, 'files') })
  const port = createUploadPort({
    scope,
    uploads: b.folder,
    place: { store, shop: scope.shop, location: 'primary' },
  })
  await expect(port.sizeOf(id)).rejects.toMatchObject({
    code: 'uploads_not_shared',
    retryable: true,
  })
})

it('a sweep leaves unfinished uploads of another folder for a week', async () => {
  const [a, b] = [await join('a', ['web', 'worker']), await join('b', ['worker'])]
  const id = await uploaded(a.folder)
  const age = (days: number) =>
    scope.query(
      `update uploads set expires_at = now() - :days * interval '1 day'
       where shop_id = :shop and id = :id`,
      { id, days },
    )
  await age(2)
  const sweep = () =>
    sweepUploads({ engine: null as never, folder: b.folder, log: silent }, database)
  expect(await sweep()).toBe(0)
  await age(8)
  expect(await sweep()).toBe(1)
})
