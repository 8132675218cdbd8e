import { expect, test } from 'vitest'
import texts from '../../shell/messages/en.json' with { type: 'json' }
import { addressAction } from './labels.ts'

test('an address that is missing is added, and one that is wrong is corrected', () => {
  expect(addressAction({ title: 'Order #1001 has no email address' })).toBe('Add an address')
  const wrong = 'An email came back'
  expect(addressAction({ title: wrong })).toBe('Correct the address')
  // The catalog has the titles that the server writes now.
  expect(texts).toHaveProperty([wrong])
})
