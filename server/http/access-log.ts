// The access log: one JSON line for each request that was answered. It contains routes, never
// addresses, because addresses contain the keys of links.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createLogger, type Logger } from '../core/log.ts'
import { traceFields } from '../core/tracing.ts'

const REQUEST_ID = 'X-Request-Id'

export interface AccessLog {
  /** Logs the request when its response has ended or its client has left. */
  begin(request: IncomingMessage, response: ServerResponse, method: string): void
  /** `route`: as in the API document. */
  setRoute(response: ServerResponse, route: string): void
}

/** LOG_LEVEL does not apply to its lines. */
export function openAccessLog(log: Pick<Logger, 'info'> = createLogger('info')): AccessLog {
  const routes = new WeakMap<ServerResponse, string>()
  return {
    begin: ({ socket }, response, method) => {
      const begun = performance.now()
      const sentBefore = socket.bytesWritten
      response.setHeader(REQUEST_ID, randomUUID())
      // The event below is not part of the request's trace.
      const ids = traceFields()
      response.once('close', () =>
        log.info('request', {
          method,
          route: routes.get(response) ?? 'other',
          status: response.statusCode,
          // With headers, as they were sent.
          bytes: socket.bytesWritten - sentBefore,
          ms: Math.round((performance.now() - begun) * 10) / 10,
          complete: response.writableFinished,
          request_id: String(response.getHeader(REQUEST_ID)),
          ...ids,
        }),
      )
    },
    setRoute: (response, route) => void routes.set(response, route),
  }
}
