// Turns at a host: how many requests run, who is next, and which refusals do not count.
import { onTestFinished, expect, test, vi } from 'vitest'
import { PortError } from '../../plugins/contract/index.ts'
import { randomOf } from '../../test/scale.ts'
import type { HostRefusal } from './failures.ts'
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

test('an answer that may be about the file is final when the host gives it to a request alone', async () => {
  const turns = turnsOf()
  /** Whether the refusal of this address counts as one for a limit. */
  const answers = async (url: URL, shared: boolean): Promise<boolean> => {
    const other = shared ? await turns.take(OTHER, signal) : null
    const turn = await turns.take(url, signal)
    const error = refusal()
    turn.refused({ marked: false, mayBeFinal: true }, error)
    turn.end()
    other?.end()
    return error.uncounted
  }
  expect(await answers(FILE, false)).toBe(false)
  await succeed(turns, OTHER)
  expect(await answers(FILE, true)).toBe(true)
  // Nothing was answered since: the limit may last.
  expect(await answers(FILE, false)).toBe(true)
  await succeed(turns, OTHER)
  expect(await answers(FILE, false)).toBe(false)
  expect(await answers(OTHER, true)).toBe(false)
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

test('a host whose first answers come after many resets is not given up', async () => {
  const turns = turnsOf()
  const served = [await turns.take(FILE, signal), await turns.take(OTHER, signal)]
  const ends: Promise<void>[] = []
  let reset = 0
  for (let n = 0; n < 28; n++) {
    const url = new URL(`http://files.example/${n}.pdf`)
    ends.push(
      turns.take(url, signal).then((turn) => {
        const isServed = served.length === 0
        if (isServed) turn.answered()
        else {
          reset++
          turn.failed(refusal())
        }
        turn.end()
      }),
    )
  }
  // All that may start beside the two have started, and were reset.
  await new Promise(setImmediate)
  expect(reset).toBe(2)
  for (const turn of served.splice(0)) {
    turn.answered()
    turn.end()
  }
  await Promise.all(ends)
})

test('an answer that asks to wait for days closes the host for minutes', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const turns = turnsOf()
  const turn = await turns.take(FILE, signal)
  turn.refused({ marked: true, retryAfter: 90 * 86_400 }, refusal())
  turn.end()
  await vi.advanceTimersByTimeAsync(14 * 60_000)
  await expect(turns.take(OTHER, signal)).rejects.toThrow()
  await vi.advanceTimersByTimeAsync(60_000)
  await succeed(turns, OTHER)
})

type Refusal = 'reset' | HostRefusal
const REFUSALS: readonly Refusal[] = ['reset', { marked: false }, { marked: true }]

/** A host that serves `most` requests at a time; times are random. */
async function importAll(most: number, refusalKind: Refusal, files: number) {
  const random = randomOf(`turns ${most} ${JSON.stringify(refusalKind)} ${files}`)
  const turns = turnsOf({ restMs: 1000 })
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  let [open, counted] = [0, 0]
  const attempt = async (url: URL): Promise<number | null> => {
    const turn = await turns.take(url, signal)
    const isServed = open < most
    open += isServed ? 1 : 0
    const error = refusal()
    await pause(isServed ? random(1, 3000) : random(0, 30))
    open -= isServed ? 1 : 0
    if (isServed) turn.answered()
    else if (refusalKind === 'reset') turn.failed(error)
    else turn.refused(refusalKind, error)
    await pause(random(0, 3))
    turn.end()
    if (isServed) return null
    counted += error.uncounted ? 0 : 1
    return 1000
  }
  await Promise.all(
    Array.from({ length: files }, async (_, n) => {
      const url = new URL(`http://files.example/${n}.pdf`)
      for (;;) {
        const again = await attempt(url).catch(({ uncounted, retryAfter }: PortError) => {
          counted += uncounted ? 0 : 1
          return Math.max(1, retryAfter ?? 1) * 1000
        })
        if (again === null) return
        await pause(again)
      }
    }),
  )
  return { counted, ms: performance.now() }
}

test.each(
  [1, 2, 3].flatMap((most) => REFUSALS.map((kind) => [most, JSON.stringify(kind), kind] as const)),
)('a host that serves %i at a time and refuses by %s serves all', async (most, _, kind) => {
  for (const files of [4, 5, 13, 30, 60]) {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const started = performance.now()
    const imported = importAll(most, kind, files)
    let done = false
    void imported.finally(() => (done = true))
    while (!done) await vi.advanceTimersByTimeAsync(1000)
    const { counted, ms } = await imported
    expect({ files, counted }).toEqual({ files, counted: 0 })
    // One at a time, with a few rests.
    expect(ms - started).toBeLessThan(files * 3000 + 60_000)
    vi.useRealTimers()
  }
})
