import { expect, test } from 'vitest'
import { emailAddress } from './rules.ts'

const accepts = (text: string) => emailAddress('No address').safeParse(text).success

test.each([
  'buyer@example.com',
  'first.last+tag@mail.example.co.uk',
  'a..b@docomo.ne.jp',
  'name.@ezweb.ne.jp',
  '.start@example.com',
  'käufer@müller.example',
  "o'brien@example.com",
  'x@y-z.example',
])('%s', (text) => expect(accepts(text)).toBe(true))

test.each([
  '',
  'buyer',
  'buyer@',
  '@example.com',
  'buyer@example',
  'buyer@example..com',
  'buyer@example.com.',
  'two words@example.com',
  'a@b@example.com',
  'a@example.com, b@example.com',
  'Ada <ada@example.com>',
  'a@example.com\r\nBcc: b@example.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b.'.repeat(200)}example.com`,
])('not %s', (text) => expect(accepts(text)).toBe(false))
