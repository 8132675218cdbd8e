// Operations over HTTP: start, preview, lifecycle, history, and isolation between shops.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import Papa from 'papaparse'
import {
  openTestApp,
  untilEnded,
  type Answer,
  type Client,
  type TestApp,
} from '../../../test/app.ts'
import { makeFiles, type MadeFile } from '../../../test/files.ts'
import type { EngineWorker } from '../../engine/worker.ts'
import { workflowOf } from '../../../test/engine.ts'
import type { OperationRow } from '../../engine/types.ts'
import { requirePublicId, toPublicId } from '../../core/ids.ts'
import type { Scope } from '../../http/endpoint.ts'
import { importAnswer } from '../api/routes.ts'

let app: TestApp
let owner: Client
let worker: EngineWorker | null = null
beforeAll(async () => {
  app = await openTestApp()
  owner = app.owner
})
afterAll(() => app.close())

const work = async () => void (worker = await app.engine.startWorker())
const rest = async () => {
  await worker?.stop()
  worker = null
}
afterEach(rest)

let batch = ''
let batches = 0
/** Each test has its own files, whose names begin with its batch. */
beforeEach(() => void (batch = `batch-${batches++}-`))
const filesOf = async (files: readonly MadeFile[], client = owner) =>
  (
    await makeFiles(
      client.scope,
      files.map((file) => ({ ...file, filename: batch + file.filename })),
    )
  ).map((id) => toPublicId('file', id))
const some = (count: number, client = owner) =>
  filesOf(
    Array.from({ length: count }, (_, n) => ({ filename: `${n}.pdf` })),
    client,
  )
const post = (route: string, body?: unknown, client = owner) => client.call('POST', route, body)
const TAG = { action: 'tag-files', options: { mode: 'add', tags: ['new'] } }
const start = async (body: object, client = owner): Promise<Answer['body']> => {
  const answer = await post('/api/operations', { ...TAG, ...body }, client)
  expect([answer.status, answer.body.error]).toEqual([202, undefined])
  expect(answer.headers.get('location')).toBe(`/api/operations/${answer.body.id}`)
  return answer.body
}
const done = async (body: object) => {
  const { id } = await start(body)
  await work()
  const record = await untilEnded(owner, id)
  await rest()
  return record
}
const mine = () => ({ filter: { search: batch } })
const itemsOf = async (id: string, query = '') =>
  (await owner.call('GET', `/api/operations/${id}/items${query}`)).body.data
const read = async (id: string) => (await owner.call('GET', `/api/operations/${id}`)).body
const untilPreviewed = (id: string) =>
  expect.poll(() => read(id)).toMatchObject({ status: 'previewed' })

