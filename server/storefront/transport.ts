// The only way from the platform's library to the network. The library uses one fetch for the whole
// process; this one uses the transport of the current call, so that the platform and the demo can
// both be reached.
import { AsyncLocalStorage } from 'node:async_hooks'
import '@shopify/shopify-api/adapters/node'
import { setAbstractFetchFunc } from '@shopify/shopify-api/runtime'

export type Transport = (url: string, init: RequestInit) => Promise<Response>

// The library itself sets no time limit. It must be shorter than the lease of a token
// (token-lease.ts).
const TIMEOUT_MS = 20_000

const present = new AsyncLocalStorage<Transport>()

setAbstractFetchFunc((input: Parameters<typeof fetch>[0], init: RequestInit = {}) => {
  const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(init.signal ? [init.signal] : [])]
  const url = input instanceof Request ? input.url : String(input)
  return (present.getStore() ?? fetch)(url, {
    ...init,
    redirect: 'error',
    signal: AbortSignal.any(signals),
  })
})

/** Runs `work`; every request of the library inside it uses `transport`. */
export function withTransport<T>(transport: Transport, work: () => Promise<T>): Promise<T> {
  return present.run(transport, work)
}
