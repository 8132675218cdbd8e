import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { queueTask, type BackgroundTask } from '../core/queue/background.ts'

let house: TestEngine
beforeAll(async () => (house = await createTestEngine([], [])))
afterAll(() => house.close())

test('jobs that become due at the same moment run concurrently, without a notification', async () => {
  const KEYS = ['a', 'b', 'c']
  const met = Promise.withResolvers<void>()
  const running = new Set<string>()
  const meet: BackgroundTask = {
    name: 'meet',
    concurrency: KEYS.length,
    wanted: 'select 1 as shop_id, null as key, now() as due_at where false',
    run: async ({ key }) => {
      running.add(key)
      if (running.size === KEYS.length) met.resolve()
      await met.promise
      return null
    },
  }
  const worker = await house.startWorker({}, [meet])
  const due = new Date(Date.now() + 500)
  for (const key of KEYS) await queueTask(house.scope, meet, key, due)
  await met.promise
  expect([...running].sort()).toEqual(KEYS)
  await worker.stop()
})
