// Twilio's Messages API on a real socket: it checks the account, records accepted messages, and
// answers or disconnects as the test sets.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TwilioAccount } from '../../server/core/configuration/environment.ts'

export interface TwilioFake {
  account: TwilioAccount
  /** The forms of the accepted messages. */
  taken: Record<string, string>[]
  /**
   * `error`: a Twilio error code, with status 400. `break-off`: the message is accepted, but the
   * connection closes without a response.
   */
  behaviour: 'accept' | 'break-off' | { status: number } | { error: number }
  close(): Promise<void>
}

export async function startTwilioFake(): Promise<TwilioFake> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { account, behaviour } = fake
      const answer = (status: number, json: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
      const basic = Buffer.from(`${account.accountSid}:${account.authToken}`).toString('base64')
      if (request.headers.authorization !== `Basic ${basic}`)
        return answer(401, { code: 20003, message: 'Authenticate' })
      if (request.url !== `/2010-04-01/Accounts/${account.accountSid}/Messages.json`)
        return answer(404, { code: 20404, message: 'Not found' })
      if (typeof behaviour === 'object' && 'status' in behaviour)
        return answer(behaviour.status, { message: 'Try later' })
      if (typeof behaviour === 'object')
        return answer(400, { code: behaviour.error, message: 'No' })
      fake.taken.push(Object.fromEntries(new URLSearchParams(body)))
      if (behaviour === 'break-off') return void request.socket.destroy()
      answer(201, { sid: `SM${'0'.repeat(32)}`, status: 'queued' })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const fake: TwilioFake = {
    account: {
      accountSid: `AC${'0123456789abcdef'.repeat(2)}`,
      authToken: 'a token of at least sixteen',
      from: '+15005550006',
      apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    taken: [],
    behaviour: 'accept',
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return fake
}
