import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestShop, silent } from '../../../test/database.ts'
import { createTestEngine, type TestEngine } from '../../../test/engine.ts'
import { fillEveryTable, readTables } from '../../../test/every-table.ts'
import { insertManyFiles } from '../../../test/factories.ts'
import { soakTest } from '../../../test/scale.ts'
import { createDiskStore } from '../../core/store/disk.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { StoreError, type BlobStore } from '../../core/store/store.ts'
import { uninstallShop } from '../../storefront/uninstall.ts'
import { readChange, reportChange } from '../../storefront/changes.ts'
import type { Storefront } from '../../storefront/storefront.ts'
import { openUploadFolder, type UploadFolder } from '../upload/upload.ts'
import { complianceChanges, redactShop } from './changes.ts'
import type { ComplianceParts } from './parts.ts'

let house: TestEngine
let parts: ComplianceParts
let uploads: UploadFolder
const pool = () => house.parts.database.pool

beforeAll(async () => {
  house = await createTestEngine([], [])
  const disk = (name: string) => createDiskStore({ folder: path.join(house.folder, name) })
  uploads = openUploadFolder(path.join(house.folder, 'uploads'))
  parts = {
    database: house.parts.database,
    places: {},
    secrets: house.parts.secrets,
    stores: new Map([
      ['primary', disk('primary')],
      ['backup', disk('backup')],
    ]),
    folder: uploads,
    clock: () => new Date(),
    log: silent,
  }
})
afterAll(() => house.close())

let shops = 0
const newShop = () => createTestShop(house.parts.database, `shop-${shops++}.myshopify.com`)
const addJob = (task: string, key: string, shop: number) =>
  pool().query(
    `select graphile_worker.add_job($1, json_build_object('shop', $3::int, 'key', $2::text),
       job_key := $2)`,
    [task, key, shop],
  )
const jobKeys = async () =>
  (await pool().query<{ key: string }>('select key from graphile_worker.jobs')).rows.map(
    ({ key }) => key,
  )

/**
 * Creates everything that a shop can have: a row in each table, bytes in both stores, an upload,
 * jobs.
 */
async function furnish(shop: number): Promise<void> {
  const rows = await fillEveryTable(pool(), shop)
  // Triggers have noted the file and its version in addition to the planted row.
  await pool().query(
    `delete from file_count_changes where shop_id = $1 and ctid <> (
       select min(ctid) from file_count_changes where shop_id = $1)`,
    [shop],
  )
  for (const store of parts.stores.values())
    for (const text of ['kept', 'named by no row'])
      await store.write(shop, Readable.from([Buffer.from(text)]))
  await uploads.create(String(rows.get('uploads')!.id))
  await addJob('chain', `chain:${shop}`, shop)
  await addJob('a-task-of-later', `later:${shop}`, shop)
}

/** The number of the shop's rows in each table. */
async function countRows(shop: number): Promise<Record<string, number>> {
  const tables = await readTables(pool())
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await pool().query<{ n: number }>(
      `select count(*) as n from ${name} where shop_id = $1`,
      [shop],
    )
    counts[name] = rows[0]!.n
  }
  return counts
}
const addDownloads = (shop: number, later: string) =>
  pool().query(
    `insert into downloads (shop_id, id, file_id, address, agent, at)
     select $1, uuidv7($2::interval), gen_random_uuid(), '', '', now() from generate_series(1, 9)`,
    [shop, later],
  )
const bytesOf = (shop: number) =>
  Promise.all(
    ['primary', 'backup'].map((name) =>
      readdir(path.join(house.folder, name, String(shop))).catch(() => []),
    ),
  )
const exists = async (shop: number) =>
  (await pool().query('select 1 from shops where id = $1', [shop])).rows.length > 0

