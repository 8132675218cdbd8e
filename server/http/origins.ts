// Origins whose pages may call the API from a browser. What a feature does for one is only called
// for requests that name it.
import type { Context, Next } from 'koa'

export type Origins = Readonly<Record<string, (ctx: Context, next: Next) => unknown>>

/** Koa middleware, before authentication: a preflight carries no token. */
export function apiOrigins(origins: Origins) {
  const byOrigin = new Map(Object.entries(origins))
  return (ctx: Context, next: Next): unknown => {
    if (!ctx.path.startsWith('/api/')) return next()
    ctx.vary('Origin')
    const allow = byOrigin.get(ctx.get('Origin'))
    return allow ? allow(ctx, next) : next()
  }
}
