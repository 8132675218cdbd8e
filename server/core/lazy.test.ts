import { expect, it, vi } from 'vitest'
import { lazy, withBoth } from './lazy.ts'

it('makes a field when it is first read, and once', () => {
  const make = vi.fn<() => string>(() => 'made')
  const never = vi.fn<() => string>(() => 'made')
  const whole = withBoth({ own: 1 }, withBoth(lazy({ make, never }), { last: 2 }))
  expect(Object.keys(whole)).toEqual(['own', 'make', 'never', 'last'])
  expect(make).not.toHaveBeenCalled()
  expect([whole.make, whole.make, whole.own, whole.last]).toEqual(['made', 'made', 1, 2])
  expect(make).toHaveBeenCalledOnce()
  expect(never).not.toHaveBeenCalled()
})
