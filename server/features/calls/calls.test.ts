// A program behind a webhook works on the files of a workflow: called, previewed, undone, failing,
// answering late, and called again after its caller died.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openTestApp, untilEnded, untilOperation, type TestApp } from '../../../test/app.ts'
import { entries, startProgram, type Program } from '../../../test/fakes/program.ts'
import { startOrigin } from '../../../test/fakes/origin.ts'
import { fillMirror, productId } from '../../../test/mirror.ts'
import { makeFiles } from '../../../test/files.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { quarantineFiles } from '../../files/quarantine.ts'
import { queueChain } from '../../core/queue/queue.ts'
import type { EngineWorker } from '../../engine/worker.ts'

let app: TestApp
let worker: EngineWorker
let program: Program
let webhook: string
beforeAll(async () => {
  app = await openTestApp()
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})
beforeEach(async () => {
  program = await startProgram()
  const { body } = await call('POST', '/api/webhooks', {
    url: program.url,
    events: ['workflow.call'],
  })
  program.secret = body.secret
  webhook = body.id
})
afterEach(async () => {
  await call('DELETE', `/api/webhooks/${webhook}`)
  await program.close()
})

const call = (...request: Parameters<TestApp['owner']['call']>) => app.owner.call(...request)
const makeThem = async (count: number) => {
  const names = Array.from({ length: count }, (_, n) => `${randomUUID()}-${n}.pdf`)
  const ids = await makeFiles(
    app.owner.scope,
    names.map((filename) => ({ filename, tags: ['old'] })),
  )
  return ids.map((id) => toPublicId('file', id))
}
const save = async (options: object = {}, more: readonly object[] = []): Promise<string> => {
  const { status, body } = await call('POST', '/api/workflows', {
    name: randomUUID(),
    kind: 'bulk',
    steps: [{ plugin: 'call', options: { webhook, ...options } }, ...more],
  })
  expect({ status, body }).toMatchObject({ status: 201 })
  return body.id
}
const start = async (workflow: string, file_ids: readonly string[], more: object = {}) => {
  const { body } = await call('POST', '/api/operations', {
    workflow,
    select: { file_ids },
    ...more,
  })
  return body.id as string
}
const run = async (workflow: string, files: readonly string[]) =>
  untilEnded(app.owner, await start(workflow, files))
const itemsOf = async (id: string) =>
  (await call('GET', `/api/operations/${id}/items?limit=200`)).body.data as {
    status: string
    filename: string
    error: { code: string; message: string; detail?: string } | null
    warnings: { message: string }[]
    after: Record<string, unknown> | null
  }[]
const fileOf = async (id: string) => (await call('GET', `/api/files/${id}`)).body
const label = (request: Program['requests'][number]) =>
  entries(request, (_, at) => ({ change: { tags: { add: [`label-${at}`] } } }))

test('250 files are sent in three requests, and changed as it answers; an undo takes all back', async () => {
  program.answer = label
  const files = await makeThem(250)
  const operation = await run(await save(), files)
  expect(operation).toMatchObject({ status: 'success', done: 250 })
  expect(program.requests.map(({ data }) => data.files.length).sort()).toEqual([100, 100, 50])
  const [first] = program.requests.map(({ data }) => data)
  expect(first).toMatchObject({ operation_id: operation.id, dry_run: false, answer: true })
  expect(first!.files[0]).toMatchObject({
    id: files[0],
    version: 1,
    size_bytes: 100,
    tags: ['old'],
    products: [],
    settings: { visibility: 'private' },
  })
  expect(first!.files[0]).not.toHaveProperty('bytes_url')
  expect((await fileOf(files[3]!)).tags).toEqual(['old', 'label-3'])
  const undo = await call('POST', `/api/operations/${operation.id}/undo`)
  expect(await untilEnded(app.owner, undo.body.id)).toMatchObject({ status: 'success', done: 250 })
  expect((await fileOf(files[3]!)).tags).toEqual(['old'])
})