describe('starting', () => {
  it('runs on the named files, in order', async () => {
    const ids = await some(3)
    const record = await done({ select: { file_ids: ids.toReversed() } })
    expect(record).toMatchObject({
      kind: 'bulk',
      action: 'tag-files',
      channel: 'api',
      workflow: 'tag-files',
      workflow_title: 'Tag files',
      status: 'success',
      source: { type: 'files', count: 3 },
      requested_by: 'test',
      preview: false,
      total: 3,
      done: 3,
      errors: 0,
      percentage: 100,
      remaining_seconds: 0,
      cannot_undo: [],
      actions: ['undo'],
      undo_until: expect.any(String),
    })
    expect((await itemsOf(record.id)).map(({ file_id }: { file_id: string }) => file_id)).toEqual(
      ids.toReversed(),
    )
  })

  soakTest('give-files may name its files or their product in its options', async () => {
    const [plain, mapped] = await filesOf([
      { filename: 'gift.pdf' },
      { filename: 'sold.pdf', mapped: true },
    ])
    const { products } = (await owner.call('GET', `/api/files/${mapped!}`)).body
    const give = (body: object) => post('/api/operations', { action: 'give-files', ...body })
    const chosen = async (options: object) => {
      const { status, body } = await give({ options, dry_run: true })
      expect(status).toBe(202)
      await work()
      await untilPreviewed(body.id)
      await rest()
      return (await itemsOf(body.id)).map(({ file_id }: { file_id: string }) => file_id)
    }
    expect(await chosen({ file_ids: [plain, mapped] })).toEqual([plain, mapped])
    expect(await chosen({ product_id: products[0], email: false })).toContain(mapped)
    expect(await chosen({ product_id: products[0] })).not.toContain(plain)
    const wrong = await give({ options: { file_ids: ['x'] } })
    expect([wrong.status, wrong.body.error.param]).toEqual([422, 'options.file_ids'])
    for (const [params, body] of [
      [['select'], {}],
      [['select'], { options: { product_id: null } }],
      [
        ['select', 'options.product_id', 'options.tags'],
        { action: 'tag-files', options: { product_id: 'x' } },
      ],
    ] as const) {
      const { details } = (await give(body)).body.error
      expect(details.map(({ param }: { param: string }) => param)).toEqual(params)
      expect(details[0]).toMatchObject({ code: 'required' })
    }
  })

  it('runs on what a filter selects when it starts, and not on later files', async () => {
    await filesOf([
      { filename: 'a.pdf' },
      { filename: 'b.zip' },
      { filename: 'c.pdf', mapped: true },
    ])
    const { id } = await start({
      select: { filter: { search: batch, type: 'pdf', mapped: 'false' } },
    })
    await filesOf([{ filename: 'later.pdf' }])
    await work()
    expect(await untilEnded(owner, id)).toMatchObject({
      total: 1,
      done: 1,
      source: { type: 'filter', filter: { type: ['pdf'], mapped: false } },
    })
  })

  soakTest('with a filter that selects nothing creates an operation without files', async () => {
    expect(await done({ select: mine() })).toMatchObject({
      status: 'success',
      total: 0,
      percentage: 100,
      actions: [],
    })
  })

  soakTest('restores the files that the filter finds in the trash, and purges them', async () => {
    const ids = await some(3)
    await done({ action: 'delete-files', options: {}, select: { file_ids: ids.slice(0, 2) } })
    const restored = await done({ action: 'restore-files', options: {}, select: mine() })
    expect(restored).toMatchObject({ total: 2, done: 2, source: { filter: { deleted: true } } })
    await done({ action: 'delete-files', options: {}, select: { file_ids: [ids[0]] } })
    const purged = await done({ action: 'purge-files', options: {}, select: mine() })
    expect(purged).toMatchObject({
      total: 1,
      done: 1,
      cannot_undo: ['Delete permanently'],
      actions: [],
      undo_until: null,
    })
    expect((await itemsOf(purged.id))[0]).toMatchObject({
      filename: `${batch}0.pdf`,
      after: { purged: true },
    })
  })

  it.each<[string, object, [string, string][]]>([
    ['neither action nor workflow', { action: undefined }, [['action', 'either an action']]],
    ['both', { workflow: 'tag-files' }, [['action', 'either an action']]],
    ['an action that is not there', { action: 'fly' }, [['action', 'There is no action fly']]],
    [
      'a plugin that is no action',
      { action: 'fetch-url', options: {} },
      [['action', 'There is no action fetch-url']],
    ],
    [
      'an import',
      { action: undefined, options: {}, workflow: 'import-api' },
      [['workflow', 'imports files']],
    ],
    [
      'a workflow that is not there',
      { action: undefined, options: {}, workflow: 'workflow_1' },
      [['workflow', 'no workflow']],
    ],
    [
      'options of nothing',
      { options: { colour: 'red', mode: 'paint' } },
      [
        ['options.tags', ''],
        ['options.mode', ''],
        ['options.colour', ''],
      ],
    ],
    [
      'a wrong option deep inside',
      { action: 'tag-by-rule', options: { rules: [{ when: { type: 3 }, tags: [] }] } },
      [
        ['options.rules[0].when.type', ''],
        ['options.rules[0].tags', 'at least one'],
      ],
    ],
    [
      'everything to delete for good, without a look at it',
      { action: 'purge-files', options: {}, select: { filter: {} } },
      [['select.filter', 'This would permanently delete the whole trash: preview it first']],
    ],
    ['no files', { select: { file_ids: [] } }, [['file_ids', 'At least one']]],
    [
      'wrong ids with wrong options',
      { select: { file_ids: ['x', 'y'] }, options: { mode: 'paint', tags: ['a,b'] }, dry_run: 1 },
      [
        ['select.file_ids', 'not the id of a file'],
        ['options.mode', ''],
        ['options.tags[0]', ''],
        ['dry_run', ''],
      ],
    ],
    ['an empty selection', { select: {} }, [['select', '']]],
    [
      'a missing selection beside wrong options',
      { options: { mode: 'odd', tags: ['x'] }, select: undefined },
      [
        ['select', ''],
        ['options.mode', ''],
      ],
    ],
    [
      'an unknown workflow with options',
      { action: undefined, workflow: 'workflow_x', select: undefined },
      [
        ['workflow', 'There is no workflow'],
        ['options', 'in its steps'],
        ['select', ''],
      ],
    ],
    [
      'an unknown action beside a malformed field',
      { action: 'x', dry_run: 'maybe' },
      [
        ['action', 'There is no action'],
        ['dry_run', ''],
      ],
    ],
    ['a filter of nothing', { select: { filter: { colour: 'red' } } }, [['select', '']]],
    [
      'live files to restore',
      { action: 'restore-files', options: {}, select: { filter: { deleted: false } } },
      [['select.filter.deleted', 'only works on files in the trash']],
    ],
    [
      'the trash to tag',
      { select: { filter: { deleted: true } } },
      [['select.filter.deleted', 'does not work on files in the trash']],
    ],
  ])('%s is refused by name', async (_what, body, problems) => {
    const answer = await post('/api/operations', { ...TAG, select: mine(), ...body })
    expect([answer.status, answer.body.error?.code]).toEqual([422, 'validation_failed'])
    for (const [param, message] of problems)
      expect(answer.body.error.details).toContainEqual(
        expect.objectContaining({
          param: expect.stringContaining(param),
          message: expect.stringContaining(message),
        }),
      )
  })

  it.each([
    [undefined, 422],
    [[], 422],
    [null, 400],
    ['tag-files', 400],
  ])('the body %j is refused with %i', async (body, status) => {
    expect((await post('/api/operations', body)).status).toBe(status)
  })
})

