import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createGuessGate } from './sign-in.ts'

const failuresOf = () => {
  const counts = new Map<string, number>()
  return {
    consumed: async (key: string) => {
      await turn()
      return counts.get(key) ?? 0
    },
    fail: (key: string) => void counts.set(key, (counts.get(key) ?? 0) + 1),
  }
}

test('of 300 concurrent guesses only as many are compared as may fail', async () => {
  const failures = failuresOf()
  const gate = createGuessGate(failures, 10)
  let compared = 0
  const guess = async () => {
    const end = await gate.enter('a')
    if (!end) return 'banned'
    compared++
    await turn()
    failures.fail('a')
    end()
    return 'wrong'
  }
  const results = await Promise.all(Array.from({ length: 300 }, guess))
  expect(compared).toBe(10)
  expect(results.filter((one) => one === 'banned')).toHaveLength(290)
})

test('any number of right passwords is accepted, and another key does not wait', async () => {
  const failures = failuresOf()
  const gate = createGuessGate(failures, 3)
  const held = await Promise.all([1, 2, 3].map(() => gate.enter('a')))
  const waits = Promise.all(Array.from({ length: 20 }, async () => (await gate.enter('a'))!()))
  expect(await gate.enter('b')).not.toBeNull()
  for (const end of held) end!()
  await waits
  failures.fail('a')
  expect(await gate.enter('a')).not.toBeNull()
})
