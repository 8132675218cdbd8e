import { z } from 'zod'
import { expect, onTestFinished, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { createChildPool, type PoolSpec } from './child-pool.ts'

const never = new AbortController().signal
const script = new URL('../../../test/children/odd-child.ts', import.meta.url)

/** Opens a pool; returns a function that sends it requests. */
function open(wanted: Partial<PoolSpec> = {}) {
  const limits = { memoryBytes: 300 * 1024 ** 2, concurrency: 1, uses: 10, idleMs: 60_000 }
  const pool = createChildPool({ script, ...limits, ...wanted })
  onTestFinished(() => pool.close())
  return (deed: string, { shop = 1, signal = never } = {}) =>
    pool.ask(shop, { input: { deed, given: deed }, answer: z.unknown(), wallMs: 30_000, signal })
}

test('a child serves only one shop, and a limited number of requests', async () => {
  const ask = open({ uses: 3 })
  const first = [await ask('pid'), await ask('pid'), await ask('pid')]
  expect(new Set(first).size).toBe(1)
  // A child serves three requests; then another shop's child; then the first shop again.
  const later = [await ask('pid'), await ask('pid', { shop: 2 }), await ask('pid')]
  expect(new Set([first[0], ...later]).size).toBe(4)
})

soakTest('an unused child ends', async () => {
  const ask = open({ idleMs: 50 })
  const pid = (await ask('pid')) as number
  await expect.poll(() => isAlive(pid)).toBe(false)
  expect(await ask('pid')).not.toBe(pid)
})

test('its death fails the request that it was running, not those that wait', async () => {
  const ask = open()
  const ends = await Promise.allSettled([
    ask('echo'),
    ask('segfault'),
    ask('echo'),
    ask('exit'),
    ask('echo'),
  ])
  expect(
    ends.map((end) =>
      end.status === 'fulfilled' ? end.value : (end.reason as { code: string }).code,
    ),
  ).toEqual(['echo', 'processor_crashed', 'echo', 'processor_crashed', 'echo'])
})

soakTest('memory that earlier requests left in a child does not count for the next', async () => {
  const ask = open()
  expect(await ask('hoard')).toBe(1)
  // Another 200 MB do not fit beside the first, but they fit into a new child.
  expect(await ask('hoard')).toBe(1)
  await expect(ask('buffers')).rejects.toMatchObject({ code: 'memory_limit' })
})

test('an aborted request frees its place, running or waiting', async () => {
  const ask = open()
  const [first, second] = [new AbortController(), new AbortController()]
  const sleeping = ask('sleep', { signal: first.signal })
  const waiting = ask('echo', { signal: second.signal })
  const last = ask('echo')
  second.abort(new Error('second'))
  await expect(waiting).rejects.toThrow('second')
  first.abort(new Error('first'))
  await expect(sleeping).rejects.toThrow('first')
  expect(await last).toBe('echo')
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
