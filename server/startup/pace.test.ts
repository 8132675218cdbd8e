import { expect, it } from 'vitest'
import { paceOf } from './pace.ts'

const { signal } = new AbortController()

it.each(['0', 'fast', '-1', '1.5', '10GB', ''])('refuses the rate %s', (rate) => {
  expect(paceOf(rate)).toBeNull()
})

it('an interruption ends the wait', async () => {
  const stop = new AbortController()
  const pace = paceOf('1')!
  const waiting = pace.done(1000, 0, stop.signal)
  stop.abort(new Error('interrupted'))
  await expect(waiting).rejects.toThrow()
})

it.each([
  ['2', 10, 999_999_999],
  ['1MB', 999_999, 5 * 1024 ** 2],
])('a rate of %s waits until the work may have been done', async (rate, items, bytes) => {
  // Five seconds of work, and five seconds have passed.
  let time = 0
  const pace = paceOf(rate, () => time)!
  time = 5000
  await pace.done(items, bytes, signal)
  const stop = new AbortController()
  const waits = pace.done(items, bytes, stop.signal)
  const first = await Promise.race([waits.then(() => 'done'), Promise.resolve('waits')])
  expect(first).toBe('waits')
  stop.abort()
  await expect(waits).rejects.toThrow()
})
