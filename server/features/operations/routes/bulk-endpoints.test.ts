// The specification's two bulk endpoints, as a client calls them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestApp, untilEnded, type Client, type TestApp } from '../../../../test/app.ts'
import { workflowOf } from '../../../../test/engine.ts'
import { makeFiles, type MadeFile } from '../../../../test/files.ts'
import { sweepOperations } from '../../../engine/retention.ts'
import type { EngineWorker } from '../../../engine/worker.ts'
import { sweepTrash } from '../../../files/trash.ts'
import { toPublicId } from '../../../core/ids.ts'
import { soakDescribe, soakTest, someOf } from '../../../../test/scale.ts'

let app: TestApp
let worker: EngineWorker
let owner: Client
beforeAll(async () => {
  app = await openTestApp()
  worker = await app.engine.startWorker()
  owner = app.owner
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})

let batches = 0
/** Names are unique in a shop: each batch has its own prefix. */
beforeEach(() => void batches++)
const filesOf = async (client: Client, files: readonly MadeFile[]): Promise<string[]> =>
  (
    await makeFiles(
      client.scope,
      files.map((file) => ({ ...file, filename: `${batches}-${file.filename}` })),
    )
  ).map((id) => toPublicId('file', id))
const some = (client: Client, count: number, given: Partial<MadeFile> = {}) =>
  filesOf(
    client,
    Array.from({ length: count }, (_, n) => ({ filename: `file-${n}.pdf`, ...given })),
  )
const read = async (id: string, client = owner) =>
  (await client.call('GET', `/api/files/${id}`)).body
const update = (body: unknown, client = owner, headers = {}) =>
  client.call('PUT', '/api/files/bulk-update', body, headers)
const remove = (body: unknown, client = owner, headers = {}) =>
  client.call('POST', '/api/files/bulk-delete', body, headers)
const GONE = toPublicId('file', '01999999-9999-7999-8999-999999999999')

