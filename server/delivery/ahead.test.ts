import { expect, test, vi } from 'vitest'
import { createLogger } from '../log.ts'
import { createAhead } from './ahead.ts'
import type { Downloads, Known } from './known.ts'

const AT = new Date('2026-03-01T12:00:00Z')
const known = (key: string, link = key): Known => ({
  ...{ key, keyHash: Buffer.from(key), rowVersion: '1' },
  target: { link } as Known['target'],
})
const [anna, ben] = [Buffer.from('anna'), Buffer.from('ben')]

/** A database that can go away. */
function openAhead() {
  const written: { key: string; times: number; clients: string[]; at: Date }[] = []
  const logged: string[] = []
  const state = { away: false, gate: Promise.resolve(), busy: new Set<string>() }
  const write = async (downloads: readonly Downloads[], at: Date) => {
    await state.gate
    if (state.away) throw new Error('no connection')
    const [left, taken] = [true, false].map((busy) =>
      downloads.filter(({ known }) => state.busy.has(known.key) === busy),
    )
    for (const { known, times, clients } of taken!)
      written.push({ key: known.key, times, clients: clients.map(String), at })
    return left!
  }
  const log = createLogger('info', (line) => void logged.push(line))
  return { ahead: createAhead(write, log), written, logged, state }
}

test('downloads of a link are written as one, with each of its clients', async () => {
  const { ahead, written } = openAhead()
  ahead.note(known('a'), anna, AT)
  ahead.note(known('b'), anna, AT)
  ahead.note(known('a'), ben, AT)
  ahead.note(known('a'), ben, new Date(+AT + 1))
  await ahead.settle()
  const at = new Date(+AT + 1)
  expect(written).toEqual([
    { key: 'a', times: 3, clients: ['anna', 'ben'], at },
    { key: 'b', times: 1, clients: ['anna'], at },
  ])
  await ahead.settle()
  expect(written).toHaveLength(2)
})

test('they are written without being asked for', async () => {
  const { ahead, written } = openAhead()
  ahead.note(known('a'), anna, AT)
  await vi.waitFor(() => expect(written).toHaveLength(1))
})

test('a key is told to be waited for until it is written, and no other', async () => {
  const { ahead, state } = openAhead()
  let open = () => {}
  state.gate = new Promise((resolve) => (open = resolve))
  ahead.note(known('a'), anna, AT)
  expect([ahead.has('a'), ahead.has('b')]).toEqual([true, false])
  const settled = ahead.settle()
  await Promise.resolve()
  expect(ahead.has('a')).toBe(true)
  open()
  await settled
  expect(ahead.has('a')).toBe(false)
})

test('two keys of one link, exchanged in between, are one link', async () => {
  const { ahead, written } = openAhead()
  ahead.note(known('old', 'link'), anna, AT)
  ahead.note(known('new', 'link'), ben, AT)
  expect([ahead.has('old'), ahead.has('new')]).toEqual([true, true])
  await ahead.settle()
  expect(written).toMatchObject([{ key: 'new', times: 2, clients: ['anna', 'ben'] }])
})

test('what someone else holds is left for later, and keeps nothing else waiting', async () => {
  const { ahead, written, state } = openAhead()
  state.busy.add('a')
  for (const key of ['a', 'b', 'a']) ahead.note(known(key), anna, AT)
  await ahead.settle()
  expect(written).toMatchObject([{ key: 'b', times: 1 }])
  expect([ahead.isEmpty(), ahead.has('a'), ahead.has('b')]).toEqual([false, true, false])
  state.busy.clear()
  await vi.waitFor(() => expect(written).toMatchObject([{ key: 'b' }, { key: 'a', times: 2 }]))
  expect(ahead.isEmpty()).toBe(true)
})

test('however many ask for it meanwhile, what can’t be written is tried once for all of them', async () => {
  const { ahead, logged, state } = openAhead()
  state.away = true
  ahead.note(known('a'), anna, AT)
  await Promise.all(Array.from({ length: 50 }, () => ahead.settle()))
  expect(logged).toHaveLength(1)
})

test('while they can’t be written they are kept, with those that come meanwhile, and tried again', async () => {
  const { ahead, written, logged, state } = openAhead()
  state.away = true
  ahead.note(known('a'), anna, AT)
  await ahead.settle()
  ahead.note(known('a'), ben, AT)
  expect(written).toEqual([])
  expect(logged.join()).toContain('no connection')
  state.away = false
  await vi.waitFor(() => expect(written).toMatchObject([{ key: 'a', times: 2, clients: ['anna', 'ben'] }]), 5000)
})

test('of very many links, those that are written before it breaks are not written twice', async () => {
  const { ahead, written, state } = openAhead()
  for (let at = 0; at < 2500; at++) ahead.note(known(`${at}`), anna, AT)
  let pieces = 0
  // The second piece of them finds the database gone.
  Object.defineProperty(state, 'gate', { get: () => ((state.away = ++pieces === 2), Promise.resolve()) })
  await ahead.settle()
  expect(written).toHaveLength(200)
  await ahead.settle()
  expect(written.map(({ times }) => times)).toEqual(Array.from({ length: 2500 }, () => 1))
  expect(new Set(written.map(({ key }) => key)).size).toBe(2500)
})
