// A web server that holds every request until the test releases it, so that an import stays in
// progress.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HeldOrigin {
  url: string
  /** The number of requests that are held now. */
  waiting(): number
  /** Answers all held requests, and later ones immediately. */
  open(): void
  /** Holds later requests again. */
  hold(): void
  /** Answers later requests with 404. */
  refuse(): void
  close(): Promise<void>
}

/** Serves each path with the path itself as content. */
export async function startHeldOrigin(): Promise<HeldOrigin> {
  const held = new Map<ServerResponse, string>()
  let mode: 'open' | 'held' | 'refused' = 'held'
  const answer = (response: ServerResponse, path: string) =>
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(path)
  const server = createServer((request, response) => {
    if (mode === 'refused') return void response.writeHead(404).end()
    if (mode === 'open') return void answer(response, request.url!)
    held.set(response, request.url!)
    response.once('close', () => held.delete(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => held.size,
    open: () => {
      mode = 'open'
      for (const [response, path] of held) answer(response, path)
      held.clear()
    },
    hold: () => {
      mode = 'held'
    },
    refuse: () => {
      mode = 'refused'
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
