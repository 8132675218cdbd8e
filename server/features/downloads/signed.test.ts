import { expect, it } from 'vitest'
import { createSecrets } from '../../core/secrets.ts'
import { createSignedAddresses } from './public.ts'

const [BEFORE, AFTER] = [
  'the secret that was used before, long',
  'the secret that is used now, as long',
]
const BASE = 'https://cdn.example.com'
const target = {
  token: '0f8fad5b-d9cb-469f-a165-70867728950e',
  hash: 'ab'.repeat(32),
  filename: 'Band & Tour.pdf',
}
const now = new Date()

it('addresses that were signed with the previous secret are valid while it is configured', () => {
  const addressesOf = (secret: string, ...previous: string[]) =>
    createSignedAddresses(BASE, createSecrets(secret, { previous }))
  const old = addressesOf(BEFORE).addressOf(target, now).slice(BASE.length)
  expect(addressesOf(AFTER, BEFORE).read(old, now)).toMatchObject(target)
  expect(addressesOf(AFTER).read(old, now)).toBeNull()
  const fresh = addressesOf(AFTER, BEFORE).addressOf(target, now).slice(BASE.length)
  expect(addressesOf(AFTER).read(fresh, now)).toMatchObject(target)
  expect(addressesOf(BEFORE).read(fresh, now)).toBeNull()
})
