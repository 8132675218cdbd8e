import { expect, test } from 'vitest'
import { z } from 'zod'
import { referringSite } from './rules.ts'

test.each([
  ['shop.example.com', 'shop.example.com'],
  [' Shop.Example.COM ', 'shop.example.com'],
  ['*.example.com', '*.example.com'],
  ['https://shop.example.com/collections?x=1', 'shop.example.com'],
  ['shop.example.com:8443', 'shop.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['localhost', 'localhost'],
  ['127.0.0.1', '127.0.0.1'],
])('%j is stored as %s', (written, kept) => {
  expect(referringSite.parse(written)).toBe(kept)
})

test.each([
  '',
  ' ',
  'two words.com',
  '*',
  '*.',
  'a.*.com',
  'shop*.com',
  'a..b',
  '-a.com',
  '\ud800',
  'a\u0000',
  'x'.repeat(400),
])('%j is refused', (written) => {
  expect(referringSite.safeParse(written).success).toBe(false)
})

test('its form and its description can be rendered', () => {
  expect(z.toJSONSchema(referringSite)).toMatchObject({ type: 'string' })
})
