// The rows that the ends of operations leave, for every way in which one ends: imports by each
// channel, bulk actions with their undo, previews that are discarded and confirmed, a cancellation
// and a retry. A change of what is called at an end changes the recorded rows.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { forShop } from '../../server/core/db/for-shop.ts'
import { toPublicId } from '../../server/core/ids.ts'
import { readTables } from '../every-table.ts'
import { openCsvApp, type CsvApp } from '../csv.ts'
import { untilEnded, untilOperation, type Answer } from '../app.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { importWays } from '../import-ways.ts'

let app: CsvApp
let origin: Origin
let worker: EngineWorker
const address = (filename: string) => `${origin.url}/bytes/100/${encodeURIComponent(filename)}`

beforeAll(async () => {
  app = await openCsvApp()
  origin = await startOrigin()
  // Every message is raised and none is sent: rows of the outbox stay as their ends wrote them.
  await app.owner.scope.query(
    `insert into webhook_endpoints (shop_id, url, secret, events)
     values (:shop, 'https://example.com/all', '', '{}'),
       (:shop, 'https://example.com/deleted', '', '{file.deleted,mapping.changed}')`,
  )
  await app.owner.scope.query(
    `insert into flow_triggers (shop_id, handle, enabled, told_at)
     values (:shop, 'import-finished', true, now())`,
  )
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await origin.close()
  await app.close()
})

/** The tables that the ends of operations write, with what tells their rows apart. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  outbox: ['key'],
  notices: ['title'],
  reviews: ['status', 'decided_by'],
  packs: ['name'],
}
/** Tables that are written meanwhile: by the chains, by sweeps, or to count. */
const OTHERS =
  /^(background_tasks|chains|file_claims|\w+_changes|blob\w*|csv_\w+|uploads|upload_\w+)$/
const UUID = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

/** The rows of all tables: one statement, because there are more tables than rows. */
let everyRow: string

async function rowsOf(): Promise<string[]> {
  const { database } = app.engine.parts
  everyRow ??= (await readTables(database.pool))
    .filter(({ name }) => !OTHERS.test(name))
    .map(
      ({ name }) =>
        `select '${name}' as name, to_jsonb(t) as row from ${name} t where t.shop_id = :shop`,
    )
    .join(' union all ')
  const found = await forShop(database, app.engine.shop).query<{
    name: string
    row: Record<string, unknown>
  }>(everyRow)
  return found.map(({ name, row }) => shown(name, row))
}

const shown = (name: string, row: Record<string, unknown>) =>
  [name, ...(WRITTEN[name] ?? []).map((column) => row[column])].join(' ').replaceAll(UUID, '…')

const countsOf = (rows: readonly string[]) => {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1)
  return counts
}

/** Does something, and returns which rows were added and removed by it. */
async function written(work: () => Promise<unknown>): Promise<string[]> {
  const before = countsOf(await rowsOf())
  await work()
  const after = countsOf(await rowsOf())
  return [...new Set([...before.keys(), ...after.keys()])]
    .flatMap((row) => {
      const change = (after.get(row) ?? 0) - (before.get(row) ?? 0)
      return change === 0 ? [] : [`${change > 0 ? '+' : ''}${change} ${row}`]
    })
    .sort()
}

const ways = importWays(() => ({ app, address }))
for (const [channel, imported] of Object.entries(ways))
  test(`an import by ${channel}`, async () => {
    expect(await written(() => imported(`${channel}.bin`))).toMatchSnapshot()
  })

test('an import with a callback, of which one file fails, and its retry', async () => {
  const files = [
    { filename: 'one.bin', url: address('one.bin') },
    { filename: 'none.bin', url: `${origin.url}/status/404/none.bin` },
  ]
  let id = ''
  const imported = () =>
    app.owner
      .call('POST', '/api/files/import', { files, callback_url: 'https://example.com/back?key=1' })
      .then(({ body }) => untilEnded(app.owner, (id = body.job_id)))
  expect(await written(imported)).toMatchSnapshot()
  const retried = async () => {
    await app.owner.call('POST', `/api/operations/${id}/retry`)
    await untilOperation(app.owner, id, 'finished_at is not null and round = 1')
  }
  expect(await written(retried)).toMatchSnapshot()
})

