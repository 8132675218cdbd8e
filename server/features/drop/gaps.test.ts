import { expect, test } from 'vitest'
import { randomOf } from '../../../test/scale.ts'
import { createGaps } from './gaps.ts'

test('after any parts in any order, the first gap is the first byte that did not arrive', () => {
  const random = randomOf('gaps')
  for (let run = 0; run < 200; run++) {
    const gaps = createGaps()
    const there: boolean[] = []
    for (let part = random(1, 30); part > 0; part--) {
      if (random(0, 10) === 0) {
        there.length = random(0, there.length + 1)
        gaps.cut(there.length)
        continue
      }
      const [position, length] = [random(0, 40), random(0, 10)]
      gaps.arrived(position, length, there.length)
      for (let at = position; at < position + length; at++) there[at] = true
    }
    const missing = Array.from(there, (here) => here === true).indexOf(false)
    expect(gaps.first()).toBe(missing < 0 ? null : missing)
    expect(gaps.count() === 0).toBe(missing < 0)
  }
})
