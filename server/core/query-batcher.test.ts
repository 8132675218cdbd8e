import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createQueryBatcher } from './lazy.ts'

/** An `ask` that answers when the test calls `answer`. */
function slow() {
  const asked: {
    questions: readonly number[]
    answer: (answers: readonly string[]) => void
    fail: (e: Error) => void
  }[] = []
  const ask = (questions: readonly number[]) =>
    new Promise<readonly string[]>((answer, fail) => asked.push({ questions, answer, fail }))
  return { asked, ask }
}
const named = (questions: readonly number[]) => questions.map((question) => `answer ${question}`)

test('queries of one turn of the event loop share a statement and get their own results', async () => {
  const { asked, ask } = slow()
  const batch = createQueryBatcher(ask, { size: 10, concurrency: 2 })
  const answers = Promise.all([batch(1), batch(2), batch(3)])
  await turn()
  expect(asked.map(({ questions }) => questions)).toEqual([[1, 2, 3]])
  asked[0]!.answer(named([1, 2, 3]))
  expect(await answers).toEqual(['answer 1', 'answer 2', 'answer 3'])
})

test('keeps to the batch size and to the number of concurrent statements', async () => {
  const { asked, ask } = slow()
  const batch = createQueryBatcher(ask, { size: 2, concurrency: 2 })
  const answers = Promise.all([1, 2, 3, 4, 5].map(batch))
  while (asked.length < 2) await turn()
  for (let wait = 0; wait < 20; wait++) await turn()
  expect(asked.map(({ questions }) => questions)).toEqual([
    [1, 2],
    [3, 4],
  ])
  for (const at of [0, 1]) asked[at]!.answer(named(asked[at]!.questions))
  while (asked.length < 3) await turn()
  asked[2]!.answer(named([5]))
  expect(await answers).toEqual(named([1, 2, 3, 4, 5]))
})

test('a statement that hangs does not block later queries', async () => {
  const { asked, ask } = slow()
  const batch = createQueryBatcher(ask, { size: 10, concurrency: 2 })
  void batch(1)
  await turn()
  const second = batch(2)
  while (asked.length < 2) await turn()
  asked[1]!.answer(named([2]))
  expect(await second).toBe('answer 2')
})

test('a failure rejects only its own batch', async () => {
  const { asked, ask } = slow()
  const batch = createQueryBatcher(ask, { size: 10, concurrency: 2 })
  const failed = [batch(1), batch(2)].map((answer) => expect(answer).rejects.toThrow('lost'))
  await turn()
  asked[0]!.fail(new Error('lost'))
  await Promise.all(failed)
  const after = batch(3)
  while (asked.length < 2) await turn()
  asked[1]!.answer(named([3]))
  expect(await after).toBe('answer 3')
})
