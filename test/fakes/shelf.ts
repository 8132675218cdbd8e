// A web server that serves the documents that a test adds, by name.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Shelf {
  /** Without a trailing slash. */
  url: string
  documents: Map<string, Buffer>
  close(): Promise<void>
}

export async function startShelf(): Promise<Shelf> {
  const documents = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    const bytes = documents.get(decodeURIComponent(request.url!.slice(1)))
    if (!bytes) return void response.writeHead(404).end()
    response.writeHead(200, {
      'content-length': bytes.length,
      'content-type': 'application/octet-stream',
    })
    response.end(request.method === 'HEAD' ? undefined : bytes)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    documents,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
