import { expect, test } from 'vitest'
import { keyExpiryText, keyStatus, lastUsedText, SCOPES, USUAL_SCOPES } from './api-key-labels.ts'

const now = new Date('2026-06-01T12:00:00Z')
const key = (expires_at: string | null, revoked_at: string | null = null) => ({
  expires_at,
  revoked_at,
})

test('a key is active until it expires or is revoked', () => {
  expect(keyStatus(key(null), now).text).toBe('Active')
  expect(keyStatus(key('2026-06-01T12:00:01Z'), now).text).toBe('Active')
  expect(keyStatus(key('2026-06-01T12:00:00Z'), now).text).toBe('Expired')
  expect(keyStatus(key(null, '2026-05-01T00:00:00Z'), now).text).toBe('Revoked')
})

test('times are formatted, and missing ones read as never', () => {
  expect(lastUsedText({ last_used_at: null })).toBe('Never')
  expect(keyExpiryText({ expires_at: null })).toBe('Never')
  expect(keyExpiryText({ expires_at: '2026-06-01T12:00:00Z' }, 'en-GB')).toContain('2026')
})

test('the default choices are among the choices', () => {
  const known = SCOPES.map(({ scope }) => scope)
  expect(USUAL_SCOPES.filter((scope) => !known.includes(scope))).toEqual([])
  expect(new Set(known).size).toBe(known.length)
})
