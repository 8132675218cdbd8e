// GET /healthz: the process runs. GET /readyz: it can do its work, so a load balancer may send it
// requests.
import type { Context, Next } from 'koa'

export interface Readiness {
  /** Throws `unavailable` while this process cannot do its work. */
  check(): Promise<void>
  /** The process is stopping: it is not ready any more. */
  drain(): void
}

export const HEALTH_PATHS = ['/healthz', '/readyz']

export function health(readiness: Pick<Readiness, 'check'>) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path === '/healthz') {
      ctx.body = { status: 'ok' }
    } else if (ctx.path === '/readyz') {
      await readiness.check()
      ctx.body = { status: 'ready' }
    } else await next()
  }
}
