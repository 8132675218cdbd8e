import { expect, test } from 'vitest'
import { createLogger } from '../core/log.ts'
import { whenReachable } from './database.ts'

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const wrongPassword = () => Object.assign(new Error('password failed'), { code: '28P01' })

function attempt(errors: (() => Error)[], forMs: number, signal?: AbortSignal) {
  const lines: string[] = []
  let [tries, waits] = [0, 0]
  const done = whenReachable(
    async () => {
      const error = errors[tries++]
      if (error) throw error()
    },
    {
      forMs,
      log: createLogger('info', (line) => void lines.push(line)),
      onWait: async () => void waits++,
      ...(signal ? { signal } : {}),
    },
  )
  return { done, lines, counts: () => [tries, waits] }
}

test('repeats a connection that is refused, with a line for each wait', async () => {
  const { done, lines, counts } = attempt([refused, refused], 60_000)
  await done
  expect(counts()).toEqual([3, 1])
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain('ECONNREFUSED')
})

test('a wrong password, and a time that is over, end it', async () => {
  const wrong = attempt([wrongPassword], 60_000)
  await expect(wrong.done).rejects.toThrow('password failed')
  expect(wrong.counts()).toEqual([1, 0])
  const file = { code: 'ENOENT', syscall: 'open' }
  const noFile = () => Object.assign(new Error('no such file, open /ca.pem'), file)
  const pooler = () =>
    Object.assign(new Error('unsupported startup parameter: options'), { code: '08P01' })
  for (const lasting of [noFile, pooler]) {
    const ended = attempt([lasting], 60_000)
    await expect(ended.done).rejects.toThrow(lasting().message)
    expect(ended.counts()).toEqual([1, 0])
  }
  const none = attempt([refused], 0)
  await expect(none.done).rejects.toThrow('ECONNREFUSED')
  expect(none.counts()).toEqual([1, 0])
})

test('ends when the process is stopped', async () => {
  const { done, counts } = attempt(
    Array.from({ length: 50 }, () => refused),
    60_000,
    AbortSignal.abort(new Error('stopping')),
  )
  await expect(done).rejects.toThrow()
  expect(counts()).toEqual([1, 1])
})
