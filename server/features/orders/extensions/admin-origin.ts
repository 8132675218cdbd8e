// Lets the admin's extensions call the API from the origin at which the platform runs them. They
// sign in with the same tokens as the admin page; CORS allows nothing else.
import type { Context, Next } from 'koa'
import type { Origins } from '../../../http/listen.ts'

/** Exported for tests, which send what the platform's browsers send. */
export const EXTENSION_ORIGIN = 'https://extensions.shopifycdn.com'

export const adminExtensions: Origins = { [EXTENSION_ORIGIN]: allowExtension }

function allowExtension(ctx: Context, next: Next): unknown {
  ctx.set('Access-Control-Allow-Origin', EXTENSION_ORIGIN)
  if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method') === '') return next()
  ctx.set('Access-Control-Allow-Methods', 'GET, POST, PATCH')
  ctx.set('Access-Control-Allow-Headers', 'authorization, content-type')
  ctx.set('Access-Control-Max-Age', '600')
  ctx.status = 204
  return undefined
}