test('a change may name settings, products, a pack and a new name', async () => {
  await fillMirror(app.owner.scope, [{ title: 'Atlas' }])
  const name = `${randomUUID()}.pdf`
  program.answer = (request) =>
    entries(request, () => ({
      change: {
        set: { filename: name, expiry_days: 9, ask_for: 'email' },
        tags: { replace: ['Map'] },
        products: { add: [{ id: productId(1) }] },
        packs: { add: [{ name: 'Labelled' }] },
      },
      warnings: ['Hard to read\nin places'],
    }))
  const [file] = await makeThem(1)
  const operation = await run(await save(), [file!])
  expect(await itemsOf(operation.id)).toMatchObject([
    { status: 'done', warnings: [{ message: 'Hard to read in places' }] },
  ])
  expect(await fileOf(file!)).toMatchObject({
    filename: name,
    expiry_days: 9,
    ask_for: 'email',
    tags: ['Map'],
    pack: { name: 'Labelled' },
    mappings: [{ product_title: 'Atlas' }],
  })
})

test('a preview asks with dry_run and changes nothing; what differs after it is skipped', async () => {
  program.answer = label
  const [one, two] = await makeThem(2)
  const id = await start(await save(), [one!, two!], { dry_run: true })
  await untilOperation(app.owner, id, `status = 'previewed'`)
  expect(program.requests.map(({ data }) => data.dry_run)).toEqual([true])
  expect(await itemsOf(id)).toMatchObject([
    { after: { tags: { added: ['label-0'] } } },
    { after: { tags: { added: ['label-1'] } } },
  ])
  expect((await fileOf(one!)).tags).toEqual(['old'])
  // Once it really works, it answers something else about the second file.
  program.answer = ({ data, ...request }) =>
    entries({ data, ...request }, (_, at) => ({
      change: { tags: { add: [at === 1 && !data.dry_run ? 'other' : `label-${at}`] } },
    }))
  await call('POST', `/api/operations/${id}/confirm`)
  expect(await untilEnded(app.owner, id)).toMatchObject({ done: 1, skipped: 1 })
  expect(program.requests.map(({ data }) => data.dry_run)).toEqual([true, true, false])
  expect((await fileOf(one!)).tags).toEqual(['old', 'label-0'])
  expect((await fileOf(two!)).tags).toEqual(['old'])
})

test('each file with an invalid entry fails with the reason, and the others are changed', async () => {
  const bad: [object | null, string][] = [
    [{ change: { tag: ['x'] } }, 'change.tag: There is no field tag.'],
    [{ change: { set: { expiry_days: 'soon' } } }, 'change.set.expiry_days:'],
    [{ change: { set: { filename: 'a/b.pdf' } } }, 'cannot contain /'],
    [{ change: { deleted: true } }, 'There is no field deleted'],
    [{ change: {}, skipped: 'Both' }, 'It needs one of change, unchanged, skipped and failed'],
    [{}, 'It needs one of'],
    [{ change: { set: { ask_for: 'password' } } }, 'change.set.ask_for'],
    [null, 'It has no entry for this file, but others for keys that were not sent: stranger'],
  ]
  program.answer = ({ data: { files } }) => ({
    files: [
      ...files.flatMap(({ key }, at) => {
        if (at === bad.length)
          return [
            { key, change: {} },
            { key, change: {} },
          ]
        const entry = at < bad.length ? bad[at]![0] : { change: { tags: { add: ['good'] } } }
        return entry ? [{ key, ...entry }] : []
      }),
      { key: 'stranger', change: {} },
    ],
  })
  const files = await makeThem(bad.length + 2)
  const operation = await run(await save(), files)
  expect(operation).toMatchObject({ status: 'partial', done: 1, failed: bad.length + 1 })
  const items = await itemsOf(operation.id)
  for (const [at, text] of [...bad.map(([, part]) => part), 'several entries'].entries())
    expect(items[at]).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_answer', detail: expect.stringContaining(text) },
    })
  expect((await fileOf(files.at(-1)!)).tags).toEqual(['old', 'good'])
})

