// A receiver of callbacks on a real socket: it keeps what was posted and answers as the test sets.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface ReceivedRequest {
  headers: Record<string, string>
  body: string
}

export interface Receiver {
  url: string
  posts: ReceivedRequest[]
  /** The status of the response; `null`: never answers. */
  status: number | null
  /** Further response headers, such as `location`. */
  headers: Record<string, string>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      receiver.posts.push({ headers: request.headers as Record<string, string>, body })
      if (receiver.status !== null) response.writeHead(receiver.status, receiver.headers).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stevedore?token=t0p`,
    posts: [],
    status: 204,
    headers: {},
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return receiver
}