describe('PUT /api/files/bulk-update', () => {
  it('changes settings and tags of every file in one operation, which can be read back file by file', async () => {
    const ids = await some(owner, 3, { tags: ['old'] })
    const updates = {
      expiry_days: 30,
      download_limit: null,
      tags: ['new'],
      visibility: 'public',
      cdn: false,
      download_notification: true,
      download_tracking: false,
      allowed_referrers: ['blog.example.com'],
    }
    const { status, body } = await update({ file_ids: ids, updates })
    expect([status, body]).toEqual([
      200,
      { updated: 3, failed: 0, errors: [], job_id: expect.stringMatching(/^op_[0-9a-f]{32}$/) },
    ])
    for (const id of ids) expect(await read(id)).toMatchObject(updates)
    const job = await owner.call('GET', `/api/jobs/${body.job_id}`)
    expect(job.body).toMatchObject({
      id: body.job_id,
      status: 'success',
      total: 3,
      done: 3,
      percentage: 100,
    })
    const items = await owner.call('GET', `/api/operations/${body.job_id}/items`)
    expect(items.body.data[0]).toMatchObject({
      file_id: ids[0],
      status: 'done',
      before: { expiry_days: null, cdn: true, tags: ['old'] },
      after: { expiry_days: 30, cdn: false, tags: { added: ['new'], removed: ['old'] } },
    })
  })

  soakTest('keeps fields that are not named', async () => {
    const [id] = await some(owner, 1, { tags: ['mine'] })
    const before = await read(id!)
    await update({ file_ids: [id], updates: { download_limit: 7 } })
    const after = await read(id!)
    expect(after).toEqual({ ...before, download_limit: 7, updated_at: after.updated_at })
  })

  it('names the field of each problem, also of what links ask for', async () => {
    const [id] = await some(owner, 1)
    const { status, body } = await update({
      file_ids: [id],
      updates: { ask_for: 'password', expiry_days: 0 },
    })
    expect([status, body.error.details]).toMatchObject([
      422,
      [{ param: 'updates.expiry_days' }, { param: 'updates.password' }],
    ])
  })

  soakTest('limits views, which the preview, the history and an undo show', async () => {
    const [id] = await some(owner, 1)
    const terms = { view: 'both', view_limit: 3, view_days: 365 }
    const { body } = await update({ file_ids: [id], updates: terms })
    expect(await read(id!)).toMatchObject(terms)
    const none = { view: 'download', view_limit: null, view_days: null }
    const items = await owner.call('GET', `/api/operations/${body.job_id}/items`)
    expect(items.body.data[0]).toMatchObject({ before: none, after: terms })
    const undo = await owner.call('POST', `/api/operations/${body.job_id}/undo`)
    expect(await untilEnded(owner, undo.body.id)).toMatchObject({ status: 'success' })
    expect(await read(id!)).toMatchObject(none)
    const wrong = await update({ file_ids: [id], updates: { view_limit: 0 } })
    expect(wrong.status).toBe(422)
  })

  it.each(
    someOf(
      [
        [undefined, ['new'], ['new']],
        ['replace', [], []],
        ['add', ['new', 'a'], ['a', 'b', 'new']],
        ['remove', ['b', 'c'], ['a']],
      ] as const,
      (_, at) => at < 1,
    ),
  )('tags_mode %s', async (tags_mode, tags, left) => {
    const [id] = await some(owner, 1, { tags: ['a', 'b'] })
    await update({ file_ids: [id], updates: { tags, ...(tags_mode ? { tags_mode } : {}) } })
    expect((await read(id!)).tags).toEqual(left)
  })

  soakTest('counts failures with the reason for each file; the others are done', async () => {
    const [mine, trashed] = await some(owner, 2)
    await remove({ file_ids: [trashed] })
    const stranger = await app.stranger(`stranger-${batches}.myshopify.com`)
    const [theirs] = await some(stranger, 1)
    const { status, body } = await update({
      file_ids: [GONE, theirs, mine, trashed],
      updates: { cdn: false },
    })
    expect([status, body]).toMatchObject([
      200,
      {
        updated: 1,
        failed: 3,
        errors: [GONE, theirs, trashed].map((file_id) => ({
          file_id,
          code: 'file_not_found',
          message: 'There is no such file',
        })),
      },
    ])
    expect((await read(mine!)).cdn).toBe(false)
    expect((await read(theirs!, stranger)).cdn).toBe(true)
  })

  it('a file named twice counts once', async () => {
    const [id] = await some(owner, 1)
    expect((await update({ file_ids: [id, id], updates: { cdn: false } })).body).toMatchObject({
      updated: 1,
      failed: 0,
    })
  })

  soakTest('the same request with one Idempotency-Key is one operation', async () => {
    const ids = await some(owner, 2)
    const body = { file_ids: ids, updates: { expiry_days: 9 } }
    const answers = await Promise.all(
      [1, 2, 3].map(() => update(body, owner, { 'idempotency-key': `once-${batches}` })),
    )
    expect(new Set(answers.map((answer) => answer.body.job_id)).size).toBe(1)
    const other = await update({ ...body, updates: { cdn: true } }, owner, {
      'idempotency-key': `once-${batches}`,
    })
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_key_reused'])
  })

  it('counts a malformed id as failed, like an unknown one, and processes the others', async () => {
    const [id] = await some(owner, 1)
    const wrong = ['', 'file_1', 'op_01999999999979998999999999999999', 'x'.repeat(1000)]
    const { status, body } = await update({
      file_ids: [...wrong, id, GONE],
      updates: { cdn: false },
    })
    const error = { code: 'file_not_found', message: 'This is not the id of a file' }
    expect([status, body]).toEqual([
      200,
      {
        updated: 1,
        failed: 5,
        job_id: expect.any(String),
        errors: [
          ...['', wrong[1], wrong[2], 'x'.repeat(100)].map((file_id) => ({ file_id, ...error })),
          { file_id: GONE, code: 'file_not_found', message: 'There is no such file' },
        ],
      },
    ])
    expect((await read(id!)).cdn).toBe(false)
    const removed = await remove({ file_ids: ['nonsense'] })
    expect([removed.status, removed.body]).toEqual([
      200,
      {
        deleted: 0,
        failed: 1,
        job_id: expect.any(String),
        errors: [{ file_id: 'nonsense', ...error }],
      },
    ])
  })

  it('names every problem of a request, and changes nothing', async () => {
    const [id] = await some(owner, 1)
    const { status, body } = await update({
      file_ids: [id, 7],
      updates: {
        expiry_days: 0,
        download_limit: -1,
        tags: ['ok', 'a;b'],
        visibility: 'secret',
        cdn: 'yes',
        colour: 'red',
      },
      note: 'hello',
    })
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
    const named = body.error.details.map(({ param, code, index }: Record<string, unknown>) => [
      param,
      index,
      code,
    ])
    expect(named).toEqual(
      expect.arrayContaining([
        ['file_ids', 1, 'invalid_type'],
        ['updates.expiry_days', undefined, 'out_of_range'],
        ['updates.download_limit', undefined, 'out_of_range'],
        ['updates.tags', 1, 'invalid_tag'],
        ['updates.visibility', undefined, 'invalid_value'],
        ['updates.cdn', undefined, 'invalid_type'],
        ['updates.colour', undefined, 'unknown_field'],
        ['note', undefined, 'unknown_field'],
      ]),
    )
    expect(named).toHaveLength(8)
    expect((await read(id!)).cdn).toBe(true)
  })

  it.each<[string, unknown, string, string]>([
    ['no files', { file_ids: [], updates: { cdn: true } }, 'file_ids', 'too_few'],
    [
      'too many files',
      { file_ids: Array(10_001).fill(GONE), updates: { cdn: true } },
      'file_ids',
      'too_many',
    ],
    ['no change', { file_ids: [GONE], updates: {} }, 'updates', 'invalid_value'],
    [
      'only a mode',
      { file_ids: [GONE], updates: { tags_mode: 'add' } },
      'updates',
      'invalid_value',
    ],
    [
      'nothing to add',
      { file_ids: [GONE], updates: { tags_mode: 'add', tags: [] } },
      'updates.tags',
      'invalid_value',
    ],
    ['no updates', { file_ids: [GONE] }, 'updates', 'required'],
    [
      'half a character',
      { file_ids: [GONE], updates: { allowed_referrers: ['\ud800'] } },
      'updates.allowed_referrers',
      'invalid_value',
    ],
    [
      'a character that is none',
      { file_ids: [GONE], updates: { allowed_referrers: ['a\u0000'] } },
      'updates.allowed_referrers',
      'invalid_value',
    ],
  ])('%s is refused by name', async (_what, body, param, code) => {
    const answer = await update(body)
    expect([
      answer.status,
      answer.body.error.details?.[0]?.param,
      answer.body.error.details?.[0]?.code,
    ]).toEqual([422, param, code])
  })

  it('needs files:write', async () => {
    const [id] = await some(owner, 1)
    const body = { file_ids: [id], updates: { cdn: false } }
    const refused = await update(
      body,
      await app.clientWith(['files:read', 'files:delete', 'operations:write']),
    )
    expect([refused.status, refused.body.error.details[0].message]).toEqual([
      403,
      expect.stringContaining('files:write'),
    ])
    expect((await update(body, await app.clientWith(['files:write']))).status).toBe(200)
  })
})

