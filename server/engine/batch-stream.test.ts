import { expect, test } from 'vitest'
import { batchStream } from './run-steps.ts'

async function* of<T>(...values: T[]): AsyncGenerator<T> {
  yield* values
}

const collect = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const value of source) all.push(value)
  return all
}

test('groups have the given size, in order, and the rest is sent immediately at the end', async () => {
  expect(await collect(batchStream(of(1, 2, 3, 4, 5), 2, 60_000))).toEqual([[1, 2], [3, 4], [5]])
  expect(await collect(batchStream(of(), 2, 60_000))).toEqual([])
})

test('a single value waits at most the given time for others', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  async function* source() {
    yield 1
    await held
    yield 2
  }
  const groups = batchStream(source(), 10, 20)
  expect((await groups.next()).value).toEqual([1])
  release()
  expect((await groups.next()).value).toEqual([2])
})

test('the source runs ahead of a slow consumer', async () => {
  const started: number[] = []
  async function* source() {
    for (let n = 0; n < 6; n++) {
      started.push(n)
      yield n
    }
  }
  const groups = batchStream(source(), 2, 60_000)
  await groups.next()
  await new Promise((resolve) => setImmediate(resolve))
  expect(started).toEqual([0, 1, 2, 3, 4, 5])
  expect(await collect(groups)).toEqual([
    [2, 3],
    [4, 5],
  ])
})

test('an error of the source comes after its values', async () => {
  async function* source() {
    yield 1
    throw new Error('broken')
  }
  const seen: number[][] = []
  await expect(
    (async () => {
      for await (const group of batchStream(source(), 5, 60_000)) seen.push(group)
    })(),
  ).rejects.toThrow('broken')
  expect(seen).toEqual([[1]])
})
