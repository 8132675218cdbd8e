import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { StagedBlob } from '../../plugins/contract/index.ts'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { soakTest } from '../../test/scale.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { admitFiles } from './admit.ts'
import { addVersion } from './admit-version.ts'
import { holdBlobs, GRACE_MS, sweepBlobs, sweepVersions } from './blobs.ts'
import { recordBackup } from './backups.ts'
import { draftFrom } from './drafts.ts'
import { recordCopy, locateVersions } from './locations.ts'
import { shopSettingsSchema } from './shop-settings.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let pool: pg.Pool
let scope: ShopScope
let shops = 0
beforeAll(async () => {
  database = await openTestDatabase()
  pool = database.pool
})
afterAll(() => database.drop())
beforeEach(async () => {
  scope = forShop(database, await createTestShop(database, `shop-${shops++}.myshopify.com`))
})

const NOW = new Date()
const after = (ms: number) => new Date(NOW.getTime() + ms)
const blob = (byte: number, location = 'primary'): StagedBlob => ({
  hash: Buffer.alloc(32, byte).toString('hex'),
  size_bytes: 10,
  location,
  content_type: null,
})
/** Admits a file; returns its id. */
async function admit(filename: string, staged: StagedBlob, into = scope): Promise<string> {
  const draft = { ...draftFrom({ filename }, shopSettingsSchema.parse({})), mappings: [] }
  const [admitted] = await into.transaction((tx) =>
    admitFiles(tx, [{ draft, staged, onConflict: 'error', channel: 'api' }], { file_bytes: 1000 }),
  )
  if (!admitted || !('fileId' in admitted)) throw new Error(JSON.stringify(admitted))
  return admitted.fileId
}
const purge = (id: string) =>
  scope.query('delete from files where shop_id = :shop and id = :id', { id })
const locations = (of = scope) =>
  of.query<{ hash: string; location: string; unneeded_since: Date | null }>(
    `select encode(hash, 'hex') as hash, location, unneeded_since from blob_locations
       where shop_id = :shop
     order by hash, location`,
  )
const blobs = () =>
  scope.query<{ hash: string }>(
    `select encode(hash, 'hex') as hash from blobs where shop_id = :shop`,
  )

describe('an unused blob', () => {
  test('is marked, kept through the grace period, and deleted after it', async () => {
    const id = await admit('a.txt', blob(1))
    expect(await sweepBlobs(pool, NOW)).toBe(0)
    expect(await locations()).toMatchObject([{ unneeded_since: null }])
    await purge(id)
    const [marked] = await locations()
    const since = (ms: number) => new Date(marked!.unneeded_since!.getTime() + ms)
    expect(await sweepBlobs(pool, since(GRACE_MS))).toBe(0)
    expect(await locations()).toEqual([marked])
    expect(await sweepBlobs(pool, since(GRACE_MS + 1))).toBe(1)
    expect(await locations()).toEqual([])
    expect(await blobs()).toEqual([])
    expect(await sweepBlobs(pool, since(2 * GRACE_MS))).toBe(0)
  })

  test('is deleted from one location and stays in another', async () => {
    await admit('a.txt', blob(2, 'backup'))
    const id = await admit('b.txt', blob(2))
    await purge(id)
    await sweepBlobs(pool, NOW)
    expect(await sweepBlobs(pool, after(2 * GRACE_MS))).toBe(1)
    expect(await locations()).toMatchObject([{ location: 'backup', unneeded_since: null }])
    expect(await blobs()).toHaveLength(1)
  })

  test('is deleted although another shop uses the same bytes', async () => {
    const other = forShop(
      database,
      await createTestShop(database, `other-${shops++}.myshopify.com`),
    )
    await admit('a.txt', blob(3), other)
    await purge(await admit('a.txt', blob(3)))
    await sweepBlobs(pool, NOW)
    expect(await sweepBlobs(pool, after(2 * GRACE_MS))).toBe(1)
    expect(await locations(other)).toHaveLength(1)
  })

  soakTest('is found among many pages', async () => {
    const { rowCount } = await pool.query(
      `with made as (
         insert into blobs (shop_id, hash, size_bytes)
         select $1, sha256(n::text::bytea), 1 from generate_series(1, 6000) n returning hash
       ) insert into blob_locations (shop_id, hash, location) select $1, hash, 'primary' from made`,
      [scope.shop],
    )
    await sweepBlobs(pool, NOW)
    expect(await sweepBlobs(pool, after(2 * GRACE_MS))).toBe(rowCount)
    expect(await blobs()).toEqual([])
  })
})

