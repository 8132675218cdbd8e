import { expect, test } from 'vitest'
import { createSpeed } from './speed.ts'

test('the speed covers the last seconds', () => {
  const speed = createSpeed()
  expect(speed.at(0)).toBeNull()
  for (let second = 0; second <= 20; second++) speed.note(second * 1000, second * 1000)
  expect(speed.at(20_000)).toBeCloseTo(1000)
  // No more bytes are sent.
  for (let second = 21; second <= 30; second++) speed.note(20_000, second * 1000)
  expect(speed.at(30_000)).toBe(0)
  speed.reset()
  expect(speed.at(30_000)).toBeNull()
})

test('bytes of a cancelled file do not make the speed negative', () => {
  const speed = createSpeed()
  speed.note(5000, 0)
  speed.note(9000, 1000)
  speed.note(1000, 2000)
  speed.note(2000, 3000)
  expect(speed.at(3000)).toBe(1000)
})
