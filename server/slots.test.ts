import { expect, test } from 'vitest'
import { createSlots } from './slots.ts'

test('who gives up in the moment in which the turn comes leaves those behind in their places', async () => {
  const slots = createSlots(1)
  const controller = new AbortController()
  const leave = await slots.take()
  const [second, third] = [slots.take(controller.signal), slots.take()]
  leave()
  controller.abort(new Error('too late'))
  const leaveSecond = await second
  leaveSecond()
  await expect(third).resolves.toBeTypeOf('function')
})
