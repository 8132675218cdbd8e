import { expect, test } from 'vitest'
import { isAllowed, isRange, countedAs, plainAddress } from './addresses.ts'

test.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
  ['2001:DB8::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
])('%s is the address %s', (address, plain) => {
  expect(plainAddress(address)).toBe(plain)
})

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

test('failures are counted for an IPv4 address, mapped or not, and for an IPv6 /64', () => {
  expect(countedAs('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(countedAs('2001:db8:1:2:3::4')).toBe('2001:db8:1:2')
})
