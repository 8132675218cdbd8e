// PDF documents over HTTP, with real workers: split into new files, merged in the chosen order,
// watermarked, compressed; each undone. A password for them is stored nowhere afterwards.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePublicId, toPublicId } from '../../server/core/ids.ts'
import { openTestApp, type Answer, type TestApp } from '../app.ts'
import { addFile } from '../deliveries.ts'
import {
  bomb,
  documentOf,
  encrypted,
  faultsOf,
  numberedPages,
  protectionOf,
  textsOf,
} from '../documents.ts'
import { soakTest } from '../scale.ts'

let app: TestApp
let stop: () => Promise<void>
beforeAll(async () => {
  app = await openTestApp()
  stop = (await app.engine.startWorker()).stop
})
afterAll(async () => {
  await stop()
  await app.close()
})

const call = (method: string, route: string, body?: unknown): Promise<Answer> =>
  app.owner.call(method, route, body)
const add = async (name: string, bytes: Uint8Array, given = {}) =>
  toPublicId('file', await addFile(app.engine, name, bytes, given))

interface Ended {
  id: string
  record: Answer['body']
  items: Answer['body'][]
}

/** Starts the action on these files, in this order, and waits for its end. */
async function act(
  action: string,
  file_ids: readonly string[],
  options: Record<string, unknown>,
): Promise<Ended> {
  const { status, body } = await call('POST', '/api/operations', {
    action,
    select: { file_ids },
    options,
  })
  expect([status, body.error]).toEqual([202, undefined])
  return untilEnd(body.id)
}

async function untilEnd(id: string): Promise<Ended> {
  await app.engine.untilEnd(parsePublicId('op', id)!)
  const items = (await call('GET', `/api/operations/${id}/items?limit=250`)).body.data
  return { id, record: (await call('GET', `/api/operations/${id}`)).body, items }
}

const undo = async (id: string) =>
  untilEnd((await call('POST', `/api/operations/${id}/undo`)).body.id)
const find = async (search: string): Promise<Answer['body'][]> =>
  (await call('GET', `/api/files?search=${encodeURIComponent(search)}&sort=filename`)).body.data
