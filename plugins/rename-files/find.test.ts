import { expect, test } from 'vitest'
import { english } from '../contract/index.ts'
import { replacerOf } from './find.ts'

const wanted = (replace: string) => ({ find: 'a', replace, case_sensitive: false, regex: true })

/** CPU time, the minimum of several runs. */
function cost(replace: string): number {
  const times = Array.from({ length: 3 }, () => {
    const begun = process.cpuUsage()
    replacerOf(wanted(replace))
    const { user, system } = process.cpuUsage(begun)
    return user + system
  })
  return Math.max(1000, Math.min(...times))
}

test.each(['${', '$<', '${a', '$<a$'])('many %s are parsed as fast as other text', (begun) => {
  const times = 160_000 / begun.length
  expect(cost(begun.repeat(times)) / cost('$$'.repeat(80_000))).toBeLessThan(30)
})

test('an incomplete group reference is text', () => {
  const replacer = replacerOf(wanted('<${b$&>'))
  if (typeof replacer !== 'function') throw new Error(english(replacer.message))
  expect(replacer('cat')).toBe('c<${ba>t')
  expect(replacerOf(wanted('${b}'))).toMatchObject({ path: 'replace' })
})
