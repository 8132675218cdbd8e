import { expect, test } from 'vitest'
import { createRestarts } from './restarts.ts'

test('a process that had served is started again within a second, each time with a line', () => {
  const restarts = createRestarts()
  for (const servedMs of [1, 4999, 5000, 86_400_000, 1]) {
    const { pauseMs, isNew } = restarts.after(servedMs, 'signal SIGKILL')
    expect(pauseMs).toBeLessThan(1000)
    expect(isNew).toBe(true)
  }
})

test('one that cannot start waits longer each time, up to 30 seconds, and is logged once', () => {
  const restarts = createRestarts()
  const all = Array.from({ length: 8 }, () => restarts.after(null, '2222 is taken'))
  expect(all.map(({ pauseMs }) => pauseMs / 1000)).toEqual([1, 2, 4, 8, 16, 30, 30, 30])
  expect(all.map(({ isNew }) => isNew)).toEqual([true, ...all.slice(1).map(() => false)])
})

test('another reason is logged, and the pauses begin again', () => {
  const restarts = createRestarts()
  restarts.after(null, '2222 is taken')
  restarts.after(null, '2222 is taken')
  expect(restarts.after(null, '2121 is taken')).toEqual({ pauseMs: 1000, isNew: true })
  restarts.after(100, 'signal SIGKILL')
  expect(restarts.after(null, '2121 is taken')).toEqual({ pauseMs: 1000, isNew: true })
})
