// Checks in the background: large files, workers that died or were presumed dead, stopped checks,
// and the sweep.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCsvApp, untilChecked, type CsvApp } from '../../../test/csv.ts'
import { CHECK_CSV, queueCheck } from './check-queue.ts'
import { createSkuCount } from './sku-count.ts'
import { storeProblems } from './problems.ts'
import {
  listUploads,
  MAX_KEPT,
  ROW_MODES,
  receiveCsv,
  requireUpload,
  sweepCsvUploads,
} from './uploads.ts'
import { requirePublicId, toPublicId } from '../../core/ids.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { sized, soakDescribe, soakTest } from '../../../test/scale.ts'

let app: CsvApp
beforeAll(async () => {
  app = await openCsvApp({ 'BOOK-1': 1 })
})
afterAll(() => app.close())

const uuid = (id: string) => requirePublicId('csv', id)
const header = 'filename,file_url,product_sku\n'
const set = (id: string, what: string) =>
  app.owner.scope.query(`update csv_uploads set ${what} where shop_id = :shop and id = :id`, {
    id: uuid(id),
  })
/** Sets the state after this many workers took the check one after another and were killed. */
const leftBy = (id: string, workers: number) =>
  app.owner.scope.query(
    `insert into background_tasks (task, key, shop_id, lease, worker_id, attempts)
     values (:task, :key, :shop, nextval('leases'), gen_random_uuid(), :workers)`,
    { task: CHECK_CSV.name, key: uuid(id), workers },
  )

describe('a check', () => {
  // In soak 50,000 rows, the maximum of a file.
  it('of many rows is complete, and its import has every row in order', async () => {
    const count = sized(5000, 50_000)
    const rows = Array.from(
      { length: count },
      (_, n) => `file ${n}.pdf,https://cdn.example.com/${n},${n % 1000 ? 'BOOK-1' : 'NONE'}`,
    )
    const id = await app.uploaded(header + rows.join('\n'))
    const { check } = await app.checked(id)
    expect(check).toMatchObject({
      rows: count,
      errors: 0,
      warnings: count / 1000,
      import_rows: count,
      skus: 2,
    })
    expect((await app.problems(id)).map(({ row }) => row)).toEqual(
      Array.from({ length: count / 1000 }, (_, n) => n * 1000 + 2),
    )
    const { status, body } = await app.owner.call('POST', `/api/csv/${id}/start`, {})
    expect([status, body.total]).toEqual([202, count])
    const items = await app.owner.scope.query<{ position: number; filename: string }>(
      `select position, entry ->> 'filename' as filename from items where shop_id = :shop
         order by position`,
    )
    expect(items.length).toBe(count)
    expect(items.every(({ position, filename }) => filename === `file ${position}.pdf`)).toBe(true)
  })

  it('is taken over if its worker dies, and later writes of that worker are ignored', async () => {
    const id = await app.uploaded(`${header}a.pdf,ftp://x,\n`)
    const before = await requireUpload(app.owner.scope, uuid(id))
    const options = JSON.stringify({ probe: false, on_conflict: 'error', ...ROW_MODES })
    await leftBy(id, 1)
    await set(id, `status = 'checking', round = 5, check_options = '${options}'`)
    const file = await untilChecked(app, id)
    expect(file).toMatchObject({ status: 'checked', check: { errors: 1 } })
    const zombie = {
      row: 9,
      place: 1,
      number: 1,
      column: null,
      field: null,
      severity: 'error',
      code: 'invalid_csv',
      message: 'x',
    } as const
    await storeProblems(app.owner.scope, { id: before.id, round: 5 }, [zombie])
    expect((await app.problems(id)).map(({ row }) => row)).toEqual([2])
  })

  it('fails after it has stopped its worker repeatedly', async () => {
    const id = await app.uploaded(`${header}a.pdf,https://x.example/,\n`)
    const options = JSON.stringify({ probe: false, on_conflict: 'error', ...ROW_MODES })
    await leftBy(id, 3)
    await set(id, `status = 'checking', check_options = '${options}'`)
    expect(await untilChecked(app, id)).toMatchObject({
      status: 'ready',
      failure: 'The check of this file crashed three times',
    })
  })
})

const bytesOf = async function* (text: string) {
  yield Buffer.from(text)
}
const noWorkbook = () => Promise.reject(new Error('This is no workbook'))
const received = (scope: ShopScope, name: string) =>
  receiveCsv(scope, bytesOf(`${header}a.pdf,https://x.example/,\n`), name, noWorkbook)