describe('deleting a shop', () => {
  it('leaves no row in any table, no bytes, no upload and no job, and changes no other shop', async () => {
    const [gone, stays] = [await newShop(), await newShop()]
    for (const shop of [gone, stays]) await furnish(shop)
    // In two months, where they have the same places on the disk.
    await addDownloads(gone, '0 days')
    await addDownloads(stays, '31 days')
    const before = await countRows(gone)
    // Each table has a row, so that the checks below are not trivially true.
    for (const [table, rows] of Object.entries(before)) expect(rows, table).toBeGreaterThan(0)
    const others = [await countRows(stays), await bytesOf(stays)]

    await redactShop(parts, gone)

    for (const [table, rows] of Object.entries(await countRows(gone)))
      expect([table, rows]).toEqual([table, 0])
    expect(await exists(gone)).toBe(false)
    expect(await bytesOf(gone)).toEqual([[], []])
    expect(await jobKeys()).toEqual(expect.arrayContaining([`chain:${stays}`, `later:${stays}`]))
    for (const key of await jobKeys()) expect(key).not.toContain(`:${gone}`)
    expect([await countRows(stays), await bytesOf(stays)]).toEqual(others)
    expect(await readdir(path.join(house.folder, 'uploads', 'incoming'))).toHaveLength(1)
    await redactShop(parts, gone)
  })

  it('is completed by the next run after an interruption', async () => {
    const shop = await newShop()
    await furnish(shop)
    const backup = parts.stores.get('backup')!
    const away: BlobStore = {
      ...backup,
      removeShop: () => Promise.reject(new StoreError('unavailable')),
    }
    const interrupted = { ...parts, stores: new Map([...parts.stores, ['backup', away]]) }
    await expect(redactShop(interrupted, shop)).rejects.toThrow(StoreError)
    // The shop is no longer served, and its row keeps the request pending.
    expect(await exists(shop)).toBe(true)
    expect((await countRows(shop)).shop_tokens).toBe(0)
    expect((await countRows(shop)).background_tasks).toBe(1)
    await redactShop(parts, shop)
    expect(await exists(shop)).toBe(false)
    expect(await bytesOf(shop)).toEqual([[], []])
  })

  soakTest('stops between two batches, and deletes many rows in several batches', async () => {
    const shop = await newShop()
    await insertManyFiles(pool(), { shop, count: 11_000, mapped: 0.5 })
    const stopped = AbortSignal.abort(new Error('stopped'))
    await expect(redactShop(parts, shop, stopped)).rejects.toThrow('stopped')
    await redactShop(parts, shop)
    expect(await exists(shop)).toBe(false)
  })
})

describe('the platform’s request', () => {
  const signal = new AbortController().signal
  const demand = async (
    shop: number,
    hasAccess: Storefront['hasAccess'],
    clock = () => new Date(),
  ) => {
    const scope = forShop(house.parts.database, shop)
    const change = { kind: 'shop-redact', subject: '' } as const
    if (!(await readChange(scope, change)))
      await scope.transaction((tx) => reportChange(tx, change))
    const reported = (await readChange(scope, change))!
    const redact = complianceChanges['shop-redact']({ ...parts, clock, storefront: { hasAccess } })
    return redact(scope, { ...reported, subject: change.subject }, signal)
  }

  it('deletes a shop that is uninstalled, and keeps one that was installed again', async () => {
    const shop = await newShop()
    await demand(shop, () => Promise.resolve(true))
    expect(await exists(shop)).toBe(true)
    await uninstallShop(parts, shop)
    await demand(shop, () => Promise.reject(new Error('not asked')))
    expect(await exists(shop)).toBe(false)
  })

  it('deletes a shop whose uninstallation was not reported, once the platform refuses access', async () => {
    const shop = await newShop()
    await expect(demand(shop, () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await exists(shop)).toBe(true)
    await demand(shop, () => Promise.resolve(false))
    expect(await exists(shop)).toBe(false)
  })

  it('deletes a store that is not found for a day, and keeps one that is found again', async () => {
    const shop = await newShop()
    const start = Date.now()
    const askAfter = (hours: number, answer: boolean | 'not found' = 'not found') =>
      demand(
        shop,
        () => Promise.resolve(answer),
        () => new Date(start + hours * 3600_000),
      )
    const again = (hours: number) => new Date(start + (hours + 1) * 3600_000)
    expect(await askAfter(0)).toEqual(again(0))
    // Between two answers the platform failed: the day begins again.
    await expect(
      demand(
        shop,
        () => Promise.reject(new Error('the platform is away')),
        () => new Date(start + 3600_000),
      ),
    ).rejects.toThrow('the platform is away')
    for (const hours of [2, 3, 24, 25.9]) expect(await askAfter(hours)).toEqual(again(hours))
    expect(await exists(shop)).toBe(true)
    expect(await askAfter(26)).toBeNull()
    expect(await exists(shop)).toBe(false)
    const found = await newShop()
    expect(await demand(found, () => Promise.resolve(true))).toBeNull()
    expect(await exists(found)).toBe(true)
  })
})

describe('uninstalling a shop', () => {
  it('deletes its tokens once, keeps its data, and notifies web processes and the drop server', async () => {
    const shop = await newShop()
    await furnish(shop)
    const told: string[] = []
    const client = await pool().connect()
    client.on('notification', ({ channel, payload }) => told.push(`${channel} ${payload ?? ''}`))
    await client.query('listen link_changed; listen drop_control')
    await uninstallShop(parts, shop)
    await client.query('select 1')
    expect(told).toEqual(expect.arrayContaining(['link_changed ', `drop_control shop ${shop}`]))
    await client.query('unlisten *')
    client.removeAllListeners('notification')
    client.release()
    const { shop_tokens, token_leases, files } = await countRows(shop)
    expect({ shop_tokens, token_leases, files }).toEqual({
      shop_tokens: 0,
      token_leases: 0,
      files: 1,
    })
    const at = async () =>
      (await pool().query('select uninstalled_at from shops where id = $1', [shop])).rows[0]
    const first = await at()
    expect(first.uninstalled_at).toBeInstanceOf(Date)
    await uninstallShop(parts, shop)
    expect(await at()).toEqual(first)
  })
})