describe('a preview', () => {
  it('lists the change of each file, changes nothing, and is carried out when confirmed', async () => {
    await filesOf([
      { filename: 'a.pdf', tags: ['old'] },
      { filename: 'b.pdf', tags: ['new'] },
    ])
    const { id } = await start({ select: mine(), dry_run: true })
    expect(await read(id)).toMatchObject({
      status: 'previewing',
      preview: true,
      foreseen: null,
      actions: ['cancel'],
    })
    await work()
    await untilPreviewed(id)
    expect(await read(id)).toMatchObject({
      done: 2,
      actions: ['cancel', 'confirm'],
      finished_at: null,
      foreseen: { changed: 1, unchanged: 1, candidates: 0 },
    })
    expect(await itemsOf(id)).toMatchObject([
      {
        status: 'done',
        before: { tags: ['old'] },
        after: { tags: { added: ['new'], removed: [] } },
      },
      { status: 'done', before: null, after: null },
    ])
    expect((await owner.call('GET', `/api/files?search=${batch}&tags=new`)).body.data).toHaveLength(
      1,
    )
    await post(`/api/operations/${id}/confirm`)
    expect(await untilEnded(owner, id)).toMatchObject({
      status: 'success',
      done: 2,
      unchanged: 1,
      preview: true,
    })
    expect((await owner.call('GET', `/api/files?search=${batch}&tags=new`)).body.data).toHaveLength(
      2,
    )
  })

  it('that is discarded has done nothing, in its counts, its items and its log', async () => {
    const gone = toPublicId('file', randomUUID())
    const { id } = await start({
      action: 'delete-files',
      options: {},
      dry_run: true,
      select: { file_ids: [gone, ...(await some(1))] },
    })
    await work()
    await untilPreviewed(id)
    await app.engine.scope.query(
      `update operations set started_at = now() - interval '1 hour',
         previewed_at = now() - interval '59 minutes'
       where shop_id = :shop and id = :id`,
      { id: requirePublicId('op', id) },
    )
    const waiting = await read(id)
    expect(waiting).toMatchObject({ done: 1, failed: 1, discarded: false, elapsed_seconds: 60 })
    await post(`/api/operations/${id}/cancel`)
    expect(await read(id)).toMatchObject({
      status: 'cancelled',
      preview: true,
      discarded: true,
      actions: [],
      elapsed_seconds: 60,
      total: 2,
      done: 0,
      failed: 0,
      skipped: 0,
      cancelled: 2,
      percentage: 0,
      finished_at: expect.any(String),
    })
    const error = {
      code: 'operation_cancelled',
      message: 'The preview was discarded: nothing was changed',
    }
    for (const item of await itemsOf(id))
      expect(item).toMatchObject({
        status: 'cancelled',
        before: null,
        after: null,
        warnings: [],
        error,
      })
    const again = await post(`/api/operations/${id}/retry`)
    expect([again.status, again.body.error.message]).toEqual([
      409,
      expect.stringContaining('preview was discarded'),
    ])
    expect(await itemsOf(id, '?status=done')).toEqual([])
    const { body } = await owner.call('GET', `/api/operations/${id}/log.csv`)
    expect(body).not.toContain('deleted')
  })

  it('skips files that have changed since, with the reason', async () => {
    const [, changed] = await some(2)
    const { id } = await start({ select: mine(), dry_run: true })
    await work()
    await untilPreviewed(id)
    await owner.call('PUT', '/api/files/bulk-update', {
      file_ids: [changed],
      updates: { tags: ['meanwhile'] },
    })
    await post(`/api/operations/${id}/confirm`)
    expect(await untilEnded(owner, id)).toMatchObject({ done: 1, skipped: 1 })
    expect(await itemsOf(id, '?status=skipped')).toMatchObject([
      { file_id: changed, error: { message: expect.stringContaining('since the preview') } },
    ])
  })

  soakTest('can be discarded', async () => {
    await some(1)
    const { id } = await start({ select: mine(), dry_run: true })
    await work()
    await untilPreviewed(id)
    const answer = await post(`/api/operations/${id}/cancel`)
    expect([answer.status, answer.body.status]).toEqual([200, 'cancelled'])
    expect((await owner.call('GET', `/api/files?search=${batch}&tags=new`)).body.data).toEqual([])
  })
})

