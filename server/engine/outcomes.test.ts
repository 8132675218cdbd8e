// The counters of an operation.
import { expect, onTestFinished, test } from 'vitest'
import { createTestEngine } from '../../test/engine.ts'
import { definePlugin, type Workflow } from '../../plugins/contract/index.ts'
import { insertManyFiles } from '../../test/factories.ts'
import { z } from 'zod'
import { countOutcomes } from './outcomes.ts'

const keep = definePlugin({
  id: 'keep',
  kind: 'act',
  title: 'Keep',
  options: z.strictObject({}),
  undo: 'fields',
  async *plan(items) {
    for (const item of items) yield { item: item.id, status: 'ok' }
  },
})
const workflow: Workflow = {
  id: 'keep',
  title: 'Keep',
  action: 'keep',
  kind: 'bulk',
  parallel: 1,
  steps: [
    { id: 'first', plugin: 'keep' },
    { id: 'second', plugin: 'keep' },
  ],
}

test('the time of a second step is added before the first one has any', async () => {
  const house = await createTestEngine([keep], [])
  onTestFinished(() => house.close())
  const { scope } = house
  await insertManyFiles(house.parts.database.pool, { shop: house.shop, count: 2 })
  const id = await house.startOn(workflow)
  await scope.query(`update operations set status = 'running' where shop_id = :shop and id = :id`, {
    id,
  })
  const steps: number[] = []
  steps[1] = 4.6
  await countOutcomes(scope, id, { done: 1, times: { steps, write: 0 } })
  expect(
    await scope.one('select step_ms from operations where shop_id = :shop and id = :id', { id }),
  ).toEqual({ step_ms: ['0', '5'] })
})
