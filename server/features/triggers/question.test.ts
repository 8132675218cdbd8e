// A question between two parts of a workflow: the second part is a preview, and one answer confirms or
// discards it.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import { z } from 'zod'
import { definePlugin, PortError } from '../../../plugins/contract/index.ts'
import { openTestApp, untilEnded, type TestApp } from '../../../test/app.ts'
import { silent } from '../../../test/database.ts'
import { startOrigin } from '../../../test/fakes/origin.ts'
import { startMailFake, type MailFake } from '../../../test/fakes/smtp.ts'
import { makeFiles } from '../../../test/files.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { sweepOperations } from '../../engine/retention.ts'
import type { EngineWorker } from '../../engine/worker.ts'
import { openOutbox, type Outbox } from '../../startup/outbox.ts'
import { answerToken, personOf, readAnswerToken } from './question-link.ts'
import { answerQuestion, endQuestion } from './question.ts'
import { continueRun, waitTask } from './wait.ts'

const ANNA = 'anna@example.com'
const BEN = 'ben@example.com'
const DAY_MS = 86_400_000

/** Its plan says that it can never run. */
const broken = definePlugin({
  id: 'never-runs',
  kind: 'act',
  title: 'Never runs',
  scope: 'operation',
  options: z.strictObject({}),
  undo: 'none',
  // oxlint-disable-next-line require-yield
  async *plan() {
    throw new PortError('storage_failed', 'It never runs', false)
  },
  run: () => Promise.reject(new Error('Its plan fails')),
})

let app: TestApp
let worker: EngineWorker
let smtp: MailFake
let outbox: Outbox
beforeAll(async () => {
  app = await openTestApp({ plugins: [broken] })
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})
beforeEach(async () => {
  const { parts } = app.engine
  await parts.database.pool.query('truncate outbox cascade')
  await parts.database.pool.query('delete from rate_limits')
  for (const { id, built_in } of (await call('GET', '/api/workflows')).body.data)
    if (!built_in) await call('DELETE', `/api/workflows/${id}`)
  smtp = await startMailFake()
  outbox = openOutbox({
    database: parts.database,
    smtpUrl: smtp.url,
    twilio: null,
    from: 'files@example.com',
    baseUrl: 'https://files.example.com',
    client: { post: () => Promise.reject(new Error('no callback in this test')) },
    secrets: parts.secrets,
    operationRecord: () => Promise.resolve({}),
    clock: () => new Date(),
    log: silent,
  })
})
afterEach(async () => {
  await outbox.close()
  await smtp.close()
})

const call = (...request: Parameters<TestApp['owner']['call']>) => app.owner.call(...request)
const tag = (...tags: string[]) => ({ plugin: 'tag-files', options: { mode: 'add', tags } })
const asking = (options: object = {}) => ({ plugin: 'ask', options })
const save = async (steps: readonly object[], more: object = {}): Promise<string> => {
  const body = { name: 'Supplier', kind: 'bulk', steps, ...more }
  const answer = await call('POST', '/api/workflows', body)
  expect(answer.status).toBe(201)
  return answer.body.id
}
const files = async (count = 2) => {
  const rows = Array.from({ length: count }, () => ({ filename: `${crypto.randomUUID()}.pdf` }))
  return (await makeFiles(app.owner.scope, rows)).map((id) => toPublicId('file', id))
}
const read = async (id: string) => (await call('GET', `/api/operations/${id}`)).body
const bare = (id: string) => present(parsePublicId('op', id), 'An operation')
const tagsOf = async (file: string): Promise<string[]> =>
  (await call('GET', `/api/files/${file}`)).body.tags
const answer = (id: string, given: 'approve' | 'reject', by = app.owner) =>
  by.call('POST', `/api/operations/${id}/answer`, { answer: given })