describe('lifecycle', () => {
  it('waits while it is paused, and resumes', async () => {
    await some(2)
    const { id } = await start({ select: mine() })
    expect((await read(id)).actions).toEqual(['pause', 'cancel'])
    const paused = await post(`/api/operations/${id}/pause`)
    expect([paused.status, paused.body]).toMatchObject([
      200,
      { status: 'paused', paused_at: expect.any(String), actions: ['resume', 'cancel'] },
    ])
    await work()
    const other = await start({ select: { filter: { search: 'nothing has this name' } } })
    await untilEnded(owner, other.id)
    expect(await read(id)).toMatchObject({ status: 'paused', done: 0 })
    // A worker may have started it already.
    expect(['queued', 'running']).toContain(
      (await post(`/api/operations/${id}/resume`)).body.status,
    )
    expect(await untilEnded(owner, id)).toMatchObject({
      status: 'success',
      done: 2,
      paused_at: null,
    })
  })

  it('ends when it is cancelled; unprocessed files read as cancelled', async () => {
    await some(2)
    const { id } = await start({ select: mine() })
    const cancelled = await post(`/api/operations/${id}/cancel`)
    expect([cancelled.status, cancelled.body]).toMatchObject([
      200,
      { status: 'cancelled', cancelled: 2, percentage: 0, remaining_seconds: 0 },
    ])
    expect(await itemsOf(id)).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }])
    await work()
    expect(await untilEnded(owner, id)).toMatchObject({
      status: 'cancelled',
      done: 0,
      actions: ['retry'],
    })
    const why = {
      code: 'operation_cancelled',
      message: 'The operation was cancelled',
      retryable: true,
    }
    expect(await itemsOf(id, '?status=cancelled')).toMatchObject([{ error: why }, { error: why }])
    // A retry includes items that were not started.
    expect((await post(`/api/operations/${id}/retry`)).status).toBe(200)
    expect(await untilEnded(owner, id)).toMatchObject({ status: 'success', done: 2, cancelled: 0 })
    expect(await itemsOf(id)).toMatchObject([
      { status: 'done', error: null },
      { status: 'done', error: null },
    ])
  })

  soakTest('retries only what failed', async () => {
    const [lost, here] = await some(2)
    await done({ action: 'delete-files', options: {}, select: { file_ids: [lost] } })
    const record = await done({ select: { file_ids: [lost, here] } })
    expect(record).toMatchObject({
      status: 'partial',
      done: 1,
      failed: 1,
      errors: 1,
      actions: ['retry', 'undo'],
    })
    await done({ action: 'restore-files', options: {}, select: { file_ids: [lost] } })
    await post(`/api/operations/${record.id}/retry`)
    await work()
    expect(await untilEnded(owner, record.id)).toMatchObject({
      status: 'success',
      done: 2,
      failed: 0,
    })
  })

  soakTest(
    'a retry has its own times, and keeps what it finds then; without known files there is none',
    async () => {
      const [lost, here] = await some(2)
      await done({ action: 'delete-files', options: {}, select: { file_ids: [lost] } })
      const { id } = await done({ select: { file_ids: [lost, here] } })
      const state = (changes: string) =>
        owner.scope.query<OperationRow>(
          `update operations set ${changes} where shop_id = :shop and id = :id returning *`,
          { id: requirePublicId('op', id) },
        )
      await state(`detail = 'record'`)
      const refused = await post(`/api/operations/${id}/retry`)
      expect([refused.status, refused.body.error.message]).toEqual([
        409,
        expect.stringContaining('no longer recorded'),
      ])
      await state(
        `detail = 'results', started_at = now() - interval '3 hours', paused_ms = 3600000`,
      )
      await post(`/api/operations/${id}/retry`)
      expect((await read(id)).elapsed_seconds).toBeLessThan(600)
      // One of two items was done before, which does not show how long the other one takes.
      expect(await read(id)).toMatchObject({ percentage: 50, remaining_seconds: null })
      await post(`/api/operations/${id}/pause`)
      expect(
        await state(
          `paused_at = now() - interval '2 hours', started_at = now() - interval '2 hours'`,
        ),
      ).toMatchObject([{ detail: 'kept', ended_before: 1 }])
      expect((await post(`/api/operations/${id}/cancel`)).body.elapsed_seconds).toBeLessThan(600)
    },
  )

  it('is undone once, by a separate operation', async () => {
    const [id] = await some(1)
    const record = await done({ select: { file_ids: [id] } })
    const undo = await post(`/api/operations/${record.id}/undo`)
    expect([undo.status, undo.body]).toMatchObject([
      202,
      {
        action: 'undo',
        undoes: record.id,
        source: { type: 'operation', id: record.id },
        workflow_title: 'Undo: Tag files',
      },
    ])
    await work()
    expect(await untilEnded(owner, undo.body.id)).toMatchObject({
      status: 'success',
      done: 1,
      actions: [],
    })
    expect(await read(record.id)).toMatchObject({
      status: 'undone',
      undone_by: undo.body.id,
      undo_until: null,
      actions: [],
    })
    expect((await owner.call('GET', `/api/files/${id}`)).body.tags).toEqual([])
  })

  it.each(
    someOf(
      [
        ['pause', 'This operation has ended: it cannot be paused'],
        ['resume', 'This operation has ended: it cannot be resumed'],
        ['cancel', 'This operation has ended: it cannot be cancelled'],
        ['confirm', 'This operation has ended: it cannot be confirmed'],
        ['retry', 'No file of this operation failed'],
      ] as const,
      (_, at) => at < 1,
    ),
  )('%s of an ended one is 409 with the reason', async (move, why) => {
    await some(1)
    const { id } = await done({ select: mine() })
    const { status, body } = await post(`/api/operations/${id}/${move}`)
    expect([status, body.error.code]).toEqual([409, 'operation_state'])
    expect(body.error.message).toBe(why)
  })

  soakTest(
    'a preview, and a running, undone or empty operation cannot be undone, each with its reason',
    async () => {
      const refusal = async (id: string) => {
        const { status, body } = await post(`/api/operations/${id}/undo`)
        expect([status, body.error.code]).toEqual([409, 'operation_state'])
        return body.error.message
      }
      await some(1)
      const running = await start({ select: mine() })
      expect(await refusal(running.id)).toContain('still running')
      const preview = await start({ select: mine(), dry_run: true })
      expect(await refusal(preview.id)).toBe('This operation is a preview')
      await work()
      await untilEnded(owner, running.id)
      await post(`/api/operations/${running.id}/undo`)
      expect(await refusal(running.id)).toContain('has been undone, or is being undone')
      const empty = await start({ select: { filter: { search: 'nothing has this name' } } })
      await untilEnded(owner, empty.id)
      expect(await refusal(empty.id)).toContain('nothing about this operation')
    },
  )
})

