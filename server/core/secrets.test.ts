import { expect, test } from 'vitest'
import { createSecrets } from './secrets.ts'

const secrets = createSecrets('a secret of more than thirty-two characters')

test('a sealed value can only be opened with its own context', () => {
  const sealed = secrets.seal('shpat_token', 'shop/1/access_token')
  expect(secrets.open(sealed, 'shop/1/access_token')).toBe('shpat_token')
  expect(sealed.includes('shpat_token')).toBe(false)
  expect(() => secrets.open(sealed, 'shop/2/access_token')).toThrow()
  expect(() =>
    createSecrets('another secret of more than thirty-two').open(sealed, 'shop/1/access_token'),
  ).toThrow()
  const damaged = Buffer.from(sealed)
  damaged[40]! ^= 1
  expect(() => secrets.open(damaged, 'shop/1/access_token')).toThrow()
})

test('sealing twice gives different results', () => {
  expect(secrets.seal('same', 'x').equals(secrets.seal('same', 'x'))).toBe(false)
})

test('a link’s key is the same each time, and new after each rotation', () => {
  const key = secrets.linkKey('0199aaaa-0000-7000-8000-000000000000', 0)
  expect(key).toMatch(/^[\w-]{43}$/)
  expect(secrets.linkKey('0199aaaa-0000-7000-8000-000000000000', 0)).toBe(key)
  expect(secrets.linkKey('0199aaaa-0000-7000-8000-000000000000', 1)).not.toBe(key)
})