test('what it leaves, skips or refuses is said in its words', async () => {
  const results = [{ unchanged: 'Known' }, { skipped: 'No text' }, { failed: 'Too dark' }]
  program.answer = (request) => entries(request, (_, at) => results[at]!)
  const operation = await run(await save(), await makeThem(3))
  expect(operation).toMatchObject({ done: 0, skipped: 2, failed: 1 })
  expect(await itemsOf(operation.id)).toMatchObject([
    { status: 'skipped', error: { message: 'Known' } },
    { status: 'skipped', error: { message: 'No text' } },
    { status: 'failed', error: { code: 'program_refused', message: 'Too dark' } },
  ])
})

test.each([
  ['text', 'no json', 'It is not JSON'],
  ['another form', '[1]', 'This must be an object'],
  ['nested too deep', `{"files":[{"key":"a","x":${'['.repeat(200)}${']'.repeat(200)}}]}`, 'nested'],
  ['more than 4 MB', `{"files":[],"x":"${'x'.repeat(4 * 1024 * 1024)}"}`, 'It has more than 4 MB'],
])('an answer of %s fails all files of the request', async (_, body, detail) => {
  program.answer = () => (response) => response.writeHead(200).end(body)
  const operation = await run(await save(), await makeThem(2))
  expect(operation).toMatchObject({ status: 'failed', failed: 2 })
  expect((await itemsOf(operation.id))[0]!.error).toMatchObject({
    code: 'invalid_answer',
    detail: expect.stringContaining(detail),
  })
  expect(program.requests).toHaveLength(1)
})

test.each([
  [404, {}, 1, 'The address answered 404'],
  [302, { location: 'http://127.0.0.1:1/' }, 1, 'enter the one that it redirects to'],
  [503, { 'retry-after': '1' }, 3, 'The address answered 503'],
])('after %i with %j it is tried %i times', async (status, headers, tries, detail) => {
  program.answer = () => (response) => response.writeHead(status, headers).end()
  const files = await makeThem(1)
  const operation = start(await save(), files)
  // The engine's pauses between tries are seconds.
  for (let n = 1; n < tries; n++) {
    await untilOperation(
      app.owner,
      await operation,
      `exists (select from items i
      where i.operation_id = operations.id and i.status = 'pending' and i.attempt = ${n})`,
    )
    await app.owner.scope.transaction(async (tx) => {
      const id = present(parsePublicId('op', await operation), 'The operation')
      await tx.query(
        'update items set run_after = now() where shop_id = :shop and operation_id = :id',
        { id },
      )
      await queueChain(tx, id, 0)
    })
  }
  const ended = await untilEnded(app.owner, await operation)
  expect(ended).toMatchObject({ failed: 1 })
  expect((await itemsOf(ended.id))[0]!.error).toMatchObject({
    code: 'program_failed',
    detail: expect.stringContaining(detail),
  })
  expect(new Set(program.requests.map(({ id }) => id)).size).toBe(1)
  expect(program.requests).toHaveLength(tries)
})

test('a webhook that is switched off or deleted is not called', async () => {
  const workflow = await save()
  await call('PATCH', `/api/webhooks/${webhook}`, { enabled: false })
  const reason = async () =>
    (await itemsOf((await run(workflow, await makeThem(1))).id))[0]!.error?.detail
  expect(await reason()).toBe('The webhook is switched off')
  await call('DELETE', `/api/webhooks/${webhook}`)
  expect(await reason()).toContain('The webhook was deleted')
  expect(program.requests).toEqual([])
})

test('a workflow names a webhook of its shop', async () => {
  const stranger = await app.stranger('stranger.myshopify.com')
  const theirs = (await stranger.call('POST', '/api/webhooks', { url: program.url })).body.id
  const check = async (id: string) =>
    (
      await call('POST', '/api/workflows/check', {
        name: 'Label',
        kind: 'bulk',
        steps: [{ plugin: 'call', options: { webhook: id } }],
      })
    ).body.problems
  expect(await check(webhook)).toEqual([])
  for (const id of [theirs, `webhook_${'0'.repeat(32)}`])
    expect(await check(id)).toMatchObject([
      { param: 'steps[0].options.webhook', message: expect.stringContaining('no such webhook') },
    ])
})

