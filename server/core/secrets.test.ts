import { describe, expect, test } from 'vitest'
import { createSecrets, hashKey, SEAL_HEAD_BYTES } from './secrets.ts'

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

describe('a secret that was replaced', () => {
  const [before, after] = [
    'the secret that was used before, long',
    'the secret that is used now, as long',
  ]
  const old = createSecrets(before)
  const both = createSecrets(after, { previous: [before] })
  const only = createSecrets(after)

  test('opens values of both, and seals with the new one', () => {
    expect(both.open(old.seal('value', 'a'), 'a')).toBe('value')
    expect(only.open(both.seal('value', 'a'), 'a')).toBe('value')
    expect(() => old.open(both.seal('value', 'a'), 'a')).toThrow()
    expect(() => both.open(old.seal('value', 'a'), 'b')).toThrow()
  })

  test('values are sealed again, by their head alone, and not twice', () => {
    const sealed = old.seal('a longer value', 'a')
    const again = both.reseal(sealed, 'a')!
    expect(only.open(again, 'a')).toBe('a longer value')
    expect(both.reseal(again, 'a')).toBeNull()
    const head = both.reseal(sealed.subarray(0, SEAL_HEAD_BYTES), 'a')!
    expect(head).toHaveLength(SEAL_HEAD_BYTES)
    const joined = Buffer.concat([head, sealed.subarray(SEAL_HEAD_BYTES)])
    expect(only.open(joined, 'a')).toBe('a longer value')
    expect(() => both.reseal(sealed, 'b')).toThrow()
  })

  test('keys of earlier links are found by their hash; new links get keys of the new secret', () => {
    const key = old.linkKey('link', 3)
    expect(both.linkKey('link', 3, hashKey(key))).toBe(key)
    expect(both.linkKey('link', 3)).toBe(only.linkKey('link', 3))
    expect(only.linkKey('link', 3, hashKey(key))).not.toBe(key)
    const retired = createSecrets(after, { retiredLinkKeys: [old.derive('link')] })
    expect(retired.linkKey('link', 3, hashKey(key))).toBe(key)
  })

  test('the hashes that rows are found by stay the same', () => {
    const known = { lookupRoot: before }
    const now = createSecrets(after, known)
    expect(now.lookupKey('licence-keys')).toEqual(old.lookupKey('licence-keys'))
    expect(now.clientHash('a client')).toEqual(old.clientHash('a client'))
  })
})
