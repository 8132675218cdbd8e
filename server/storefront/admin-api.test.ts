// A request that waits for points of the shop.
import { expect, test } from 'vitest'
import { PortError } from '../../plugins/contract/index.ts'
import { silent } from '../../test/database.ts'
import type { Access } from './access.ts'
import { createAdminRequests } from './admin-api.ts'
import type { Library } from './library.ts'
import type { Transport } from './operations.ts'

test('a time limit that ends during the wait for points is not the fault of the query', async () => {
  const throttleStatus = { maximumAvailable: 1000, currentlyAvailable: 0, restoreRate: 1 }
  let sent = 0
  class Graphql {
    request() {
      sent += 1
      const extensions = { cost: { requestedQueryCost: 50, throttleStatus } }
      return Promise.resolve({ data: {}, extensions })
    }
  }
  const requestsOf = createAdminRequests({
    library: { clients: { Graphql } } as unknown as Library,
    transport: fetch as unknown as Transport,
    access: {
      grant: () => Promise.resolve({ domain: 'a.myshopify.com', accessToken: 'the-token' }),
    } as unknown as Access,
    log: silent,
    firstBackoffMs: 1,
  })
  const send = (signal: AbortSignal) =>
    requestsOf(1)({ name: 'Orders', text: 'query Orders { shop { id } }' }, {}, 50, signal)
  await send(new AbortController().signal)
  const late = await send(AbortSignal.timeout(20)).catch((error: unknown) => error)
  expect(late).toBeInstanceOf(PortError)
  expect(late).toMatchObject({ code: 'storefront_unavailable', retryable: true })
  // A process that stops is no answer of the platform.
  const stop = new AbortController()
  const stopped = send(stop.signal)
  stop.abort(new Error('stopping'))
  await expect(stopped).rejects.toThrow('stopping')
  expect(sent).toBe(1)
})
