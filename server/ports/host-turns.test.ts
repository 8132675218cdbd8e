// Turns at a host: how many requests run, who is next, and which refusals do not count.
import { onTestFinished, expect, test } from 'vitest'
import { PortError } from '../../plugins/contract.ts'
import { HostTurns, type HostTurnOptions } from './host-turns.ts'

const { signal } = new AbortController()
const FILE = new URL('http://files.example/a.pdf')
const OTHER = new URL('http://files.example/b.pdf')
const turnsOf = (options: HostTurnOptions = {}) => {
  const turns = new HostTurns({ restMs: 1, ...options })
  onTestFinished(() => turns.close())
  return turns
}
const refusal = () => new PortError('url_not_accessible', 'No', true)

/** Whether a refusal of this address counts as an attempt. */
async function refusalCounts(turns: HostTurns, url: URL, marked = true): Promise<boolean> {
  const turn = await turns.take(url, signal)
  const error = refusal()
  turn.refused({ marked }, error)
  turn.end()
  return !error.uncounted
}
async function succeed(turns: HostTurns, url: URL): Promise<void> {
  const turn = await turns.take(url, signal)
  turn.answered()
  turn.end()
}

test('four requests run at a host, and one after a refusal', async () => {
  const turns = turnsOf()
  const running = await Promise.all([1, 2, 3, 4].map(() => turns.take(FILE, signal)))
  let more = 0
  const waiting = [1, 2].map(async () => {
    const turn = await turns.take(OTHER, signal)
    more++
    return turn
  })
  await turns.take(new URL('http://other.example/'), signal)
  expect(more).toBe(0)
  running[0]!.refused({ marked: true }, refusal())
  for (const turn of running) turn.end()
  const first = await Promise.race(waiting)
  expect(more).toBe(1)
  first.end()
  await Promise.all(waiting)
})

test('shops take turns at a host', async () => {
  const turns = turnsOf()
  const running = await Promise.all([1, 2, 3, 4].map(() => turns.take(FILE, signal, 1)))
  const order: number[] = []
  const waiting = [1, 1, 1, 2, 3].map(async (shop) => {
    const turn = await turns.take(FILE, signal, shop)
    order.push(shop)
    turn.end()
  })
  running[0]!.end()
  await Promise.all(waiting)
  expect(order).toEqual([1, 2, 3, 1, 1])
})

test('an aborted wait ends, and takes no turn of another', async () => {
  const turns = turnsOf()
  const running = await Promise.all([1, 2, 3, 4].map(() => turns.take(FILE, signal)))
  const stop = new AbortController()
  const stopped = turns.take(FILE, stop.signal)
  const other = turns.take(FILE, signal)
  stop.abort(new Error('paused'))
  await expect(stopped).rejects.toThrow('paused')
  running[0]!.end()
  await other
})

test('a refusal counts only if the host serves nothing else', async () => {
  const turns = turnsOf()
  expect(await refusalCounts(turns, FILE)).toBe(true)
  await succeed(turns, OTHER)
  const counted: boolean[] = []
  for (let n = 0; n < 7; n++) counted.push(await refusalCounts(turns, FILE))
  expect(counted).toEqual([...Array<boolean>(6).fill(false), true])
})

test.each([
  ['says so', true],
  ['does not', false],
])('a file that is always refused counts in the end, where the answer %s', async (_, marked) => {
  const turns = turnsOf()
  await refusalCounts(turns, OTHER)
  const counted: boolean[] = []
  for (let n = 0; n < 12; n++) {
    await succeed(turns, OTHER)
    counted.push(await refusalCounts(turns, FILE, marked))
  }
  expect(counted[0]).toBe(false)
  expect(counted.at(-1)).toBe(true)
})

test('a host that asks to wait long, or only refuses, is not waited for', async () => {
  const turns = turnsOf()
  const turn = await turns.take(FILE, signal)
  const queued = Promise.all([1, 2, 3, 4].map(() => turns.take(OTHER, signal)))
  turn.refused({ marked: true, retryAfter: 90 }, refusal())
  turn.end()
  const late = { uncounted: true, retryAfter: 90 }
  await expect(queued).rejects.toMatchObject(late)
  await expect(turns.take(FILE, signal)).rejects.toMatchObject(late)

  const dead = turnsOf({ restMs: 20 })
  const attempts = Array.from({ length: 20 }, () =>
    refusalCounts(dead, FILE).catch(() => 'given up'),
  )
  expect((await Promise.all(attempts)).slice(-5)).toEqual(Array(5).fill('given up'))
})

test('a host without answers is given up', async () => {
  const turns = turnsOf()
  for (let n = 0; n < 12; n++) {
    const turn = await turns.take(FILE, signal)
    const error = refusal()
    turn.failed(error)
    turn.end()
    expect(error.uncounted).toBe(false)
  }
  await expect(turns.take(FILE, signal)).rejects.toMatchObject({ message: 'No', uncounted: false })
})

test('a connection that a host with other answers resets is a limit', async () => {
  const turns = turnsOf()
  await succeed(turns, OTHER)
  const [one, two] = [await turns.take(FILE, signal), await turns.take(OTHER, signal)]
  const error = refusal()
  one.failed(error)
  one.end()
  two.answered()
  two.end()
  expect(error.uncounted).toBe(true)
})
