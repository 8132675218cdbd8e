import { expect, test } from 'vitest'
import { networkOf, plainAddress, shortenedAddress, subnetOf } from './client-address.ts'

test.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
  ['2001:DB8::1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
  ['fe80::1%br-lan.100', 'fe80::1%br-lan.100'],
])('%s is the address %s', (address, plain) => {
  expect(plainAddress(address)).toBe(plain)
})

test('one client is an IPv4 address, mapped or not, or an IPv6 /64', () => {
  expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(networkOf('2001:db8:1:2:3::4')).toBe('2001:db8:1:2')
  expect(networkOf('2001:db8::1')).toBe('2001:db8:0:0')
  expect(networkOf('192.0.2.1')).toBe('192.0.2.1')
  expect(networkOf('fe80::1%br-lan')).toBe('fe80:0:0:0')
})

test.each(['', 'unknown', '10.1', '192.0.2.1:80'])(
  '“%s” is no address and stays as it is',
  (text) => {
    expect(plainAddress(text)).toBe(text)
    expect(networkOf(text)).toBe(text)
  },
)

test.each([
  ['192.0.2.57', '192.0.2'],
  ['::ffff:192.0.2.57', '192.0.2'],
  ['192.0.20.5', '192.0.20'],
])('%s is in the network %s', (address, network) => {
  expect(subnetOf(address)).toBe(network)
})

test('addresses of one IPv6 /64 are one network', () => {
  expect(subnetOf('2001:db8:1:2::1')).toBe(subnetOf('2001:db8:1:2:ffff::9'))
  expect(subnetOf('2001:db8:1:2::1')).not.toBe(subnetOf('2001:db8:1:3::1'))
})

test.each([
  ['192.0.2.57', '192.0.2.0/24'],
  ['::ffff:192.0.2.57', '192.0.2.0/24'],
  ['2001:db8:1:2::9', '2001:db8:1::/48'],
  ['fe80::1%br-lan', 'fe80:0:0::/48'],
  ['unknown', ''],
])('%s is kept as %s', (address, shortened) => {
  expect(shortenedAddress(address)).toBe(shortened)
})
