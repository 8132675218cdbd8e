import { expect, test } from 'vitest'
import { isSiteAllowed, sitesOf } from './request.ts'

test.each([
  [undefined, null],
  ['', null],
  ['https://blog.example.com/a?b#c', ['blog.example.com', '*.example.com', '*.com']],
  ['https://BLOG.Example.com:8443/', ['blog.example.com', '*.example.com', '*.com']],
  ['http://bücher.example/', ['xn--bcher-kva.example', '*.example']],
  ['http://localhost/', ['localhost']],
  ['https://example.com./', ['example.com', '*.com']],
  ['android-app://com.example', null],
  ['nonsense', null],
  // A buyer's mailbox.
  ['https://mail.google.com/', null],
  ['https://outlook.live.com/mail/0/', null],
  ['https://nam02.safelinks.protection.outlook.com/?url=x', null],
  ['https://3c.gmx.net/', null],
  ['https://webmail.example.edu/', null],
  ['https://gmail.example.com/', ['gmail.example.com', '*.example.com', '*.com']],
])('normalizes the sites of %j', (referer, sites) => {
  expect(sitesOf(referer)).toEqual(sites)
})

test('a host is allowed by its name or by a wildcard, which requires a subdomain', () => {
  const from = (allowed: string[], referer?: string) => isSiteAllowed(allowed, sitesOf(referer))
  expect(from([], 'https://anywhere.example/')).toBe(true)
  expect(from(['a.example'], undefined)).toBe(true)
  expect(from(['a.example'], 'https://a.example/x')).toBe(true)
  expect(from(['*.a.example'], 'https://b.c.a.example/')).toBe(true)
  expect(from(['*.a.example'], 'https://a.example/')).toBe(false)
  for (const other of [
    'https://xa.example/',
    'https://a.example.evil.test/',
    'https://evil.test/?a.example',
  ])
    expect([other, from(['a.example', '*.a.example'], other)]).toEqual([other, false])
})
