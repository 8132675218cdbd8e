import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { createSecrets } from '../secrets.ts'
import { signatureHeaders, webhookSecret, webhookSecrets } from './signatures.ts'

it('while a previous secret of the server is configured, receivers accept the old and the new key', () => {
  const [before, after] = [
    'the secret that was used before, long',
    'the secret that is used now, long',
  ]
  const both = createSecrets(after, { previous: [before] })
  const headers = signatureHeaders(webhookSecrets(both, 7), 'message', new Date(), '{"a":1}')
  for (const secret of [before, after]) {
    const receiver = new Webhook(webhookSecret(createSecrets(secret), 7))
    expect(receiver.verify('{"a":1}', headers)).toEqual({ a: 1 })
  }
  expect(webhookSecret(both, 7)).toBe(webhookSecret(createSecrets(after), 7))
})
