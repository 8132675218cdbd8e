// The server's port and the time limits of its connections.
import { createServer, type RequestListener, type Server } from 'node:http'

/** Longer than the longest wait for an operation's end, during which no bytes are sent. */
const STALL_MS = 300_000

/**
 * Listens, and resolves with the server once it does. Rejects with a sentence if the port is taken.
 * A connection that is idle for `stallMs` is closed; the duration of a whole request is not
 * limited, since an upload may take hours. `setting`: the variable that names the port.
 */
export async function listen(
  app: RequestListener,
  port: number,
  host: string,
  stallMs = STALL_MS,
  setting = 'PORT',
): Promise<Server> {
  const server = createServer(
    { keepAliveTimeout: 65_000, headersTimeout: 60_000, requestTimeout: 0 },
    app,
  )
  server.setTimeout(stallMs)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`${setting}: ${port} is taken on ${host}; set another one`)
          : error,
      ),
    )
    server.listen(port, host, resolve)
  })
  return server
}
