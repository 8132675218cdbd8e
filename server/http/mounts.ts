// What answers requests at addresses that are no endpoints of the API. It is found by one look-up
// of the path: no other is called to find out that an address is not its own.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Next } from 'koa'

interface MountPath {
  /**
   * Exact paths, and prefixes of one or two segments, which end with `/`: `/samples/`. Paths are
   * compared as they were sent: neither case, percent-encoding nor doubled slashes are changed.
   */
  path: string | readonly string[]
}

/** Answers within Koa: behind metrics, the form of errors, and compression. */
export interface Mount extends MountPath {
  /** The label of metrics and logs; absent: as that of the page, or of the API. */
  route?: string
  /** Calls `next` for an address below its prefix that is not its own. */
  handle(ctx: Context, next: Next): unknown
}

/** Answers Node's own request before Koa: the hot path, and signatures over raw bodies. */
export interface RawMount extends MountPath {
  raw: true
  /**
   * The label of metrics and logs; absent: the path. A function returns null for an address below
   * its prefix that is not its own.
   */
  route?: string | ((url: string) => string | null)
  /** Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** Finds the mount of a path. Throws if a path is listed twice. */
export function mountsByPath<M extends MountPath>(
  mounts: readonly M[],
): (path: string) => M | undefined {
  const byPath = new Map<string, M>()
  for (const mount of mounts)
    for (const path of [mount.path].flat()) {
      if (byPath.has(path)) throw new Error(`The address ${path} is listed twice`)
      byPath.set(path, mount)
    }
  return (path) => {
    const found = byPath.get(path)
    if (found) return found
    const first = path.indexOf('/', 1) + 1
    if (first === 0) return undefined
    const second = path.indexOf('/', first) + 1
    const below = second === 0 ? undefined : byPath.get(path.slice(0, second))
    return below ?? byPath.get(path.slice(0, first))
  }
}

/** Koa middleware of all mounts. */
export function mounted(mounts: readonly Mount[]) {
  const of = mountsByPath(mounts)
  return (ctx: Context, next: Next): unknown => {
    const mount = of(ctx.path)
    return mount ? mount.handle(ctx, next) : next()
  }
}

// Origins whose pages may call the API from a browser. What a feature does for one is only called
// for requests that name it.

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