async function bytesOf(id: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${app.owner.key}` }
  return Buffer.from(
    await (await fetch(`${app.url}/api/files/${id}/content`, { headers })).arrayBuffer(),
  )
}

const page = (name: string) => ({ draws: `BT /F 24 Tf 20 150 Td (${name}) Tj ET` })

soakTest(
  'a split creates files like its source, in page order; an undo moves them to the trash',
  async () => {
    const settings = {
      tags: ['course', '2026'],
      expiry_days: 7,
      download_limit: 2,
      visibility: 'public' as const,
    }
    const id = await add('Course.pdf', documentOf(numberedPages(12)), settings)
    const other = await add('Course notes.txt', Buffer.from('words'))
    const { record, items, ...split } = await act('split-pdf', [id, other], { every: 5 })
    expect(record).toMatchObject({
      status: 'success',
      done: 1,
      skipped: 1,
      failed: 0,
      cannot_undo: [],
    })
    expect(items.map(({ status }) => status)).toEqual(['done', 'skipped'])
    expect(items[0].after).toMatchObject({
      created_files: ['Course-1.pdf', 'Course-2.pdf', 'Course-3.pdf'],
    })
    const parts = await find('course-')
    expect(parts.map(({ filename }) => filename)).toEqual([
      'Course-1.pdf',
      'Course-2.pdf',
      'Course-3.pdf',
    ])
    for (const part of parts) {
      expect(part).toMatchObject({
        ...settings,
        tags: expect.arrayContaining(settings.tags),
        content_type: 'application/pdf',
      })
      expect(await faultsOf(await bytesOf(part.id))).toBe('')
    }
    expect(await textsOf(await bytesOf(parts[2].id))).toEqual(['page 11', 'page 12'])
    expect(await textsOf(await bytesOf(id))).toHaveLength(12)
    expect((await undo(split.id)).record).toMatchObject({ status: 'success', failed: 0 })
    expect(await find('course-')).toEqual([])
    expect((await call('GET', '/api/files?search=course-&deleted=true')).body.data).toHaveLength(3)
    expect(await find('Course.pdf')).toHaveLength(1)
  },
)

soakTest('a damaged document in a split does not affect the others', async () => {
  const [good, bad, short] = [
    await add('Split good.pdf', documentOf(numberedPages(4))),
    await add('Split bomb.pdf', bomb()),
    await add('Split short.pdf', documentOf(numberedPages(2))),
  ]
  const { record, items } = await act('split-pdf', [good, bad, short], { ranges: ['1', '3-'] })
  expect(record).toMatchObject({ status: 'partial', done: 1, failed: 2 })
  expect(items.map(({ error }) => error?.code ?? null)).toEqual([
    null,
    'memory_limit',
    'pdf_page_out_of_range',
  ])
  expect(items[2].error.message).toBe('The document has 2 pages: there is no 3- in it')
  expect((await find('split good-')).map(({ filename }) => filename)).toEqual([
    'Split good-1.pdf',
    'Split good-2.pdf',
  ])
  expect(await find('split short-')).toEqual([])
})

soakTest('a merge keeps the chosen order, and an undo reverts it', async () => {
  const ids: string[] = []
  for (const name of ['one', 'two', 'three'])
    ids.push(await add(`Part ${name}.pdf`, documentOf([page(name)])))
  const chosen = [ids[2]!, ids[0]!, ids[1]!]
  const preview = await call('POST', '/api/operations', {
    action: 'merge-pdf',
    select: { file_ids: chosen },
    options: { filename: 'Whole' },
    dry_run: true,
  })
  expect(preview.status).toBe(202)
  const merged = await act('merge-pdf', chosen, { filename: 'Whole' })
  expect(merged.record).toMatchObject({ status: 'success', total: 3, done: 3 })
  const [whole] = await find('whole')
  expect(whole).toMatchObject({
    filename: 'Whole.pdf',
    tags: [],
    expiry_days: 60,
    download_limit: 5,
  })
  const bytes = await bytesOf(whole.id)
  expect(await faultsOf(bytes)).toBe('')
  expect(await textsOf(bytes)).toEqual(['three', 'one', 'two'])
  expect((await act('merge-pdf', chosen.toReversed(), { filename: 'Whole' })).record.status).toBe(
    'success',
  )
  expect((await find('whole')).map(({ filename }) => filename)).toEqual([
    'Whole (2).pdf',
    'Whole.pdf',
  ])
  expect((await undo(merged.id)).record).toMatchObject({ status: 'success', done: 1 })
  expect((await find('whole')).map(({ filename }) => filename)).toEqual(['Whole (2).pdf'])
  for (const id of ids) expect((await call('GET', `/api/files/${id}`)).status).toBe(200)
})

soakTest('a merge with a damaged document creates nothing, and names it', async () => {
  const [good, bad] = [
    await add('Merge good.pdf', documentOf([page('good')])),
    await add('Merge bad.pdf', Buffer.from('%PDF-1.4 and nothing more')),
  ]
  const { record } = await act('merge-pdf', [good, bad], { filename: 'Never' })
  expect(record).toMatchObject({
    status: 'failed',
    done: 0,
    stopped: {
      code: 'pdf_damaged',
      message: 'Merge bad.pdf: The document is damaged and cannot be repaired',
    },
  })
  expect(await find('never')).toEqual([])
})

soakTest(
  'a watermark and a compressed document are new versions, which an undo reverts',
  async () => {
    const wordy = documentOf(
      numberedPages(20).map(({ draws }) => ({ draws: `${draws}\n${'% words '.repeat(400)}` })),
    )
    const id = await add('Guide.pdf', wordy)
    const smaller = await act('optimize-pdf', [id], {})
    expect(smaller.record).toMatchObject({ status: 'success', done: 1 })
    expect(smaller.record.bytes_saved).toBeGreaterThan(wordy.length / 2)
    const marked = await act('watermark-pdf', [id], { text: 'For Ann', position: 'center' })
    expect(marked.record).toMatchObject({ status: 'success', done: 1 })
    const bytes = await bytesOf(id)
    expect(await faultsOf(bytes)).toBe('')
    expect(await textsOf(bytes)).toEqual(await textsOf(wordy))
    expect((await undo(marked.id)).record).toMatchObject({ status: 'success', done: 1 })
    expect((await undo(smaller.id)).record).toMatchObject({ status: 'success', done: 1 })
    expect((await bytesOf(id)).equals(wordy)).toBe(true)
  },
)

soakTest(
  'a preview changes nothing, lists what stays unchanged, and is carried out as shown',
  async () => {
    const [id, other] = [
      await add('Seen.pdf', documentOf(numberedPages(4))),
      await add('Seen.txt', Buffer.from('words')),
    ]
    const before = await bytesOf(id)
    for (const [action, options, made] of [
      ['split-pdf', { every: 2 }, ['Seen-1.pdf', 'Seen-2.pdf']],
      ['watermark-pdf', { text: 'Seen' }, []],
    ] as const) {
      const select = { file_ids: [id, other] }
      const { body } = await call('POST', '/api/operations', {
        action,
        select,
        options,
        dry_run: true,
      })
      const previewed = await untilPreviewed(body.id)
      expect(previewed.items.map(({ status }) => status)).toEqual(['done', 'skipped'])
      expect(previewed.record).toMatchObject({ status: 'previewed' })
      expect(await find('seen-')).toEqual([])
      expect((await bytesOf(id)).equals(before)).toBe(true)
      expect((await call('POST', `/api/operations/${body.id}/confirm`)).status).toBe(200)
      expect((await untilEnd(body.id)).record).toMatchObject({
        status: 'success',
        done: 1,
        skipped: 1,
      })
      expect((await find('seen-')).map(({ filename }) => filename)).toEqual(made)
      await undo(body.id)
    }
  },
)

async function untilPreviewed(id: string): Promise<Ended> {
  while ((await call('GET', `/api/operations/${id}`)).body.status === 'previewing')
    await new Promise((resolve) => setTimeout(resolve, 50))
  const items = (await call('GET', `/api/operations/${id}/items?limit=250`)).body.data
  return { id, record: (await call('GET', `/api/operations/${id}`)).body, items }
}

describe('a password', () => {
  const CANARY = 'canary-7f3a-of-a-password'

  test('opens documents, and is found nowhere afterwards: neither in the database nor in any response', async () => {
    const id = await add(
      'Closed.pdf',
      await encrypted(documentOf(numberedPages(4)), CANARY, 'owner'),
    )
    const {
      id: operation,
      record,
      items,
    } = await act('split-pdf', [id], { every: 2, password: CANARY })
    expect(record).toMatchObject({ status: 'success', done: 1 })
    const [part] = await find('closed-')
    expect(await protectionOf(await bytesOf(part.id), CANARY)).not.toBe('')
    const said = [
      record,
      items,
      ...(await Promise.all(
        ['log.csv', 'log.json'].map(
          async (log) => (await call('GET', `/api/operations/${operation}/${log}`)).body,
        ),
      )),
    ]
    expect(JSON.stringify(said)).not.toContain(CANARY)
    expect(await tablesWith(CANARY)).toEqual([])
    // Checks the search itself: it finds text that exists.
    expect(await tablesWith('Closed-1.pdf')).toContain('public.files')
  })
  soakTest('is still available when failed files are retried', async () => {
    const id = await add(
      'Again.pdf',
      await encrypted(documentOf(numberedPages(2)), CANARY, 'owner'),
    )
    const first = await act('watermark-pdf', [id], { text: 'a', password: 'wrong' })
    expect(first.items[0].error).toMatchObject({
      code: 'pdf_encrypted',
      message: 'The password does not open this document',
    })
    const second = await act('merge-pdf', [id, id, await add('Open.pdf', documentOf([{}]))], {
      password: CANARY,
    })
    expect(second.record.status).toBe('success')
    await call('POST', `/api/operations/${first.id}/retry`)
    expect((await untilEnd(first.id)).items[0].error.message).toBe(
      'The password does not open this document',
    )
  })
  test('cannot be stored in a workflow or a schedule', async () => {
    const message = 'This is not stored: it can only be given when the action is started manually'
    const workflow = await call('POST', '/api/workflows', {
      name: 'Marked',
      kind: 'bulk',
      steps: [{ plugin: 'watermark-pdf', options: { text: 'a', password: CANARY } }],
    })
    expect(workflow).toMatchObject({
      status: 422,
      body: { error: { details: [{ param: 'steps[0].options.password', message }] } },
    })
    const schedule = await call('POST', '/api/schedules', {
      name: 'Nightly',
      cron: '0 3 * * *',
      action: 'optimize-pdf',
      options: { password: CANARY },
    })
    expect(schedule).toMatchObject({
      status: 422,
      body: { error: { details: [{ param: 'options.password', message }] } },
    })
    expect(JSON.stringify([workflow.body, schedule.body])).not.toContain(CANARY)
  })
})

/** Every table with the text in any column of a row. */
async function tablesWith(text: string): Promise<string[]> {
  const { pool } = app.engine.parts.database
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const found: string[] = []
  for (const { name } of rows) {
    const { rowCount } = await pool.query(
      `select 1 from ${name} t where strpos(t::text, $1) > 0 limit 1`,
      [text],
    )
    if (rowCount) found.push(name)
  }
  return found
}