soakDescribe('the queue of checks', () => {
  soakTest(
    'runs one check per shop, so that slow hosts of one shop delay no other; a stopped check frees its place',
    async () => {
      const silentHost = createServer(() => {})
      await new Promise<void>((resolve) => silentHost.listen(0, '127.0.0.1', resolve))
      const slow = `${header}a.pdf,http://127.0.0.1:${(silentHost.address() as AddressInfo).port}/,\n`
      const phaseOf = async (id: string) =>
        (await app.owner.call('GET', `/api/csv/${id}`)).body.check.phase
      const untilAsking = (id: string) => expect.poll(() => phaseOf(id)).toBe('urls')
      const ids: string[] = []
      for (let n = 0; n < 6; n++) ids.push(await app.uploaded(slow))
      for (const id of ids) await app.owner.call('POST', `/api/csv/${id}/check`, {})
      await untilAsking(ids[0]!)

      const other = await app.stranger('in-a-hurry.myshopify.com')
      const theirs = await received(other.scope, 'theirs.csv')
      await queueCheck(other.scope, theirs, { probe: false, on_conflict: 'error', ...ROW_MODES })
      expect(await untilChecked({ owner: other }, toPublicId('csv', theirs))).toMatchObject({
        status: 'checked',
      })
      expect(await Promise.all(ids.map(phaseOf))).toEqual(['urls', ...Array(5).fill('waiting')])

      const stopped = await app.owner.call('POST', `/api/csv/${ids[0]}/stop`)
      expect(stopped).toMatchObject({
        status: 200,
        body: { status: 'ready', check: null, failure: null },
      })
      await untilAsking(ids[1]!)
      for (const id of ids) await app.owner.call('POST', `/api/csv/${id}/stop`)
      silentHost.closeAllConnections()
      await new Promise((resolve) => silentHost.close(resolve))
      expect(await app.checked(ids[0]!)).toMatchObject({ status: 'checked' })
    },
  )
})

describe('SKUs', () => {
  it('are counted in the mirror, and unknown ones are requested from the storefront', async () => {
    const { scope } = app.owner
    for (const n of [1, 2])
      await scope.query(
        `with p as (insert into products (shop_id, id, title, title_key, handle, status)
           values (:shop, 'p${n}', 'P', 'p', 'p${n}', 'ACTIVE') returning shop_id, id)
         insert into variants (shop_id, id, product_id, position, title, sku, sku_key)
         select shop_id, id || s, id, 0, 'V', s, lower(s)
           from p, unnest(array['Both', 'Only-${n}']) s`,
      )
    const asked: string[][] = []
    const odd = createSkuCount(scope, {
      findBySku: (skus) => {
        asked.push([...skus])
        return Promise.resolve(new Map([['New', [{ product_id: 'p9' }]]]) as never)
      },
    })
    const signal = new AbortController().signal
    expect(await odd(['Both', 'Only-1', 'only-1', 'both', 'New', 'None'], signal)).toEqual(
      new Map([
        ['Both', 2],
        ['both', 0],
        ['None', 0],
      ]),
    )
    expect(asked).toEqual([['both', 'New', 'None']])
  })
})

/** A running worker that has claimed every check of these files and never ends it. */
async function workerThatHolds(scope: ShopScope, ids: readonly string[]) {
  await scope.query(
    `with w as (insert into workers (id, pool_id, beat_at)
       values (gen_random_uuid(), 'a test', now() + interval '1 hour')
       returning id)
     insert into background_tasks (task, key, shop_id, lease, worker_id)
     select :task, key, :shop, nextval('leases'), w.id from w, unnest(:ids::text[]) key
     on conflict (task, key) do nothing`,
    { task: CHECK_CSV.name, ids },
  )
}

describe('old files', () => {
  soakTest(
    'make room for new ones: imported files first, and none that is being checked',
    async () => {
      const { scope } = await app.stranger('full.myshopify.com')
      const ids: string[] = []
      for (let n = 0; n < MAX_KEPT; n++) ids.push(await received(scope, `${n}.csv`))
      const mark = (which: readonly (string | undefined)[], what: string) =>
        scope.query(
          `update csv_uploads set ${what} where shop_id = :shop and id = any(:which::uuid[])`,
          { which },
        )
      await workerThatHolds(scope, ids)
      const checking = `status = 'checking'`
      await mark([ids[0]], checking)
      await mark([ids[2]], `status = 'started'`)
      await received(scope, 'one more.csv')
      await received(scope, 'and another.csv')
      const left = (await listUploads(scope)).map(({ filename }) => filename)
      expect(left.length).toBe(MAX_KEPT)
      expect(left.filter((name) => ['0.csv', '1.csv', '2.csv', '3.csv'].includes(name))).toEqual([
        '3.csv',
        '0.csv',
      ])
      const all = (await listUploads(scope)).map(({ id }) => id)
      await workerThatHolds(scope, all)
      await mark(all, checking)
      await expect(received(scope, 'too many.csv')).rejects.toMatchObject({ code: 'too_many' })
      expect((await listUploads(scope)).length).toBe(MAX_KEPT)
    },
  )

  it('are swept with everything that belongs to them', async () => {
    const ids = [
      await app.uploaded(`${header}a.pdf,https://x.example/,\n`),
      await app.uploaded(`${header}b.pdf,https://x.example/,\n`),
    ]
    await app.checked(ids[0]!)
    await set(ids[0]!, `created_at = now() - interval '25 hours'`)
    await set(ids[1]!, `created_at = now() - interval '23 hours'`)
    await sweepCsvUploads(app.engine.parts.database.pool)
    expect((await app.owner.call('GET', `/api/csv/${ids[0]}`)).status).toBe(404)
    expect((await app.owner.call('GET', `/api/csv/${ids[1]}`)).status).toBe(200)
    const left = await app.owner.scope.query(
      'select 1 from csv_chunks where shop_id = :shop and csv_id = :id',
      {
        id: uuid(ids[0]!),
      },
    )
    expect(left).toEqual([])
  })
})