test('the program can get the contents at a signed address, and nobody at another one', async () => {
  const addresses: string[] = []
  program.answer = (request) => {
    addresses.push(...request.data.files.map(({ bytes_url }) => String(bytes_url)))
    return entries(request, () => ({ change: { tags: { add: ['seen'] } } }))
  }
  const filename = `${randomUUID()}.txt`
  const origin = await startOrigin()
  onTestFinished(() => origin.close())
  const imports = await call('POST', '/api/workflows', {
    name: randomUUID(),
    kind: 'import',
    channel: 'api',
    steps: [
      { plugin: 'fetch-url' },
      { plugin: 'validate-file' },
      { plugin: 'call', options: { webhook, bytes: true } },
    ],
  })
  expect(imports.status).toBe(201)
  onTestFinished(async () => void (await call('DELETE', `/api/workflows/${imports.body.id}`)))
  const imported = await call('POST', '/api/files/import', {
    files: [{ filename, url: `${origin.url}/bytes/1000/${filename}` }],
  })
  const [{ file_id: file }] = imported.body.files
  expect(program.requests[0]!.data).toMatchObject({
    operation_id: expect.stringMatching(/^import_/),
    files: [{ id: null, filename, size_bytes: 1000 }],
  })
  expect((await fileOf(file)).tags).toEqual(['seen'])
  await run(await save({ bytes: true }), [file])
  expect(program.requests[1]!.data.files).toMatchObject([{ id: file, tags: ['seen'] }])
  for (const address of addresses) {
    const answer = await fetch(app.url + new URL(address).pathname)
    const own = await fetch(`${app.url}/api/files/${file}/content`, {
      headers: { authorization: `Bearer ${app.owner.key}` },
    })
    expect([answer.status, await answer.text()]).toEqual([200, await own.text()])
    expect(answer.headers.get('content-disposition')).toContain(filename)
  }
  const { pathname } = new URL(addresses[0]!)
  const [content = '', signature = ''] = pathname.split('.')
  const [, shop] = JSON.parse(Buffer.from(content.split('/').at(-1)!, 'base64url').toString())
  const other = Buffer.from(JSON.stringify([1, shop])).toString('base64url')
  for (const path of [`/call-files/${other}.${signature}`, content, '/call-files/', `${pathname}x`])
    expect((await fetch(app.url + path)).status, path).toBe(404)

  const infected = { file: present(parsePublicId('file', file), 'The file'), found: 'Eicar' }
  await app.owner.scope.transaction((tx) => quarantineFiles(tx, [infected]))
  for (const address of addresses)
    expect((await fetch(app.url + new URL(address).pathname)).status).toBe(403)
  await run(await save({ bytes: true }), [file])
  expect(addresses.at(-1)).toBe('undefined')
})

test('files that are only sent leave through the outbox, once, when they are written', async () => {
  const files = await makeThem(3)
  const tagged = { plugin: 'tag-files', options: { mode: 'add', tags: ['sent'] } }
  const workflow = await save({ answer: false }, [tagged])
  const preview = await start(workflow, files, { dry_run: true })
  await untilOperation(app.owner, preview, `status = 'previewed'`)
  const messages = async () =>
    app.owner.scope.query<{ payload: { type: string; data: Record<string, unknown> } }>(
      `select payload from outbox where shop_id = :shop and webhook_id = :webhook`,
      { webhook: parsePublicId('webhook', webhook) },
    )
  expect(await messages()).toEqual([])
  const { body } = await call('POST', `/api/operations/${preview}/confirm`)
  expect(await untilEnded(app.owner, body.id)).toMatchObject({ status: 'success', done: 3 })
  const sent = await messages()
  expect(sent).toHaveLength(1)
  expect(sent[0]!.payload).toMatchObject({
    type: 'workflow.call',
    data: { operation_id: preview, dry_run: false, answer: false },
  })
  expect(sent[0]!.payload.data.files).toMatchObject(
    files.map((id) => ({ id, tags: ['old', 'sent'] })),
  )
  expect((await itemsOf(preview))[0]!.after).toMatchObject({ posted: 1 })
})

