// The tus part of /api/uploads: authenticated like every endpoint, then answered by the tus server.
// Its requests are not rate limited, because a folder of small files needs hundreds of them; the
// number of open uploads is limited instead.
import type { Context, Next } from 'koa'
import type { Entry } from '../../../plugins/contract.ts'
import { CHECKSUMS } from './receive.ts'
import { EXTENSIONS } from './store.ts'
import { TUS_VERSION } from './tus.ts'
import { handleTus, UPLOADS_PATH, type UploadParts } from './upload.ts'
import type { Authenticator } from '../../http/auth.ts'
import { requireImportScopes, requireScopes } from '../../http/scopes.ts'
import { notAllowed } from '../../http/errors.ts'
import type { Mount } from '../../http/mounts.ts'

export interface TusRequestParts {
  uploads: UploadParts
  authenticator: Authenticator
}

const PATH = new RegExp(`^${UPLOADS_PATH}(/(?!(batches|check-names|results)/?$)[^/]*)?$`)
const METHODS = { all: ['OPTIONS', 'POST'], one: ['OPTIONS', 'HEAD', 'PATCH', 'DELETE'] }

export function tusRequests(uploads: UploadParts, authenticator: Authenticator): Mount {
  const handle = async (ctx: Context, next: Next): Promise<void> => {
    const matched = PATH.exec(ctx.path)
    if (!matched) return next() as Promise<void>
    ctx.set('Tus-Resumable', TUS_VERSION)
    // For clients behind a proxy that blocks PATCH. From here on this is the request's method for
    // all code.
    ctx.method = ctx.get('X-HTTP-Method-Override').toUpperCase() || ctx.method
    // Mainly GET: uploads cannot be downloaded from here.
    const methods = METHODS[(matched[1] ?? '/') === '/' ? 'all' : 'one']
    if (!methods.includes(ctx.method)) throw notAllowed(ctx, methods)
    // tus: a client asks what the server supports without credentials.
    if (ctx.method === 'OPTIONS') return describe(ctx, uploads.fileBytes)
    const caller = await authenticator.authenticate(ctx.req)
    requireScopes(caller, ['imports:write'])
    ctx.set('Cache-Control', 'no-store')
    try {
      const permit = (onConflict: Entry['on_conflict']) => requireImportScopes(caller, onConflict)
      await handleTus(uploads, { ...caller, permit }, ctx.req, ctx.res)
    } catch (error) {
      // Tells the client early that the rest of a refused chunk is not needed.
      if (ctx.method === 'PATCH' && !ctx.req.complete) ctx.set('Connection', 'close')
      throw error
    }
    ctx.respond = false
  }
  return { path: [UPLOADS_PATH, `${UPLOADS_PATH}/`], route: UPLOADS_PATH, handle }
}

/** What the server can do, for any client. */
function describe(ctx: Context, fileBytes: number): void {
  ctx.set({
    'Tus-Version': TUS_VERSION,
    'Tus-Extension': EXTENSIONS.join(','),
    'Tus-Max-Size': String(fileBytes),
    'Tus-Checksum-Algorithm': CHECKSUMS.join(','),
    'Cache-Control': 'no-store',
  })
  ctx.status = 204
}
