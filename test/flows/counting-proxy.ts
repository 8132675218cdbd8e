// A proxy that counts the bytes of uploads, as they leave a client, and can hold the next ones.
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CountingProxy {
  url: string
  /** The bytes of bodies of PATCH so far that were passed on. */
  uploaded(): number
  /** The requests so far. */
  requests(): number
  /**
   * Passes on no PATCH that begins after this number of bytes; resolves when one was held, after
   * `then` was called. Those that begin later are passed on.
   */
  holdAfter(bytes: number, then: () => void): Promise<void>
  close(): Promise<void>
}

export async function startCountingProxy(target: string): Promise<CountingProxy> {
  let uploaded = 0
  let requests = 0
  let hold: { after: number; held: () => void } | null = null
  const pass = (incoming: IncomingMessage, answer: ServerResponse) => {
    const { method, url: path, headers } = incoming
    requests++
    if (method === 'PATCH' && hold && uploaded >= hold.after) {
      hold.held()
      hold = null
      incoming.destroy()
      return
    }
    const outgoing = request(new URL(path!, target), { method, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers)
      response.pipe(answer)
    })
    outgoing.on('error', () => answer.destroy())
    if (method === 'PATCH') incoming.on('data', (chunk: Buffer) => (uploaded += chunk.length))
    incoming.on('error', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }
  const server = createServer(pass)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    uploaded: () => uploaded,
    requests: () => requests,
    holdAfter: (after, then) =>
      new Promise((resolve) => {
        hold = {
          after,
          held: () => {
            then()
            resolve()
          },
        }
      }),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
