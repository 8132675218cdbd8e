// Connects the app's platform client with the demo platform: every https://<shop>/… goes to the
// listener, with its Host header.
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'
import type { Transport } from '../storefront/operations.ts'

/** @param url where the demo platform listens. */
export function createDemoTransport(url: string): {
  transport: Transport
  close: () => Promise<void>
} {
  const { hostname, port } = new URL(url)
  const connect = buildConnector({})
  // Every host name connects to the listener: no request of demo mode leaves the machine.
  const dispatcher = new Agent({
    connect: (options, done) => connect({ ...options, hostname, port }, done),
  })
  return {
    transport: (target, init) =>
      undiciFetch(target.replace(/^https:/, 'http:'), {
        ...init,
        dispatcher,
      } as never) as unknown as Promise<Response>,
    close: () => dispatcher.close(),
  }
}
