import { expect, onTestFinished, test, vi } from 'vitest'
import { createHeartbeat } from './heartbeat.ts'

test('each batch on its way is named once a minute, also a paused one, and no other', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const beats: string[] = []
  const keep = createHeartbeat((batch) => beats.push(batch))
  keep(new Set(['a']))
  vi.advanceTimersByTime(30_000)
  keep(new Set(['a', 'b']))
  vi.advanceTimersByTime(30_000)
  expect(beats).toEqual(['a', 'b'])
  keep(new Set(['b']))
  vi.advanceTimersByTime(120_000)
  expect(beats).toEqual(['a', 'b', 'b', 'b'])
  keep(new Set())
  vi.advanceTimersByTime(600_000)
  expect(beats).toHaveLength(4)
  expect(vi.getTimerCount()).toBe(0)
})
