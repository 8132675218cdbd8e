// Mails of a step whose template has a limit: those above it are not sent, and the run says so.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, untilEnded, type TestApp } from '../../test/app.ts'
import { makeFiles } from '../../test/files.ts'
import { toPublicId } from '../core/ids.ts'
import type { EngineWorker } from './worker.ts'

let app: TestApp
let worker: EngineWorker
beforeAll(async () => {
  app = await openTestApp()
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})

test('the mails of workflows are limited for a shop, and a round sends each once', async () => {
  const { call, scope } = app.owner
  const [file] = await makeFiles(scope, [{ filename: 'a.pdf' }])
  const steps = [
    { plugin: 'tag-files', options: { mode: 'add', tags: ['seen'] } },
    {
      plugin: 'send-mail',
      options: { to: ['anna@example.com'], subject: '{done} done', text: '{list}' },
    },
  ]
  const saved = await call('POST', '/api/workflows', { name: 'Tell Anna', kind: 'bulk', steps })
  expect(saved.body.error).toBeUndefined()
  const select = { file_ids: [toPublicId('file', file!)] }
  const run = async () => {
    const { body } = await call('POST', '/api/operations', { workflow: saved.body.id, select })
    return untilEnded(app.owner, body.id)
  }
  expect((await run()).warnings).toEqual([])
  const sent = () =>
    scope.query<{ payload: object }>(
      `select payload from outbox where shop_id = :shop and payload ->> 'template' = 'workflow-mail'`,
    )
  expect(await sent()).toMatchObject([
    { payload: { to: ['anna@example.com'], data: { subject: '1 done', lines: ['- a.pdf'] } } },
  ])
  await scope.query(
    `insert into outbox (shop_id, key, kind, payload, status)
     select :shop, 'earlier/' || n, 'email', '{"template": "workflow-mail"}', 'sent'
     from generate_series(1, 199) n`,
  )
  expect((await run()).warnings).toMatchObject([{ code: 'mail_limit' }])
  expect(await sent()).toHaveLength(200)
})