describe('a blob is kept for', () => {
  const needs: Record<string, (id: string) => Promise<unknown>> = {
    'an older version': (id) => scope.transaction((tx) => addVersion(tx, id, blob(11), null)),
    'a backup, though its file is gone': async (fileId) => {
      await recordBackup(scope, {
        fileId,
        hash: blob(11).hash,
        size_bytes: 10,
        location: 'primary',
      })
      await purge(fileId)
    },
    'a copy': async (id) => {
      const [version] = await locateVersions(scope, id)
      await recordCopy(
        scope,
        id,
        { ...version!, hash: blob(11).hash, location: 'backup' },
        'primary',
      )
    },
    'what an operation produced': async () => {
      const operation = randomUUID()
      await holdBlobs(scope, [blob(11)])
      await scope.query(
        `insert into operations (shop_id, id, kind, action, channel, workflow, requested_by, total,
           status)
         values (:shop, :operation, 'bulk', 'export-files', 'api', '{}', 'test', 0, 'success')`,
        { operation },
      )
      await scope.query(
        `insert into artifacts (shop_id, operation_id, hash, location, filename, content_type,
           size_bytes)
         values (:shop, :operation, decode(:hash, 'hex'), 'primary', 'files.csv', 'text/csv', 10)`,
        { operation, hash: blob(11).hash },
      )
    },
  }
  test.each(Object.keys(needs))('%s', async (what) => {
    const id = await admit('a.txt', blob(10))
    await needs[what]!(id)
    await sweepBlobs(pool, NOW)
    await sweepBlobs(pool, after(2 * GRACE_MS))
    expect((await locations()).filter(({ hash }) => hash === blob(11).hash)).toMatchObject([
      { unneeded_since: null },
    ])
  })
})

