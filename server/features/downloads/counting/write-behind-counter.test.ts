import { expect, test } from 'vitest'
import { createLogger } from '../../../core/log.ts'
import type { LinkTarget } from '../targets.ts'
import { WriteBehindCounter, type PendingCount } from './link-cache.ts'

const AT = new Date('2026-03-01T12:00:00Z')
const linkOf = (key: string, link = key): [string, LinkTarget] => [key, { link } as LinkTarget]
const [anna, ben] = [Buffer.from('anna'), Buffer.from('ben')]

/** A counter whose database can fail, wait, and have locked links. */
function openCounter() {
  const written: { key: string; times: number; clients: string[]; at: Date }[] = []
  const logged: string[] = []
  const state = { away: false, gate: Promise.resolve(), locked: new Set<string>() }
  const write = async (counts: readonly PendingCount[], at: Date) => {
    await state.gate
    if (state.away) throw new Error('no connection')
    const { left = [], taken = [] } = Object.groupBy(counts, ({ key }) =>
      state.locked.has(key) ? 'left' : 'taken',
    )
    for (const { key, times, clients } of taken)
      written.push({ key, times, clients: clients.map(String), at })
    return left
  }
  const log = createLogger('info', (line) => void logged.push(line))
  return { counter: new WriteBehindCounter(write, log), written, logged, state }
}

test('writes the downloads of one link as one count with each of its clients', async () => {
  const { counter, written } = openCounter()
  counter.add(...linkOf('a'), anna, AT)
  counter.add(...linkOf('b'), anna, AT)
  counter.add(...linkOf('a'), ben, AT)
  counter.add(...linkOf('a'), ben, new Date(+AT + 1))
  await counter.flush()
  const at = new Date(+AT + 1)
  expect(written).toEqual([
    { key: 'a', times: 3, clients: ['anna', 'ben'], at },
    { key: 'b', times: 1, clients: ['anna'], at },
  ])
  await counter.flush()
  expect(written).toHaveLength(2)
})

test('writes after a delay without a call of flush', async () => {
  const { counter, written } = openCounter()
  counter.add(...linkOf('a'), anna, AT)
  await expect.poll(() => written).toHaveLength(1)
})

test('has a key until its count is written, and no other key', async () => {
  const { counter, state } = openCounter()
  let open = () => {}
  state.gate = new Promise((resolve) => (open = resolve))
  counter.add(...linkOf('a'), anna, AT)
  expect([counter.has('a'), counter.has('b')]).toEqual([true, false])
  const flushed = counter.flush()
  await Promise.resolve()
  expect(counter.has('a')).toBe(true)
  open()
  await flushed
  expect(counter.has('a')).toBe(false)
})

test('merges the counts of two keys of one link', async () => {
  const { counter, written } = openCounter()
  counter.add(...linkOf('old', 'link'), anna, AT)
  counter.add(...linkOf('new', 'link'), ben, AT)
  expect([counter.has('old'), counter.has('new')]).toEqual([true, true])
  await counter.flush()
  expect(written).toMatchObject([{ key: 'new', times: 2, clients: ['anna', 'ben'] }])
})

test('writes a locked link later, without delaying the others', async () => {
  const { counter, written, state } = openCounter()
  state.locked.add('a')
  for (const key of ['a', 'b', 'a']) counter.add(...linkOf(key), anna, AT)
  await counter.flush()
  expect(written).toMatchObject([{ key: 'b', times: 1 }])
  expect([counter.isEmpty(), counter.has('a'), counter.has('b')]).toEqual([false, true, false])
  state.locked.clear()
  await expect.poll(() => written).toMatchObject([{ key: 'b' }, { key: 'a', times: 2 }])
  expect(counter.isEmpty()).toBe(true)
})

test('concurrent flushes share one failing write', async () => {
  const { counter, logged, state } = openCounter()
  state.away = true
  counter.add(...linkOf('a'), anna, AT)
  await Promise.all(Array.from({ length: 50 }, () => counter.flush()))
  expect(logged).toHaveLength(1)
  // Otherwise it retries until the process ends, also during other tests.
  state.away = false
  await counter.flush()
  expect(counter.isEmpty()).toBe(true)
})

test('keeps counts that cannot be written, merges later ones and retries', async () => {
  const { counter, written, logged, state } = openCounter()
  state.away = true
  counter.add(...linkOf('a'), anna, AT)
  await counter.flush()
  counter.add(...linkOf('a'), ben, AT)
  expect(written).toEqual([])
  expect(logged.join()).toContain('no connection')
  state.away = false
  await expect.poll(() => written).toMatchObject([{ key: 'a', times: 2, clients: ['anna', 'ben'] }])
})

test('after a failure halfway, writes no count twice', async () => {
  const { counter, written, state } = openCounter()
  for (let at = 0; at < 2500; at++) counter.add(...linkOf(`${at}`), anna, AT)
  let pieces = 0
  // The second statement fails.
  Object.defineProperty(state, 'gate', {
    get: () => ((state.away = ++pieces === 2), Promise.resolve()),
  })
  await counter.flush()
  expect(written).toHaveLength(200)
  await counter.flush()
  expect(written.map(({ times }) => times)).toEqual(Array.from({ length: 2500 }, () => 1))
  expect(new Set(written.map(({ key }) => key)).size).toBe(2500)
})