describe('reading', () => {
  it('history: newest first, page by page, by status, action, creator, time and text', async () => {
    await some(2)
    const a = await done({ select: mine() })
    const b = await done({ action: 'update-settings', options: { cdn: false }, select: mine() })
    const ids = async (query: string) =>
      (await owner.call('GET', `/api/operations?${query}`)).body.data.map(
        ({ id }: { id: string }) => id,
      )
    expect((await ids('limit=2')).slice(0, 2)).toEqual([b.id, a.id])
    const first = await owner.call('GET', '/api/operations?limit=1')
    expect(await ids(`limit=1&cursor=${first.body.next_cursor}`)).toEqual([a.id])
    expect((await ids('action=update-settings'))[0]).toBe(b.id)
    expect((await ids('search=UPDATE set'))[0]).toBe(b.id)
    expect(await ids('status=failed')).toEqual([])
    expect(await ids('kind=import')).toEqual([])
    expect(await ids('requested_by=nobody')).toEqual([])
    expect(await ids('from=2100-01-01')).toEqual([])
    expect((await ids(`from=${a.created_at}&to=${b.created_at}`))[0]).toBe(a.id)
    // A day begins at midnight in the shop's time zone.
    const local = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Kiritimati' }).format(
      new Date(a.created_at),
    )
    await owner.call('PATCH', '/api/settings', { time_zone: 'Pacific/Kiritimati' })
    expect(await ids(`from=${local}`)).toContain(a.id)
    // Both days of a range are included.
    expect(await ids(`to=${local}`)).toContain(a.id)
    expect(await ids(`from=${local}&to=${local}`)).toContain(a.id)
    expect(await ids(`from=${local}&to=9999-12-31`)).toContain(a.id)
    const dayBefore = new Date(Date.parse(local) - 86_400_000).toISOString().slice(0, 10)
    expect(await ids(`to=${dayBefore}`)).not.toContain(a.id)
    await owner.call('PATCH', '/api/settings', { time_zone: 'Pacific/Pago_Pago' })
    expect(await ids(`from=${local}`)).not.toContain(a.id)
    await owner.call('PATCH', '/api/settings', { time_zone: 'UTC' })
    for (const query of [
      'status=odd',
      'from=then',
      'limit=0',
      'cursor=x',
      'colour=red',
      'search=%00',
    ])
      expect([query, (await owner.call('GET', `/api/operations?${query}`)).status]).toEqual([
        query,
        422,
      ])
  })

  soakTest('items: by status and by name, page by page', async () => {
    const [lost, ...kept] = await some(4)
    await done({ action: 'delete-files', options: {}, select: { file_ids: [lost] } })
    const { id } = await done({ select: { file_ids: [lost, ...kept] } })
    expect(await itemsOf(id, '?status=failed')).toMatchObject([
      { file_id: lost, error: { code: 'file_not_found' } },
    ])
    expect(await itemsOf(id, '?status=failed,done')).toHaveLength(4)
    expect(await itemsOf(id, `?search=${batch.toUpperCase()}2`)).toMatchObject([{ position: 2 }])
    expect(await itemsOf(id, '?search=%25')).toEqual([])
    const page = await owner.call('GET', `/api/operations/${id}/items?limit=3`)
    expect(page.body.data).toHaveLength(3)
    expect(await itemsOf(id, `?limit=3&cursor=${page.body.next_cursor}`)).toMatchObject([
      { position: 3 },
    ])
  })

  soakTest('items: those with a warning, and their number', async () => {
    const [warned] = await some(3)
    const { id } = await done({ select: mine() })
    await app.engine.scope.query(
      `update items set warnings = :warnings where shop_id = :shop and operation_id = :id
         and file_id = :file`,
      {
        id: requirePublicId('op', id),
        file: requirePublicId('file', warned!),
        warnings: JSON.stringify([{ code: 'sku_not_found', message: 'Product SKU not found' }]),
      },
    )
    const { body } = await owner.call('GET', `/api/operations/${id}/items?warned=true`)
    expect([body.warned, body.data]).toMatchObject([1, [{ file_id: warned }]])
    const other = await owner.call('GET', `/api/operations/${id}/items?limit=1&status=failed`)
    expect(other.body).toEqual({ data: [], next_cursor: null, warned: 1 })
    const running = await start({ select: mine() })
    expect((await owner.call('GET', `/api/operations/${running.id}/items`)).body.warned).toBeNull()
  })

  it('the log: every file, as CSV that no spreadsheet executes, and as JSON', async () => {
    const [formula] = await makeFiles(owner.scope, [
      { filename: `=${batch}sum(1,2).pdf`, tags: ['o"ne'] },
    ])
    const { id } = await done({ select: { file_ids: [toPublicId('file', formula!)] } })
    const csv = await owner.call('GET', `/api/operations/${id}/log.csv`)
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="${id}.csv"`)
    const raw = await fetch(`${app.url}/api/operations/${id}/log.csv`, {
      headers: { authorization: `Bearer ${owner.key}` },
    })
    // The byte-order mark, by which a spreadsheet recognises UTF-8; `text()` removes it.
    expect([...new Uint8Array(await raw.arrayBuffer()).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    const [row] = Papa.parse<Record<string, string>>(csv.body, {
      header: true,
      skipEmptyLines: true,
    }).data
    expect(row).toMatchObject({
      position: '0',
      filename: `'=${batch}sum(1,2).pdf`,
      status: 'done',
      error_code: '',
    })
    expect(JSON.parse(row!.before!)).toEqual({ tags: ['o"ne'] })
    const json = await owner.call('GET', `/api/operations/${id}/log.json`)
    expect(json.body).toMatchObject({
      operation: { id },
      items: [{ filename: `=${batch}sum(1,2).pdf` }],
    })
  })

  it('events: the record immediately and with every change, until the end', async () => {
    await some(2)
    const { id } = await start({ select: mine() })
    const stream = owner.call('GET', `/api/operations/${id}/events`)
    await work()
    const { headers, body } = await stream
    expect(headers.get('content-type')).toBe('text/event-stream')
    const events = [...(body as string).matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(
      ([, name, data]) => [name, JSON.parse(data!).status] as const,
    )
    // The worker may have started before the request was read.
    expect(events[0]).toEqual(['progress', expect.stringMatching(/^(queued|running)$/)])
    expect(events.at(-1)).toEqual(['end', 'success'])
  })
})