/** Starts a bulk action on all files, or on those in the trash. */
async function started(action: string, options: object, more: object = {}): Promise<string> {
  const { body } = await app.owner.call('POST', '/api/operations', {
    action,
    options,
    select: { filter: {} },
    ...more,
  })
  return body.id ?? expect.fail(JSON.stringify(body))
}

/** Actions on all files; those with an undo are undone. */
const ACTIONS: [action: string, options: object][] = [
  ['tag-files', { mode: 'add', tags: ['summer'] }],
  ['replace-tag', { find: 'summer', replace: 'Winter' }],
  ['merge-tag-case', {}],
  ['move-to-pack', { new_pack: 'Guides' }],
  ['rename-files', { mode: 'replace', find: '.bin', replace: '-a.bin' }],
  ['update-settings', { expiry_days: 5 }],
  ['map-products', {}],
  ['unmap-products', {}],
  ['delete-files', {}],
  ['create-links', {}],
  ['export-files', {}],
  ['zip-files', {}],
]
test.each(ACTIONS)('%s, and its undo', async (action, options) => {
  let id = ''
  const done = async () =>
    untilEnded(app.owner, (id = await started(action, options))).then((body: Answer['body']) => {
      expect(body).toMatchObject({ failed: 0 })
    })
  expect(await written(done)).toMatchSnapshot()
  const undone = async () => {
    const { status, body } = await app.owner.call('POST', `/api/operations/${id}/undo`)
    if (status === 202) await untilEnded(app.owner, body.id)
    return status
  }
  expect(await written(undone)).toMatchSnapshot()
})

test('a preview that is discarded, and one that is confirmed', async () => {
  const preview = async () => {
    const id = await started('delete-files', {}, { dry_run: true })
    await untilOperation(app.owner, id, `status = 'previewed'`)
    return id
  }
  const discarded = async () => app.owner.call('POST', `/api/operations/${await preview()}/cancel`)
  expect(await written(discarded)).toMatchSnapshot()
  const confirmed = async () => {
    const id = await preview()
    await app.owner.call('POST', `/api/operations/${id}/confirm`)
    await untilEnded(app.owner, id)
  }
  expect(await written(confirmed)).toMatchSnapshot()
})

test('a review that is accepted, and the undo, which opens it again', async () => {
  const { scope, call } = app.owner
  await scope.query(
    `insert into products (shop_id, id, title, title_key, handle, status)
     values (:shop, 'gid://shopify/Product/1', 'Guide', 'guide', 'guide', 'active')`,
  )
  const candidate = { product_id: 'gid://shopify/Product/1', variant_id: null, score: 0.9 }
  const { id: file } = await scope.one<{ id: string }>(
    'select id from files where shop_id = :shop order by id limit 1',
  )
  await scope.query(`update files set deleted_at = null where shop_id = :shop and id = :file`, {
    file,
  })
  const [review] = await scope.query<{ id: string }>(
    `insert into reviews (shop_id, file_id, candidates, score, question, replaces)
     values (:shop, :file, :candidates, 0.9, '', false) returning id`,
    { file, candidates: JSON.stringify([{ ...candidate, reason: 'Its name', method: 'sku' }]) },
  )
  let id = ''
  const accepted = async () => {
    const { body } = await call('POST', `/api/reviews/${toPublicId('review', review!.id)}/accept`, {
      product_id: candidate.product_id,
    })
    await untilEnded(app.owner, (id = body.job_id ?? expect.fail(JSON.stringify(body))))
  }
  expect(await written(accepted)).toMatchSnapshot()
  const undone = async () => {
    const { body } = await call('POST', `/api/operations/${id}/undo`)
    await untilEnded(app.owner, body.id ?? expect.fail(JSON.stringify(body)))
  }
  expect(await written(undone)).toMatchSnapshot()
})
