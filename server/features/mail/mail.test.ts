import { expect, it, onTestFinished } from 'vitest'
import { silent } from '../../../test/database.ts'
import { openDatabase } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { createSecrets } from '../../core/secrets.ts'
import { resolveByServers } from '../../ports/addresses.ts'
import type { Message } from '../../core/outbox/outbox.ts'
import { createMailTokens, createShopServers } from './sender.ts'
import { linkMails } from './link-mail.ts'
import { mailDeliverer } from './mail.ts'

const UUID = '0199c2f5-d2c0-7f0a-9b7e-3f4a5b6c7d8e'
const message = (payload: object): Message => ({
  id: UUID,
  kind: 'email',
  payload,
  content: null,
  operation_id: null,
  created_at: new Date(),
  failures: 0,
  attempts: 1,
  lease: 1,
})
const content = { to: ['ann@example.com'], subject: 'Hello', text: 'Hello' }

it('hands over no mail of a batch whose keys cannot be read: it is sent again as a whole', async () => {
  const database = openDatabase('postgres://127.0.0.1:1/none', 1, silent)
  onTestFinished(() => database.close())
  const sent: string[] = []
  const secrets = createSecrets('the secret of the tests, long enough')
  const { batch } = mailDeliverer({
    server: {
      handOver: ({ subject }) => {
        sent.push(subject)
        return Promise.resolve({ status: 'sent' })
      },
    },
    mailWriters: new Map([['download-link', linkMails]]),
    from: 'shop@example.com',
    baseUrl: 'http://127.0.0.1',
    clock: () => new Date(),
    secrets,
    blobs: { read: () => Promise.reject(new Error('no document in this test')) },
    log: silent,
    returnAddress: null,
    providerHeaders: () => ({}),
    tokens: createMailTokens(secrets),
    shopServers: createShopServers({ allowLoopback: true, resolve: resolveByServers }, secrets),
  })
  const written = [
    { message: message({ template: 'import-finished', data: {} }), content },
    { message: message({ template: 'download-link', link: UUID }), content },
  ]
  const sending = batch!.send(forShop(database, 1), written, new AbortController().signal)
  await expect(sending).rejects.toThrow('ECONNREFUSED')
  expect(sent).toEqual([])
})