test('an answer of 202 comes later: its files wait for it, and each is changed once', async () => {
  program.answer = () => (response) => response.writeHead(202).end()
  const files = await makeThem(3)
  const id = await start(await save(), files)
  await untilOperation(
    app.owner,
    id,
    `3 = (select count(*) from items i where i.operation_id = operations.id
       and i.status = 'pending' and i.run_after is not null)`,
  )
  const { data } = program.requests[0]!
  const { pathname } = new URL(String(data.answer_to))
  const post = (path: string, body: object) =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const answer = (...some: number[]) => ({
    files: some.map((n) => ({ key: data.files[n]!.key, change: { tags: { add: [`late-${n}`] } } })),
  })
  const wrong = await post(pathname, { files: [{ key: data.files[0]!.key, changes: {} }] })
  expect([wrong.status, await wrong.json()]).toMatchObject([
    422,
    { error: { details: [{ index: 0 }] } },
  ])
  const other = pathname.replace(/call_(.)/, (_, digit) => `call_${digit === '0' ? 1 : 0}`)
  expect((await post(other, answer(0))).status).toBe(404)
  expect((await post(pathname, { ...answer(0), more: 1 })).status).toBe(200)
  await untilOperation(app.owner, id, 'done = 1')
  expect(await (await post(pathname, answer(0, 1, 2))).json()).toEqual({ files: 2 })
  expect(await untilEnded(app.owner, id)).toMatchObject({ status: 'success', done: 3 })
  expect(await Promise.all(files.map(async (file) => (await fileOf(file)).tags))).toEqual(
    files.map((_, n) => ['old', `late-${n}`]),
  )
  expect(program.requests).toHaveLength(1)
  expect(await (await post(pathname, answer(0))).json()).toEqual({ files: 0 })
})

test('an answer that does not come within 24 hours fails the files, and a retry calls again', async () => {
  program.answer = () => (response) => response.writeHead(202).end()
  const files = await makeThem(1)
  const id = await start(await save(), files)
  await untilOperation(
    app.owner,
    id,
    `exists (select from items i where i.operation_id = operations.id and i.run_after is not null)`,
  )
  const bare = present(parsePublicId('op', id), 'The operation')
  await app.owner.scope.transaction(async (tx) => {
    await tx.query('update call_answers set expires_at = now() where shop_id = :shop')
    await tx.query(
      'update items set run_after = now() where shop_id = :shop and operation_id = :bare',
      { bare },
    )
    await queueChain(tx, bare, 0)
  })
  await untilEnded(app.owner, id)
  expect((await itemsOf(id))[0]!.error?.detail).toContain('did not within 24 hours')
  program.answer = label
  await call('POST', `/api/operations/${id}/retry`)
  await untilOperation(app.owner, id, 'done = 1')
  expect((await fileOf(files[0]!)).tags).toEqual(['old', 'label-0'])
})

test.each(['before', 'after'])(
  'files whose caller dies %s the answer are sent again with the same keys, and changed once',
  async (when) => {
    const files = await makeThem(30)
    const keys: string[][] = []
    program.answer = async (request) => {
      keys.push(request.data.files.map(({ key }) => key))
      if (keys.length > 1) return label(request)
      // As a worker leaves them that dies now. What this one does with the answer must not count.
      await app.owner.scope.transaction(async (tx) => {
        const id = present(parsePublicId('op', String(request.data.operation_id)), 'The operation')
        await tx.query(
          `with left_running as (
             update items set lease = 77 where shop_id = :shop and operation_id = :id
           ), claimed as (
             update file_claims set lease = 77 where shop_id = :shop and operation_id = :id
           )
           update chains set worker_id = :dead, lease = 77
           where shop_id = :shop and operation_id = :id and chain = 0`,
          { id, dead: randomUUID() },
        )
        await queueChain(tx, id, 0)
      })
      if (when === 'after') return label(request)
      return (response) => response.destroy()
    }
    const operation = await run(await save(), files)
    expect(operation).toMatchObject({ status: 'success', done: 30, failed: 0 })
    const [first, ...others] = keys
    // Each of them once more, in the small groups of items whose worker died.
    expect(others.flat().sort()).toEqual(first!.toSorted())
    for (const file of files)
      expect((await fileOf(file)).tags).toEqual(['old', expect.stringMatching(/^label-\d+$/)])
  },
)