describe('POST /api/files/bulk-delete', () => {
  soakTest(
    'results name files that were purged since, by hand or when their days in the trash ended',
    async () => {
      const [purged, swept] = await some(owner, 2)
      const { body } = await update({ file_ids: [purged, swept], updates: { cdn: false } })
      await remove({ file_ids: [purged], permanent: true })
      const deletion = await remove({ file_ids: [swept] })
      const { pool } = app.engine.parts.database
      await sweepTrash(pool, new Date(Date.now() + 8 * 86_400_000))
      const namesIn = async (job: string) =>
        (await owner.call('GET', `/api/operations/${job}/items`)).body.data.map(
          ({ filename }: { filename: string }) => filename,
        )
      const [first, second] = [0, 1].map((n) => `${batches}-file-${n}.pdf`)
      expect(await namesIn(body.job_id)).toEqual([first, second])
      expect(await namesIn(deletion.body.job_id)).toEqual([second])
      await sweepOperations(pool, new Date(Date.now() + 91 * 86_400_000))
      expect((await pool.query('select from purged_files')).rowCount).toBe(0)
    },
  )

  it('moves files to the trash; they keep their products', async () => {
    const ids = await some(owner, 2, { mapped: true })
    const { status, body } = await remove({ file_ids: ids })
    expect([status, body]).toMatchObject([200, { deleted: 2, failed: 0, errors: [] }])
    expect(body).not.toHaveProperty('updated')
    expect((await owner.call('GET', `/api/files/${ids[0]}`)).status).toBe(404)
    const trash = await owner.call('GET', `/api/files?deleted=true&search=${batches}-file`)
    expect(trash.body.data).toMatchObject([
      { products: [expect.anything()] },
      { products: [expect.anything()] },
    ])
    expect((await remove({ file_ids: [ids[0]] })).body).toMatchObject({
      deleted: 0,
      failed: 1,
      errors: [{ file_id: ids[0], code: 'file_not_found' }],
    })
  })

  it('with remove_mappings removes the products too; an undo restores both', async () => {
    const [id] = await some(owner, 1, { mapped: true })
    const { body } = await remove({ file_ids: [id], remove_mappings: true })
    expect(
      (await owner.call('GET', `/api/files?deleted=true&search=${batches}-file`)).body.data[0]
        .products,
    ).toEqual([])
    const undo = await owner.call('POST', `/api/operations/${body.job_id}/undo`)
    expect(undo.status).toBe(202)
    expect(await untilEnded(owner, undo.body.id)).toMatchObject({
      status: 'success',
      undoes: body.job_id,
    })
    expect((await read(id!)).products).toHaveLength(1)
  })

  soakTest(
    'with backup_first copies the bytes first, and does not delete a file whose copy fails',
    async () => {
      const [lost] = await some(owner, 1)
      const { items } = await app.engine.untilEnd(
        await app.engine.start(workflowOf('make-bytes'), [`${batches}-whole.txt`]),
      )
      const whole = toPublicId('file', items[0]!.file_id!)
      const { body } = await remove({ file_ids: [lost, whole], backup_first: true })
      expect(body).toMatchObject({ deleted: 1, failed: 1, errors: [{ file_id: lost }] })
      expect((await owner.call('GET', `/api/files/${lost}`)).status).toBe(200)
      expect((await owner.call('GET', `/api/files/${whole}`)).status).toBe(404)
      const kept = await owner.scope.query<{ filename: string }>(
        `select record ->> 'filename' as filename from backups where shop_id = :shop
         and file_id = :id`,
        { id: items[0]!.file_id },
      )
      expect(kept).toEqual([{ filename: `${batches}-whole.txt` }])
    },
  )

  soakTest('the action itself does so too, on any selection and after a preview', async () => {
    const [lost] = await some(owner, 1)
    const { items } = await app.engine.untilEnd(
      await app.engine.start(workflowOf('make-bytes'), [`${batches}-whole.txt`]),
    )
    const start = {
      action: 'delete-files',
      select: { filter: { search: `${batches}-` } },
      options: { backup_first: true },
      dry_run: true,
    }
    const { body: preview } = await owner.call('POST', '/api/operations', start)
    const at = `/api/operations/${preview.id}`
    await expect.poll(async () => (await owner.call('GET', at)).body.status).toBe('previewed')
    const copies = 'select from backups where shop_id = :shop and file_id = :id'
    expect(await owner.scope.query(copies, { id: items[0]!.file_id })).toEqual([])
    await owner.call('POST', `${at}/confirm`)
    expect(await untilEnded(owner, preview.id)).toMatchObject({
      action: 'delete-files',
      done: 1,
      failed: 1,
    })
    expect((await owner.call('GET', `/api/files/${lost}`)).status).toBe(200)
    expect(
      (await owner.call('GET', `/api/files/${toPublicId('file', items[0]!.file_id!)}`)).status,
    ).toBe(404)
    expect(await owner.scope.query(copies, { id: items[0]!.file_id })).toHaveLength(1)
  })

  it('with permanent purges files, which needs files:purge', async () => {
    const [one, two] = await some(owner, 2)
    const deleter = await app.clientWith(['files:delete', 'files:read', 'files:write'])
    const refused = await remove({ file_ids: [one], permanent: true }, deleter)
    expect([refused.status, refused.body.error.details[0].message]).toEqual([
      403,
      expect.stringContaining('files:purge'),
    ])
    expect((await owner.call('GET', `/api/files/${one}`)).status).toBe(200)
    expect((await remove({ file_ids: [one] }, deleter)).body).toMatchObject({ deleted: 1 })
    const purger = await app.clientWith(['files:delete', 'files:purge'])
    expect((await remove({ file_ids: [two], permanent: true }, purger)).body).toMatchObject({
      deleted: 1,
      failed: 0,
    })
    const left = await owner.scope.query(
      `select filename from files where shop_id = :shop and filename like :names`,
      {
        names: `${batches}-%`,
      },
    )
    expect(left).toEqual([{ filename: `${batches}-file-0.pdf` }])
  })

  it('another shop’s file does not exist', async () => {
    const stranger = await app.stranger(`stranger-${batches}.myshopify.com`)
    const [theirs] = await some(stranger, 1)
    for (const permanent of [false, true])
      expect((await remove({ file_ids: [theirs], permanent })).body).toMatchObject({
        deleted: 0,
        errors: [{ file_id: theirs, code: 'file_not_found' }],
      })
    expect((await stranger.call('GET', `/api/files/${theirs}`)).status).toBe(200)
  })

  it('names every problem of a request', async () => {
    const { status, body } = await remove({
      file_ids: [],
      backup_first: 1,
      permanent: null,
      force: true,
    })
    expect(status).toBe(422)
    expect(body.error.details.map(({ param }: { param: string }) => param).sort()).toEqual([
      'backup_first',
      'file_ids',
      'force',
      'permanent',
    ])
  })

  it('needs files:delete', async () => {
    const [id] = await some(owner, 1)
    const writer = await app.clientWith(['files:read', 'files:write', 'files:purge'])
    expect((await remove({ file_ids: [id] }, writer)).status).toBe(403)
    expect((await remove({ file_ids: [id] }, await app.clientWith(['files:delete']))).status).toBe(
      200,
    )
  })
})

