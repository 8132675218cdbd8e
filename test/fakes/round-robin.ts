// A load balancer that sends each request to the next of its servers.
import {
  Agent,
  createServer,
  request as send,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RoundRobin {
  url: string
  /** The number of requests that each server got. */
  counts: number[]
  close(): Promise<void>
}

const OF_CONNECTION = new Set(['connection', 'keep-alive'])

/** Headers without those of the connection: a balancer's connections are its own. */
const ofMessage = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)))

/** @param targets read for each request: a server that ends is left out by removing it. */
export async function startRoundRobin(targets: () => readonly string[]): Promise<RoundRobin> {
  let turn = 0
  const counts: number[] = []
  // A server may close an idle connection at the moment when the next request is sent on it.
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity })
  const pass = (request: IncomingMessage, response: ServerResponse) => {
    const all = targets()
    const at = turn++ % all.length
    counts[at] = (counts[at] ?? 0) + 1
    const { method, headers, url = '/' } = request
    const onward = send(
      new URL(url, all[at]),
      { method, headers: ofMessage(headers), agent },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, ofMessage(answer.headers))
        answer.on('error', () => response.destroy())
        answer.pipe(response)
      },
    )
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent) return void response.destroy()
      response.writeHead(502, { 'content-type': 'text/plain' })
      response.end(`No answer from ${all[at]}: ${error.code ?? error.message}`)
    })
    request.on('error', () => onward.destroy())
    request.pipe(onward)
  }
  // Longer than clients keep idle connections. With Node's 5 s, a client on a busy machine sends
  // its next request on a connection that is being closed.
  const server = createServer({ keepAliveTimeout: 65_000 }, pass)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
