import { expect, test } from 'vitest'
import { quotedStrings } from './dns-strings.ts'

test('a long text is split into strings that DNS accepts, and nothing of it is lost', () => {
  expect(quotedStrings('v=spf1 ~all')).toBeNull()
  expect(quotedStrings('a'.repeat(255))).toBeNull()
  const text = `v=DKIM1; k=rsa; p=${'MIIB'.repeat(98)}`
  const strings = [...(quotedStrings(text) ?? '').matchAll(/"([^"]*)"/g)].map(([, one = '']) => one)
  expect(strings.map(({ length }) => length)).toEqual([255, 155])
  expect(strings.join('')).toBe(text)
})
