import { expect, test } from 'vitest'
import { failed, PortError, type Item } from '../../plugins/contract/index.ts'
import { endingOfFailure, refusalOf } from './item-work.ts'
import { retryDelay } from './failure.ts'
import type { WorkItem } from './types.ts'

const item = { id: '7' } as Item

test.each([
  { attempt: 1, seconds: 0, retryAfter: null, delay: 1000 },
  { attempt: 2, seconds: 0, retryAfter: null, delay: 5000 },
  { attempt: 1, seconds: 21, retryAfter: null, delay: null },
  { attempt: 1, seconds: 0, retryAfter: 30, delay: 30_000 },
  // A stated time applies although the attempt was slow.
  { attempt: 1, seconds: 21, retryAfter: 30, delay: 30_000 },
  { attempt: 2, seconds: 0, retryAfter: 1, delay: 5000 },
  { attempt: 1, seconds: 0, retryAfter: 900, delay: 900_000 },
  { attempt: 1, seconds: 0, retryAfter: 901, delay: null },
  { attempt: 3, seconds: 0, retryAfter: 30, delay: null },
])(
  'attempt $attempt of $seconds s, Retry-After $retryAfter: $delay ms',
  ({ attempt, seconds, retryAfter, delay }) => {
    expect(retryDelay(attempt, seconds, retryAfter)).toBe(delay)
  },
)

test.each([
  { attempt: 3, seconds: 60, stated: { tries: 5 }, delay: 5000 },
  { attempt: 5, seconds: 0, stated: { tries: 5 }, delay: null },
  { attempt: 1, seconds: 0, stated: { tries: 1 }, delay: null },
  { attempt: 1, seconds: 0, stated: { pause: 60 }, delay: 60_000 },
  { attempt: 2, seconds: 0, stated: { pause: 60 }, retryAfter: 90, delay: 90_000 },
  { attempt: 2, seconds: 0, stated: { pause: 60 }, retryAfter: 10, delay: 60_000 },
])(
  'attempt $attempt of a step with $stated: $delay ms',
  ({ attempt, seconds, stated, retryAfter = null, delay }) => {
    expect(retryDelay(attempt, seconds, retryAfter, stated)).toBe(delay)
  },
)

test('the Retry-After of a port sets the time of the item’s next attempt', () => {
  const error = new PortError('cloud_rate_limited', 'Later', true, { retryAfter: 120 })
  const outcome = failed(item, error)
  if (outcome.status === 'ok') throw new Error('It did not fail')
  const refusal = refusalOf(outcome)
  if (refusal.status !== 'failed') throw new Error('It did not fail')
  const work = { attempt: 1 } as WorkItem
  expect(endingOfFailure(null, work, refusal.error, 0, refusal)).toEqual({
    status: 'again',
    delayMs: 120_000,
    error: { code: 'cloud_rate_limited', message: 'Later', retryable: true },
  })
})
