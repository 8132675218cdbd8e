// The port of the web role. It is closed until the process is ready, so that a proxy sends requests
// to another one. Only if the start has to wait, it is open before: probes then learn that the
// process lives and is not ready.
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { say } from '../../plugins/contract.ts'
import type { Environment } from '../core/configuration/environment.ts'
import { AppError } from '../core/errors.ts'
import type { Logger } from '../core/log.ts'
import { errorResponses } from '../http/errors.ts'
import { health } from '../http/health.ts'
import { listen } from '../http/listen.ts'

const STOP_WITHIN_MS = 5000
const RETRY_SECONDS = 2

/** The answer of a process that is not ready yet. */
export const starting = (): AppError =>
  new AppError('unavailable', {
    message: say('This process is starting'),
    retryAfter: RETRY_SECONDS,
  })

export interface Entrance {
  /** Listens before the application is ready. Rejects with a sentence if the port is taken. */
  open(): Promise<void>
  /** Listens, if it does not yet, and passes all requests on. */
  serve(app: RequestListener): Promise<{ port: number }>
  /** Closes the port, and connections that do not end. */
  close(): Promise<void>
}

export function createEntrance(
  { port, host }: Pick<Environment, 'port' | 'host'>,
  log: Logger,
): Entrance {
  let handle: RequestListener | null = null
  let server: Server | null = null
  const open = async (first: () => RequestListener) => {
    handle = first()
    server ??= await listen((request, response) => handle?.(request, response), port, host)
    return server
  }
  return {
    open: async () => void (await open(() => startingApp(log))),
    serve: async (app) => ({ port: ((await open(() => app)).address() as AddressInfo).port }),
    close: async () => {
      if (!server?.listening) return
      const closed = new Promise((resolve) => server?.close(resolve))
      server.closeIdleConnections()
      setTimeout(() => server?.closeAllConnections(), STOP_WITHIN_MS).unref()
      await closed
    },
  }
}

function startingApp(log: Logger): RequestListener {
  const app = new Koa()
  app.use(errorResponses(log))
  app.use(health({ check: () => Promise.reject(starting()) }))
  app.use(() => Promise.reject(starting()))
  const callback = app.callback()
  return (request, response) => void callback(request, response)
}
