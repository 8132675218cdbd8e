// Names from outside are looked up by `ownValue`, or in a `Map`: a plain object has values under
// `constructor` and `toString` that nobody stored, and loses what is stored under `__proto__`.
import { expect, test } from 'vitest'
import { ownValue } from '../plugins/contract/index.ts'
import { namesAsKeys } from './names-as-keys.ts'
import { WAIT_MS } from './wait.ts'
import { soakTest } from './scale.ts'

soakTest(
  'no name that is only known at run time is looked up in a plain object',
  () => {
    const found = namesAsKeys().map(({ place, text }) => `${place} ${text}`)
    expect(found).toEqual([])
  },
  WAIT_MS,
)

test('an object has no value under a name that it inherits', () => {
  for (const name of Object.getOwnPropertyNames(Object.prototype)) {
    expect(ownValue({}, name)).toBeUndefined()
    expect(ownValue(JSON.parse(`{"${name}":1}`) as Record<string, number>, name)).toBe(1)
  }
})