/** The question that follows an operation, once it is asked. */
async function questionAfter(id: string) {
  const part = await untilEnded(app.owner, id)
  await continueRun(
    app.engine.engine,
    app.owner.scope,
    present(parsePublicId(['op', 'import'], id), 'The part'),
  )
  const next = present((await read(part.id)).continued_by[0] as string | undefined, 'Its question')
  await expect.poll(async () => (await read(next)).status).toBe('previewed')
  return read(next)
}
async function ask(steps: readonly object[], file_ids: readonly string[]) {
  const workflow = await save(steps)
  const { body } = await call('POST', '/api/operations', { workflow, select: { file_ids } })
  const question = await questionAfter(body.id)
  return { workflow, first: body.id as string, question, id: question.id as string }
}
/** Ends the time to answer. */
async function over(id: string): Promise<void> {
  await app.owner.scope.query(
    `update operations set continue_at = now() where shop_id = :shop and id = :id
       and continue_at is not null`,
    { id: bare(id) },
  )
  await endQuestion(app.engine.engine, app.owner.scope, bare(id))
}
/** Delivers what waits; returns the path of the link in each mail, by its recipient. */
async function links(): Promise<Map<string, string>> {
  const { pool } = app.engine.parts.database
  const { rows } = await pool.query<{ id: string }>(
    `select id from outbox where kind = 'email' and status = 'waiting' order by id`,
  )
  for (const { id } of rows) await outbox.deliver({ shop: app.engine.shop, message: id })
  return new Map(
    smtp.mails.map(({ to, raw }) => {
      const text = raw.replace(/=\r\n/g, '').replaceAll('=3D', '=')
      const [, path] =
        /https:\/\/files\.example\.com(\/(?:answers|operations)\/[\w-]+)/.exec(text) ?? []
      return [to.join(), present(path, 'The link')]
    }),
  )
}
const open = async (path: string, method = 'GET', form?: string) => {
  const response = await fetch(app.url + path, {
    method,
    ...(form === undefined
      ? {}
      : { body: form, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  })
  return { status: response.status, text: await response.text() }
}
const notices = async (id: string): Promise<string[]> =>
  (await call('GET', '/api/notices')).body.data.flatMap(
    (notice: { title: string; operation_id: string | null }) =>
      notice.operation_id === id ? [notice.title] : [],
  )

test('the next part is a preview that runs when it is approved, once, on the files that were done', async () => {
  const chosen = await files(3)
  const { first, question, id } = await ask([tag('first'), asking(), tag('second')], chosen)
  expect(question).toMatchObject({
    continues: first,
    waits: null,
    steps: [{ plugin: 'tag-files' }],
    foreseen: { changed: 3 },
    asks: { who: [], no_answer: 'remind', reminders: 0, answer: null, answered_by: null },
  })
  expect(question.actions).toEqual(['cancel'])
  const threeDays = Date.now() + 3 * DAY_MS
  expect(Math.abs(Date.parse(question.asks.until) - threeDays)).toBeLessThan(600_000)
  expect(await tagsOf(chosen[0]!)).toEqual(['first'])
  const { body: waiting } = await call('GET', '/api/operations?waiting=true')
  expect(waiting.data.map((one: { id: string }) => one.id)).toContain(id)
  expect((await call('POST', `/api/operations/${id}/confirm`)).status).toBe(409)
  const answers = await Promise.all([1, 2, 3].map(() => answer(id, 'approve')))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  const done = await untilEnded(app.owner, id)
  expect(done).toMatchObject({
    status: 'success',
    done: 3,
    asks: { until: null, answer: 'approved', answered_by: 'test' },
  })
  expect(await tagsOf(chosen[2]!)).toEqual(['first', 'second'])
  // Backwards over the parts, every field is as it was.
  for (const part of [id, first])
    await untilEnded(app.owner, (await call('POST', `/api/operations/${part}/undo`)).body.id)
  expect(await tagsOf(chosen[0]!)).toEqual([])
})

soakTest('a preview expires after a week, and a question has its own time', async () => {
  const { workflow, id } = await ask([asking({ within: 30 }), tag('late')], await files(1))
  const select = { file_ids: await files(1) }
  const { body } = await call('POST', '/api/operations', { workflow, select, dry_run: true })
  await expect.poll(async () => (await read(body.id)).status).toBe('previewed')
  await sweepOperations(app.engine.parts.database.pool, new Date(Date.now() + 8 * DAY_MS))
  expect([(await read(body.id)).status, (await read(id)).status]).toEqual([
    'cancelled',
    'previewed',
  ])
})

test('a rejection discards it, and nothing can answer it afterwards', async () => {
  const [file] = await files(1)
  const { id } = await ask([tag('a'), asking(), tag('b')], [file!])
  expect((await answer(id, 'reject')).body).toMatchObject({
    status: 'cancelled',
    discarded: true,
    asks: { until: null, answer: 'rejected' },
  })
  expect((await answer(id, 'approve')).status).toBe(409)
  expect((await call('POST', `/api/operations/${id}/retry`)).status).toBe(409)
  expect(await tagsOf(file!)).toEqual(['a'])
})

soakTest('a file that changed meanwhile is skipped', async () => {
  const [same, other] = await files()
  const steps = [asking(), { plugin: 'tag-files', options: { mode: 'replace', tags: ['new'] } }]
  const { id } = await ask(steps, [same!, other!])
  await call('PATCH', `/api/files/${other!}`, { tags: ['mine'] })
  await answer(id, 'approve')
  expect(await untilEnded(app.owner, id)).toMatchObject({ done: 1, skipped: 1 })
  expect([await tagsOf(same!), await tagsOf(other!)]).toEqual([['new'], ['mine']])
})

test.each([
  ['approve', { status: 'success', asks: { answer: 'approved', answered_by: null } }],
  ['reject', { status: 'cancelled', asks: { answer: 'rejected', answered_by: null } }],
])('without an answer: %s, once', async (no_answer, ended) => {
  const { id } = await ask([tag('x'), asking({ no_answer, within: 1 }), tag('y')], await files())
  await endQuestion(app.engine.engine, app.owner.scope, bare(id))
  expect((await read(id)).asks.answer).toBeNull()
  await Promise.all([over(id), over(id), over(id)])
  expect(await untilEnded(app.owner, id)).toMatchObject(ended)
  expect(await notices(id)).toEqual([
    'Nobody answered about “Supplier”',
    '“Supplier” waits for an answer',
  ])
})

soakTest('without an answer they are reminded five times, then it is rejected', async () => {
  const { id, question } = await ask([asking({ who: [ANNA], within: 2 }), tag('y')], await files())
  const count = async () => {
    const { n } = await app.owner.scope.one<{ n: number }>(
      `select count(*)::int as n from outbox where shop_id = :shop and kind = 'email'`,
    )
    return n
  }
  expect(await count()).toBe(1)
  await over(id)
  await endQuestion(app.engine.engine, app.owner.scope, bare(id))
  expect(await count()).toBe(2)
  const reminded = await read(id)
  expect(reminded.asks).toMatchObject({ reminders: 1, answer: null })
  expect(Date.parse(reminded.asks.until)).toBeGreaterThan(Date.parse(question.asks.until))
  for (let n = 2; n <= 5; n++) await over(id)
  expect([await count(), (await read(id)).asks]).toMatchObject([6, { reminders: 5, answer: null }])
  await over(id)
  expect(await read(id)).toMatchObject({ status: 'cancelled', asks: { answer: 'rejected' } })
})

test('each person gets one mail with a link of their own; opening it changes nothing, its button answers once', async () => {
  const chosen = await files()
  const { id } = await ask([asking({ who: [ANNA, BEN] }), tag('ok')], chosen)
  const mailed = await links()
  expect([...mailed.keys()]).toEqual([ANNA, BEN])
  const anna = present(mailed.get(ANNA), 'The link of Anna')
  const ben = present(mailed.get(BEN), 'The link of Ben')
  expect(anna).not.toBe(ben)
  const stored = await app.owner.scope.one<{ all: string }>(
    `select string_agg(payload::text || coalesce(result::text, ''), '') as all from outbox
     where shop_id = :shop`,
  )
  expect(stored.all).not.toContain(anna.slice('/answers/'.length))
  const { filename } = (await call('GET', `/api/files/${chosen[0]!}`)).body
  for (const method of ['GET', 'HEAD', 'GET']) {
    const page = await open(anna, method)
    expect(page.status).toBe(200)
    expect(page.text).toContain(method === 'GET' ? filename : '')
  }
  expect((await open(anna, 'PUT')).status).toBe(405)
  expect((await open(anna, 'POST', 'answer=maybe')).status).toBe(400)
  expect((await read(id)).asks.answer).toBeNull()
  const replies = await Promise.all([
    open(anna, 'POST', 'answer=approve'),
    open(ben, 'POST', 'answer=reject'),
    open(anna, 'POST', 'answer=approve'),
  ])
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  const { asks } = await read(id)
  const answered = asks.answer === 'approved' ? `${ANNA} has approved` : `${BEN} has rejected`
  expect(await open(ben)).toMatchObject({ status: 200, text: expect.stringContaining(answered) })
  expect(await notices(id)).toContain(
    asks.answer === 'approved' ? `${ANNA} approved “Supplier”` : `${BEN} rejected “Supplier”`,
  )
})

test('only those who are named answer, and a mail without names goes to the recipients', async () => {
  const { workflow, id } = await ask([asking({ who: [ANNA] }), tag('ok')], await files())
  expect((await answer(id, 'approve')).body.error).toMatchObject({ code: 'answer_refused' })
  expect((await answer(id, 'reject')).status).toBe(403)
  // A run can be cancelled by anyone who may cancel runs, and its link says so.
  const path = present((await links()).get(ANNA), 'The link')
  expect((await call('POST', `/api/operations/${id}/cancel`)).status).toBe(200)
  expect((await open(path)).text).toContain('was cancelled')
  expect((await open(path, 'POST', 'answer=approve')).status).toBe(409)
  await call('PATCH', '/api/settings', { recipients: [BEN] })
  await call('DELETE', `/api/workflows/${workflow}`)
  const open2 = await ask([asking(), tag('ok')], await files())
  expect((await links()).get(BEN)).toBe(`/operations/${open2.id}`)
  await call('PATCH', '/api/settings', { recipients: [] })
})

test('who started the run may not approve it if the workflow says so', async () => {
  const steps = [asking({ starter_may_approve: false }), tag('four eyes')]
  const { id } = await ask(steps, await files())
  expect((await answer(id, 'approve')).body.error).toMatchObject({ code: 'answer_refused' })
  const by = { name: 'another', asked: false }
  await answerQuestion(app.engine.engine, app.owner.scope, bare(id), { answer: 'approved', by })
  expect(await untilEnded(app.owner, id)).toMatchObject({ asks: { answered_by: 'another' } })
})

test('an approval needs the permissions of the steps', async () => {
  const { id } = await ask([asking(), { plugin: 'delete-files' }], await files())
  const limited = await app.clientWith(['operations:read', 'operations:write', 'files:write'])
  expect((await answer(id, 'approve', limited)).status).toBe(403)
  expect((await answer(id, 'reject', limited)).status).toBe(200)
})

test('forged, expired and foreign links answer nothing', async () => {
  const { id } = await ask([asking({ who: [ANNA] }), tag('ok')], await files())
  const { secrets } = app.engine.parts
  const about = {
    shop: app.engine.shop,
    operation: bare(id),
    person: personOf(ANNA),
    expires: new Date(Date.now() + DAY_MS),
  }
  const path = (change: Partial<typeof about>) =>
    `/answers/${answerToken(secrets, { ...about, ...change })}`
  const right = path({})
  const token = right.slice('/answers/'.length)
  expect(readAnswerToken(secrets, token)).toMatchObject({ ...about, expires: expect.any(Date) })
  const flipped = (at: number) =>
    right.slice(0, at) + (right[at] === 'A' ? 'B' : 'A') + right.slice(at + 1)
  for (const wrong of [
    ...[9, 20, 40, right.length - 1].map(flipped),
    `${right}A`,
    '/answers/',
    path({ person: personOf(BEN) }),
    path({ operation: crypto.randomUUID() }),
    path({ shop: app.engine.shop + 1000 }),
  ])
    expect((await open(wrong, 'POST', 'answer=approve')).status).toBe(404)
  const expired = path({ expires: new Date(Date.now() - 1000) })
  expect((await open(expired)).status).toBe(410)
  expect((await open(expired, 'POST', 'answer=approve')).status).toBe(410)
  expect((await read(id)).asks.answer).toBeNull()
  const { pool } = app.engine.parts.database
  const uninstall = (at: string) =>
    pool.query(`update shops set uninstalled_at = ${at} where id = $1`, [app.engine.shop])
  await uninstall('now()')
  expect((await open(right, 'POST', 'answer=approve')).status).toBe(404)
  await over(id)
  await uninstall('null')
  expect((await read(id)).asks).toMatchObject({ reminders: 0, answer: null })
})

test('many wrong links from one network are refused', async () => {
  for (let n = 0; n < 30; n++) expect((await open('/answers/x')).status).toBe(404)
  expect((await open('/answers/x')).status).toBe(429)
})

test('off, stop, deletion and the undo of the part before end it', async () => {
  const steps = [tag('x'), asking({ who: [ANNA] }), tag('y')]
  const ends: readonly ((workflow: string, first: string) => Promise<unknown>)[] = [
    (id) =>
      call('PUT', `/api/workflows/${id}`, {
        name: 'Supplier',
        kind: 'bulk',
        steps,
        enabled: false,
      }),
    (id) => call('POST', `/api/workflows/${id}/stop`),
    (_, first) => call('POST', `/api/operations/${first}/undo`),
    (id) => call('DELETE', `/api/workflows/${id}`),
  ]
  for (const [at, end] of someOf(ends, (_, at) => at === 0).entries()) {
    const [file] = await files(1)
    const { workflow, first, id } = await ask(steps, [file!])
    await end(workflow, first)
    expect([at, await read(id)]).toMatchObject([at, { status: 'cancelled', asks: { until: null } }])
    expect((await answer(id, 'approve')).status).toBe(409)
    await over(id)
    expect((await read(id)).asks.answer).toBeNull()
    await call('DELETE', `/api/workflows/${workflow}`)
  }
})

soakTest('a wait after an approval keeps its own time', async () => {
  const steps = [
    asking(),
    tag('a'),
    { plugin: 'wait', options: { for: 1, unit: 'minutes' } },
    tag('b'),
  ]
  const { id } = await ask(steps, await files(1))
  await answer(id, 'approve')
  expect((await untilEnded(app.owner, id)).waits).not.toBeNull()
  const { rows } = await app.engine.parts.database.pool.query<{ soon: boolean }>(
    `select run_at < now() + interval '2 minutes' as soon from graphile_worker.jobs
     where key = $1`,
    [`continue-workflows:${bare(id)}`],
  )
  expect(rows).toEqual([{ soon: true }])
})

soakTest('a retry of the part before asks about its own files', async () => {
  const { first, id } = await ask([tag('tried'), asking(), tag('after')], await files(2))
  await app.owner.scope.query(
    `with failed as (update items set status = 'failed', after = null, error = '{"code": "internal"}'
       where shop_id = :shop and operation_id = :id and position = 1)
     update operations set status = 'partial', done = done - 1, failed = failed + 1
     where shop_id = :shop and id = :id`,
    { id: bare(first) },
  )
  await answer(id, 'approve')
  await call('POST', `/api/operations/${first}/retry`)
  await untilEnded(app.owner, first)
  await continueRun(app.engine.engine, app.owner.scope, bare(first))
  const { continued_by } = await read(first)
  expect(continued_by).toHaveLength(2)
  await expect.poll(async () => (await read(continued_by[1])).status).toBe('previewed')
  expect(await read(continued_by[1])).toMatchObject({ total: 1, asks: { answer: null } })
})

soakTest('an answer that is interrupted leaves the question open', async () => {
  const { id } = await ask([asking(), tag('cut')], await files(1))
  const { engine } = app.engine
  const killed = {
    ...engine,
    move: async (...given: Parameters<typeof engine.move>) => {
      await engine.move(...given)
      throw new Error('killed')
    },
  }
  const approve = { answer: 'approved', by: { name: 'test', asked: false } } as const
  await expect(answerQuestion(killed, app.owner.scope, bare(id), approve)).rejects.toThrow('killed')
  expect(await read(id)).toMatchObject({ status: 'previewed', asks: { answer: null } })
  await answerQuestion(engine, app.owner.scope, bare(id), approve)
  expect(await untilEnded(app.owner, id)).toMatchObject({ status: 'success' })
})

soakTest('a question that cannot be previewed ends the run, and a notice says so', async () => {
  const workflow = await save([asking({ who: [ANNA] }), { plugin: 'never-runs' }])
  const select = { file_ids: await files(1) }
  const { body } = await call('POST', '/api/operations', { workflow, select })
  await untilEnded(app.owner, body.id)
  await continueRun(app.engine.engine, app.owner.scope, bare(body.id))
  const [next] = (await read(body.id)).continued_by
  expect(await untilEnded(app.owner, next)).toMatchObject({
    status: 'failed',
    asks: { until: null, answer: null },
  })
  expect(await notices(next)).toContain('“Supplier” could not ask')
  expect(await links()).toEqual(new Map())
  expect((await answer(next, 'approve')).status).toBe(409)
})

soakTest('a question whose job was lost is queued again', async () => {
  const { id, question } = await ask([asking(), tag('lost')], await files(1))
  const { engine, parts } = app.engine
  const { wanted } = waitTask({ engine, database: parts.database }, endQuestion)
  const { rows } = await parts.database.pool.query(present(wanted, 'Its jobs'))
  expect(rows).toContainEqual(
    expect.objectContaining({ key: bare(id), due_at: new Date(question.asks.until) }),
  )
})

soakTest(
  'an import asks about files that exist, and its later steps run only after the answer',
  async () => {
    const origin = await startOrigin()
    const fetched = [{ plugin: 'fetch-url' }, { plugin: 'validate-file' }]
    await save([...fetched, asking(), tag('sold')], {
      name: 'Imports',
      kind: 'import',
      channel: 'api',
    })
    const { body } = await call('POST', '/api/files/import', {
      files: [{ filename: 'asked.pdf', url: `${origin.url}/bytes/1000/asked.pdf` }],
    })
    const question = await questionAfter(body.job_id)
    await origin.close()
    const file = body.files[0].file_id
    expect(question).toMatchObject({ kind: 'bulk', continues: body.job_id, total: 1 })
    expect((await call('GET', `/api/files/${file}`)).body.products).toEqual([])
    expect(await tagsOf(file)).toEqual([])
    await answer(question.id, 'approve')
    await untilEnded(app.owner, question.id)
    expect(await tagsOf(file)).toEqual(['sold'])
  },
)
