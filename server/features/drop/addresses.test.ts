import { expect, test } from 'vitest'
import { isAllowed, isRange } from './addresses.ts'

test.each([
  ['192.0.2.77', '192.0.2.0/24', true],
  ['::ffff:192.0.2.77', '192.0.2.0/24', true],
  ['192.0.2.77', '::ffff:192.0.2.0/120', true],
  ['192.0.3.77', '::ffff:192.0.2.0/120', false],
  ['192.0.2.77', '::ffff:192.0.2.77', true],
  ['192.0.2.77', '::ffff:0:0/96', true],
  ['2001:db8::1', '::ffff:0:0/96', false],
  ['2001:db8::1', '0.0.0.0/0', false],
  ['192.0.2.77', '::/0', false],
  ['fe80::1%eth0', 'fe80::/10', true],
])('%s in %s: %s', (address, range, expected) => {
  expect(isAllowed(address, [range])).toBe(expected)
})

test('an account without ranges allows every address', () => {
  expect(isAllowed('2001:db8::1', [])).toBe(true)
})

test.each([
  ['192.0.2.0/24', true],
  ['192.0.2.1', true],
  ['2001:db8::/32', true],
  ['::ffff:192.0.2.0/120', true],
  ['192.0.2.0/33', false],
  ['192.0.2', false],
  ['192.0.2.010', false],
  ['::ffff:192.0.2.0/129', false],
  ['192.0.2.0/', false],
  ['192.0.2.0/8/8', false],
  ['example.com', false],
  ['', false],
])('“%s” is a range: %s', (text, expected) => {
  expect(isRange(text)).toBe(expected)
})