soakDescribe('the background thresholds', () => {
  let slow: TestApp
  let late: EngineWorker | null = null
  beforeAll(async () => void (slow = await openTestApp({ limits: { wait_seconds: 1 } })))
  afterAll(async () => {
    await late?.stop()
    await slow.close()
  })

  it.each(
    someOf(
      [
        ['update', 500],
        ['delete', 100],
      ] as const,
      (_, at) => at === 1,
    ),
  )(
    '%s: up to %i files the client waits for the end, one more runs in the background',
    async (what, most) => {
      await late?.stop()
      const ids = await filesOf(
        slow.owner,
        Array.from({ length: 2 * most + 1 }, (_, n) => ({ filename: `${what}-${n}.pdf` })),
      )
      const send = (file_ids: readonly string[], headers = {}) =>
        what === 'update'
          ? update({ file_ids, updates: { cdn: false } }, slow.owner, headers)
          : remove({ file_ids }, slow.owner, headers)
      // No worker runs yet: the request for many files returns after a second, the other one waits.
      const small = send(ids.slice(0, most))
      const large = await send(ids.slice(most))
      expect([large.status, large.body]).toMatchObject([
        202,
        { [`${what}d`]: 0, failed: 0, errors: [] },
      ])
      expect(large.headers.get('location')).toBe(`/api/jobs/${large.body.job_id}`)
      expect(large.body).toMatchObject({ status: 'processing' })
      const hurried = await send([ids[0]!], { prefer: 'respond-async' })
      expect([hurried.status, hurried.headers.get('preference-applied')]).toEqual([
        202,
        'respond-async',
      ])
      late = await slow.engine.startWorker()
      expect((await small).body).toMatchObject({
        [`${what}d`]: expect.any(Number),
        failed: expect.any(Number),
      })
      expect((await small).status).toBe(200)
      expect(await untilEnded(slow.owner, large.body.job_id)).toMatchObject({
        status: 'success',
        done: most + 1,
      })
      await untilEnded(slow.owner, hurried.body.job_id)
    },
  )
})
