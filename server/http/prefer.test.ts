import type { Context } from 'koa'
import { expect, test } from 'vitest'
import { waitingTime } from './body.ts'

test.each([
  ['', 30, null],
  ['foo', 30, null],
  ['wait=5', 5, 'wait=5'],
  ['wait=600', 120, 'wait=120'],
  ['wait=-1', 30, null],
  ['respond-async', 0, 'respond-async'],
  // Asynchronously, if it takes longer than that.
  ['respond-async, wait=2', 2, 'wait=2'],
  ['wait=2, respond-async', 2, 'wait=2'],
])('Prefer: %s waits %s seconds', (header, seconds, applied) => {
  const ctx = { get: () => header } as unknown as Context
  expect(waitingTime(ctx, 30)).toEqual({ seconds, applied })
})
