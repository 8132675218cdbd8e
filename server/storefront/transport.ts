// The one door from the platform's library to the network. The library knows a single fetch for the
// whole process; here it asks which one the present call goes through, so that the platform and its
// stand-in can both be spoken to.
import { AsyncLocalStorage } from 'node:async_hooks'
import '@shopify/shopify-api/adapters/node'
import { setAbstractFetchFunc } from '@shopify/shopify-api/runtime'

export type Transport = (url: string, init: RequestInit) => Promise<Response>

// The library alone sets no limit. It must be shorter than the lease of a token (token-lease.ts).
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

/** Runs `work`; every request that the library makes inside it goes through `transport`. */
export function through<T>(transport: Transport, work: () => Promise<T>): Promise<T> {
  return present.run(transport, work)
}
