import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { errorFrom } from '../../shell/client/error.ts'
import { repeatRead } from './follow-imports.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

/** A read that is answered by these statuses, one after another; then it succeeds. */
function readOf(statuses: readonly number[]) {
  const left = [...statuses]
  const read = vi.fn(() => {
    const status = left.shift()
    return status === undefined
      ? Promise.resolve('read')
      : Promise.reject(errorFrom(status, { error: { code: 'internal', message: 'No' } }))
  })
  const ended = repeatRead(read).catch((error: Error) => error)
  return { read, ended }
}

test('a read is repeated after errors of the server, so that no file is called unknown', async () => {
  const { read, ended } = readOf([500, 503, 500, 401])
  await vi.runAllTimersAsync()
  expect(await ended).toBe('read')
  expect(read).toHaveBeenCalledTimes(5)
})

test('a read that is refused, or fails for minutes, is given up', async () => {
  const refused = readOf([404])
  expect(await refused.ended).toMatchObject({ status: 404 })
  expect(refused.read).toHaveBeenCalledTimes(1)
  const failing = readOf(Array.from({ length: 50 }, () => 500))
  await vi.runAllTimersAsync()
  expect(await failing.ended).toMatchObject({ status: 500 })
  expect(failing.read).toHaveBeenCalledTimes(10)
})
