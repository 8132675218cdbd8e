import { afterAll, beforeAll, expect, test } from 'vitest'
import { appConfig } from '../../../app.config.ts'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { toPublicId } from '../../core/ids.ts'
import { runEnds } from '../../engine/run-ends.ts'
import type { OperationRow } from '../../engine/types.ts'
import type { EndParts } from '../feature.ts'
import { workflowsFeature } from './feature.ts'
import { createWorkflow } from './workflows.ts'

const parts = appConfig({})
let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database, 'failing.myshopify.com'))
})
afterAll(() => database.drop())

test('a workflow fails since its first run with failed files, until a run without; previews and cancelled runs say nothing', async () => {
  const steps = [{ plugin: 'tag-files', options: { mode: 'add', tags: ['summer'] } }]
  const body = { name: 'Nightly', kind: 'bulk', parallel: 1, steps, channel: null } as const
  const { id } = await createWorkflow(scope, body, parts)
  const ends = workflowsFeature.onEnd!({} as EndParts)
  const since = async (end: 'success' | 'partial' | 'failed' | 'cancelled', status = 'running') => {
    const operation = {
      id: crypto.randomUUID(),
      kind: 'bulk',
      channel: 'admin',
      action: 'workflow',
      round: 0,
      request: {},
      undoes: null,
      continues: null,
      question: null,
      stopped: null,
      status,
      workflow: { id: toPublicId('workflow', id), steps: [] },
    } as unknown as OperationRow
    const options = { plugins: parts.plugins, ends, worked: true, status: end }
    await scope.transaction((tx) => runEnds(tx, operation, options))
    const row = await scope.one<{ failing_since: Date | null }>(
      'select failing_since from workflows where shop_id = :shop',
    )
    return row.failing_since?.getTime() ?? null
  }
  await scope.insert('webhook_endpoints', {
    url: 'https://receiver.example/hook',
    events: ['workflow.recovered'],
    secret: Buffer.from('sealed'),
  })
  expect(await since('failed', 'previewing')).toBeNull()
  const first = await since('partial')
  expect(first).not.toBeNull()
  expect(await since('failed')).toBe(first)
  expect(await since('cancelled', 'cancelled')).toBe(first)
  expect(await since('success')).toBeNull()
  expect(await since('success')).toBeNull()
  const told = await scope.query<{ payload: object }>(
    `select payload from outbox where shop_id = :shop and kind = 'webhook'`,
  )
  expect(told).toMatchObject([
    { payload: { data: { failing_since: new Date(first ?? 0).toISOString() } } },
  ])
})
