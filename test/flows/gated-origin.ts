// An origin that serves half of every file and then waits for the test, so that an import stays in
// the middle of its downloads.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { contentOf } from '../fakes/content.ts'

export interface GatedOrigin {
  /** The address of a file of the bytes that content.ts generates for the seed. */
  file(size: number, seed: string): string
  /** The number of requests that wait for their second half. */
  readonly waiting: number
  readonly served: number
  /** Releases the next `count` requests, oldest first. */
  admit(count: number): void
  /** Releases all requests, and does not hold later ones. */
  open(): void
  /** Holds later requests again. */
  shut(): void
  close(): Promise<void>
}

export async function startGatedOrigin(): Promise<GatedOrigin> {
  const waiting = new Set<() => void>()
  let admitted = 0
  let served = 0
  const serve = (response: ServerResponse, size: number, seed: string) => {
    const bytes = contentOf(size, seed)
    const half = Math.ceil(size / 2)
    response.writeHead(200, { 'content-length': size, 'content-type': 'application/octet-stream' })
    response.write(bytes.subarray(0, half))
    const rest = () => {
      waiting.delete(rest)
      served += 1
      response.end(bytes.subarray(half))
    }
    waiting.add(rest)
    response.once('close', () => waiting.delete(rest))
    release()
  }
  const release = () => {
    for (const rest of waiting) {
      if (admitted <= 0) return
      admitted -= 1
      rest()
    }
  }
  const server = createServer((request, response) => {
    response.on('error', () => {})
    const [, size, seed] = request.url!.split('/')
    serve(response, Number(size), seed!)
  })
  server.on('connection', (socket) => socket.on('error', () => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    file: (size, seed) => `http://127.0.0.1:${port}/${size}/${seed}`,
    get waiting() {
      return waiting.size
    },
    get served() {
      return served
    },
    admit: (count) => {
      admitted += count
      release()
    },
    open: () => {
      admitted = Infinity
      release()
    },
    shut: () => {
      admitted = 0
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}