describe('a marked blob that is used again', () => {
  test('is unmarked by the transaction that uses it', async () => {
    await purge(await admit('a.txt', blob(20)))
    await sweepBlobs(pool, NOW)
    await admit('b.txt', blob(20))
    expect(await locations()).toMatchObject([{ unneeded_since: null }])
    expect(await sweepBlobs(pool, after(2 * GRACE_MS))).toBe(0)
  })
  test('is unmarked by the sweep, whichever time the mark has', async () => {
    await admit('a.txt', blob(21))
    await scope.query('update blob_locations set unneeded_since = :at where shop_id = :shop', {
      at: NOW,
    })
    expect(await sweepBlobs(pool, after(2 * GRACE_MS))).toBe(0)
    expect(await locations()).toMatchObject([{ unneeded_since: null }])
  })

  test('is skipped by the sweep, without waiting, while a transaction takes it', async () => {
    await purge(await admit('a.txt', blob(22)))
    await sweepBlobs(pool, NOW)
    const [held, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const taking = scope.transaction(async (tx) => {
      await holdBlobs(tx, [blob(22)])
      held.resolve()
      await mayCommit.promise
      return admit('b.txt', blob(22), tx)
    })
    await held.promise
    expect(await sweepBlobs(pool, after(2 * GRACE_MS))).toBe(0)
    mayCommit.resolve()
    const id = await taking
    expect(await locateVersions(scope, id)).toHaveLength(1)
    expect(await locations()).toMatchObject([{ unneeded_since: null }])
  })

  test('is recreated by a transaction that waited for the sweep to delete it', async () => {
    await purge(await admit('a.txt', blob(23)))
    const client = await pool.connect()
    await client.query('begin')
    await client.query('select from blobs where shop_id = $1 for update', [scope.shop])
    await client.query('delete from blob_locations where shop_id = $1', [scope.shop])
    await client.query('delete from blobs where shop_id = $1', [scope.shop])
    const taking = admit('b.txt', blob(23))
    await expect.poll(waiting).toBe(1)
    await client.query('commit')
    client.release()
    expect(await locateVersions(scope, await taking)).toHaveLength(1)
    expect(await locations()).toMatchObject([{ unneeded_since: null }])
  })
  const waiting = async () => {
    const { rows } = await pool.query(
      `select from pg_stat_activity where datname = current_database()
         and wait_event_type = 'Lock'`,
    )
    return rows.length
  }

  soakTest(
    'many transactions use and release the same few blobs during sweeps: every file has a row for its bytes',
    async () => {
      const take = async (worker: number, round: number) => {
        const id = await admit(`${worker}-${round}.txt`, blob(30 + (round % 3)))
        if (round % 4 !== 0) await purge(id)
      }
      let over = false
      const sweeping = (async () => {
        for (let n = 1; !over; n++) await sweepBlobs(pool, after(n * 2 * GRACE_MS))
      })()
      const workers = [0, 1, 2, 3].map(async (worker) => {
        for (let round = 0; round < 40; round++) await take(worker, round)
      })
      await Promise.all(workers).finally(() => (over = true))
      await sweeping
      const [counts] = await scope.query<{ files: number; whole: number }>(
        `select count(*)::int as files, count(l.hash)::int as whole
       from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
       left join blob_locations l on l.shop_id = v.shop_id and l.hash = v.hash
         and l.location = v.location
       where f.shop_id = :shop`,
      )
      expect(counts).toEqual({ files: 40, whole: 40 })
    },
  )
})

describe('a version with a limited time', () => {
  const expire = (id: string, number: number) =>
    scope.query(
      `update versions set expires_at = :at where shop_id = :shop and file_id = :id
         and number = :number`,
      {
        id,
        number,
        at: NOW,
      },
    )
  const versionsOf = (id: string) =>
    scope.query<{ number: number; expires_at: Date | null }>(
      `select number, expires_at from versions where shop_id = :shop and file_id = :id
        order by number`,
      { id },
    )
  const current = (id: string, version: number, tx = scope) =>
    tx.query('update files set version = :version where shop_id = :shop and id = :id', {
      id,
      version,
    })

  test('is deleted when its time ends, and its bytes after the grace period', async () => {
    const id = await admit('a.jpg', blob(40))
    await scope.transaction(async (tx) => current(id, await addVersion(tx, id, blob(41), null), tx))
    await expire(id, 1)
    expect(await sweepVersions(pool, NOW)).toBe(0)
    expect(await sweepVersions(pool, after(1))).toBe(1)
    expect(await versionsOf(id)).toEqual([{ number: 2, expires_at: null }])
    await sweepBlobs(pool, after(1))
    expect(await sweepBlobs(pool, after(2 * GRACE_MS))).toBe(1)
    expect(await locations()).toMatchObject([{ hash: blob(41).hash }])
  })
  test('is deleted with others in several batches', async () => {
    const id = await admit('a.jpg', blob(46))
    for (const byte of [47, 48, 49])
      await scope.transaction(async (tx) =>
        current(id, await addVersion(tx, id, blob(byte), null), tx),
      )
    for (const number of [1, 2, 3]) await expire(id, number)
    expect(await sweepVersions(pool, after(1), 1)).toBe(3)
    expect(await versionsOf(id)).toEqual([{ number: 4, expires_at: null }])
  })
  test('is kept without limit once it is restored', async () => {
    const id = await admit('a.jpg', blob(42))
    await scope.transaction((tx) => addVersion(tx, id, blob(43), null))
    await expire(id, 1)
    expect(await sweepVersions(pool, after(1))).toBe(0)
    await current(id, 2)
    expect(await sweepVersions(pool, after(GRACE_MS))).toBe(0)
    expect(await versionsOf(id)).toHaveLength(2)
  })
  test('is skipped by the sweep while it is being restored', async () => {
    const id = await admit('a.jpg', blob(44))
    await scope.transaction(async (tx) => current(id, await addVersion(tx, id, blob(45), null), tx))
    await expire(id, 1)
    await scope.transaction(async (tx) => {
      await current(id, 1, tx)
      expect(await sweepVersions(pool, after(1))).toBe(0)
    })
    expect(await sweepVersions(pool, after(1))).toBe(0)
    expect(await versionsOf(id)).toHaveLength(2)
  })
})
