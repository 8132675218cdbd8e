import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

test('who gives up in the moment in which the turn comes leaves those behind in their places', async () => {
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