describe('permissions', () => {
  it.each<[string, string, unknown, Scope]>([
    ['GET', '/api/operations', undefined, 'operations:read'],
    ['GET', '/api/plugins', undefined, 'operations:read'],
    ['GET', '/api/channels', undefined, 'operations:read'],
    [
      'POST',
      '/api/operations',
      { ...TAG, select: { filter: { search: 'nothing has this name' } } },
      'operations:write',
    ],
  ])('%s %s needs its scope', async (method, route, body, scope) => {
    const others: Scope[] = (
      ['operations:read', 'operations:write', 'imports:write', 'settings:write'] as const
    ).filter((one) => one !== scope)
    const refused = await (
      await app.clientWith([...others, 'files:write'])
    ).call(method, route, body)
    expect([refused.status, refused.body.error.details[0].message]).toEqual([
      403,
      expect.stringContaining(scope),
    ])
    const twin = await (await app.clientWith([scope, 'files:write'])).call(method, route, body)
    expect([200, 202]).toContain(twin.status)
  })

  it.each<[string, object, Scope]>([
    ['tag-files', { tags: ['a'] }, 'files:write'],
    ['delete-files', {}, 'files:delete'],
    ['restore-files', {}, 'files:delete'],
    ['purge-files', {}, 'files:purge'],
  ])('%s also needs the scope that its plugin declares', async (action, options, scope) => {
    const body = { action, options, select: { filter: { search: 'nothing has this name' } } }
    const others = (['files:write', 'files:delete', 'files:purge'] as const).filter(
      (one) => one !== scope,
    )
    const refused = await post(
      '/api/operations',
      body,
      await app.clientWith(['operations:write', ...others]),
    )
    expect([refused.status, refused.body.error.details[0].message]).toEqual([
      403,
      expect.stringContaining(scope),
    ])
    expect(
      (await post('/api/operations', body, await app.clientWith(['operations:write', scope])))
        .status,
    ).toBe(202)
  })

  it('confirming needs the scopes of the start', async () => {
    const { id } = await start({
      action: 'delete-files',
      options: {},
      select: { file_ids: await some(1) },
      dry_run: true,
    })
    await work()
    await untilPreviewed(id)
    await rest()
    const route = `/api/operations/${id}/confirm`
    const refused = await post(
      route,
      undefined,
      await app.clientWith(['operations:write', 'files:write']),
    )
    expect([refused.status, refused.body.error.details[0].message]).toEqual([
      403,
      expect.stringContaining('files:delete'),
    ])
    const allowed = await post(
      route,
      undefined,
      await app.clientWith(['operations:write', 'files:delete']),
    )
    expect(allowed.status).toBe(200)
  })

  it('undoing needs the scopes of the operation, and of deleting what it created', async () => {
    const deletion = await done({
      action: 'delete-files',
      options: {},
      select: { file_ids: await some(1) },
    })
    const made = await app.engine.start(workflowOf('make-bytes'), [`${batch}made.txt`])
    await work()
    await app.engine.untilEnd(made)
    await rest()
    const undo = async (id: string, ...scopes: Scope[]) => {
      const client = await app.clientWith(['operations:write', ...scopes])
      const { status, body } = await post(`/api/operations/${id}/undo`, undefined, client)
      return [status, body.error?.details[0].message]
    }
    const refused = [403, expect.stringContaining('files:delete')]
    expect(await undo(deletion.id, 'files:write')).toEqual(refused)
    const undone = await undo(deletion.id, 'files:delete')
    expect(undone).toEqual([202, undefined])
    const job = toPublicId('import', made)
    expect(await undo(job, 'imports:write')).toEqual(refused)
    expect(await undo(job, 'imports:write', 'files:delete')).toEqual([202, undefined])
    // Each names the other by its public id.
    const back = (await read(job)).undone_by
    expect(await read(back)).toMatchObject({ undoes: job, source: { type: 'operation', id: job } })
    expect(
      (await owner.call('GET', '/api/operations?action=undo&limit=1')).body.data[0],
    ).toMatchObject({
      id: back,
      undoes: job,
      source: { id: job },
    })
    expect((await read((await read(back)).undoes)).id).toBe(job)
  })

  it('another shop’s operation is 404 on every route, and stays unchanged', async () => {
    const stranger = await app.stranger('stranger.myshopify.com')
    await some(1)
    const { id } = await start({ select: mine() })
    for (const route of ['', '/items', '/log.csv', '/log.json', '/events'])
      expect([route, (await stranger.call('GET', `/api/operations/${id}${route}`)).status]).toEqual(
        [route, 404],
      )
    expect((await stranger.call('GET', `/api/jobs/${id}`)).status).toBe(404)
    for (const move of ['pause', 'resume', 'cancel', 'retry', 'undo', 'confirm'])
      expect([
        move,
        (await post(`/api/operations/${id}/${move}`, undefined, stranger)).status,
      ]).toEqual([move, 404])
    expect((await stranger.call('GET', '/api/operations')).body.data).toEqual([])
    expect((await read(id)).status).toBe('queued')
    for (const route of ['', '/items', '/log.csv', '/log.json'])
      expect([route, (await owner.call('GET', `/api/operations/${id}${route}`)).status]).toEqual([
        route,
        200,
      ])
    expect((await post(`/api/operations/${id}/pause`)).status).toBe(200)
    expect((await post(`/api/operations/${id}/cancel`)).status).toBe(200)
  })

  it('files of another shop do not exist, by id or by filter', async () => {
    const stranger = await app.stranger('other.myshopify.com')
    const ids = await some(2, stranger)
    const byId = await done({ select: { file_ids: ids } })
    expect(byId).toMatchObject({ status: 'failed', failed: 2 })
    expect(await itemsOf(byId.id)).toMatchObject([
      { error: { code: 'file_not_found' }, filename: '' },
      {},
    ])
    expect(await done({ select: mine() })).toMatchObject({ total: 0 })
    expect((await stranger.call('GET', '/api/files?tags=new')).body.data).toEqual([])
  })

  it('an id under another name, or malformed, is 404', async () => {
    await some(1)
    const { id } = await start({ select: mine() })
    for (const other of [
      id.replace('op_', 'import_'),
      id.slice(0, -1),
      'op_',
      id.replace('op_', 'file_'),
    ])
      expect([other, (await owner.call('GET', `/api/operations/${other}`)).status]).toEqual([
        other,
        404,
      ])
  })
})

describe('an import', () => {
  it('that is cancelled lists each unprocessed file in the response that its client waits for', async () => {
    const { engine } = app.engine
    const id = await app.engine.start(workflowOf('make-bytes'), ['a.txt', 'b.txt'])
    await engine.move(owner.scope, id, 'cancel')
    const { body } = await importAnswer(
      engine,
      owner.scope,
      (await engine.get(owner.scope, id))!,
      null,
    )
    const error = {
      code: 'operation_cancelled',
      message: 'The operation was cancelled',
      retryable: true,
    }
    expect(body).toMatchObject({
      imported: 0,
      failed: 2,
      files: [{ status: 'failed', error }, { error }],
    })
  })
})
