// A load balancer that sends each request to the next of its servers.
import {
  Agent,
  createServer,
  request as send,
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

/** @param targets read for each request: a server that ends is left out by removing it. */
export async function startRoundRobin(targets: () => readonly string[]): Promise<RoundRobin> {
  let turn = 0
  const counts: number[] = []
  // A server may close an idle connection at the moment when the next request is sent on it.
  const agent = new Agent({ keepAlive: false })
  const pass = (request: IncomingMessage, response: ServerResponse) => {
    const all = targets()
    const at = turn++ % all.length
    counts[at] = (counts[at] ?? 0) + 1
    const { method, headers, url = '/' } = request
    const onward = send(new URL(url, all[at]), { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.on('error', () => onward.destroy())
    request.pipe(onward)
  }
  const server = createServer(pass)
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
