import { expect, test } from 'vitest'
import { createSemaphore } from './body-budget.ts'

test('an abort at the moment of its turn keeps the order of those behind it', async () => {
  const semaphore = createSemaphore(1)
  const controller = new AbortController()
  const leave = await semaphore.acquire()
  const [second, third] = [semaphore.acquire(controller.signal), semaphore.acquire()]
  leave()
  controller.abort(new Error('too late'))
  const leaveSecond = await second
  leaveSecond()
  await expect(third).resolves.toBeTypeOf('function')
})
