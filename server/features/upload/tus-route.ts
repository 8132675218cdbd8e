// The tus part of /api/uploads: authenticated like every endpoint, then answered by the tus server.
// Its requests are not rate limited, because a folder of small files needs hundreds of them; the
// number of open uploads is limited instead.
import type { Context, Next } from 'koa'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { z } from 'zod'
import { ON_CONFLICT, type OnConflict } from '../../../plugins/contract/index.ts'
import type { Authenticator } from '../../http/auth.ts'
import { requireImportScopes, requireScopes } from '../../http/endpoint.ts'
import { notAllowed } from '../../http/errors.ts'
import type { Mount } from '../../http/listen.ts'
import { ANY_OTHER_ERROR, errorReply, onConflict } from '../../http/schemas.ts'
import type { Tag } from '../../http/tags.ts'
import { CHECKSUMS } from './receive.ts'
import { EXTENSIONS } from './store.ts'
import { TUS_VERSION } from './tus.ts'
import { handleTus, UPLOADS_PATH, type UploadParts } from './upload.ts'

export interface TusRequestParts {
  uploads: UploadParts
  authenticator: Authenticator
}

const PATH = new RegExp(`^${UPLOADS_PATH}(/(?!(batches|check|check-names|results)/?$)[^/]*)?$`)
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
      const permit = (choice: OnConflict) => requireImportScopes(caller, choice)
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

// The tus part of /api/uploads in the OpenAPI document. It has no endpoints of ours: a tus server
// answers it (above).

const resumable = z.literal(TUS_VERSION).describe('The version of the protocol')
const offset = z.coerce.number().int().min(0)
const id = z.strictObject({ id: z.string() })

const NO_SCOPE = {
  401: errorReply('No valid API key or session token'),
  403: errorReply('The key lacks the scope'),
}
const GONE = {
  ...NO_SCOPE,
  404: errorReply('No such upload in this shop'),
  410: errorReply('It was not finished in time'),
}

const TAG: Tag = 'Uploads'
const operation = (given: Omit<ZodOpenApiOperationObject, 'tags'>): ZodOpenApiOperationObject => ({
  ...given,
  responses: { ...given.responses, default: ANY_OTHER_ERROR },
  description:
    `${given.description ?? ''}\n\ntus 1.0: any tus client works. Scope: \`imports:write\`.`.trim(),
  tags: [TAG],
})

export const tusPaths: ZodOpenApiPathsObject = {
  '/api/uploads': {
    options: operation({
      summary: 'Read the capabilities of the tus server',
      responses: {
        204: {
          description: '`Tus-Version`, `Tus-Extension`, `Tus-Max-Size`, `Tus-Checksum-Algorithm`',
        },
      },
      security: [],
    }),
    post: operation({
      summary: 'Begin an upload',
      description:
        'Without a batch it is imported separately when it is complete. Invalid names are refused before a byte is sent.',
      requestParams: {
        header: z.object({
          'Tus-Resumable': resumable,
          'Upload-Length': z.coerce.number().int().min(1).describe('Bytes'),
          'Upload-Metadata': z
            .string()
            .describe(
              'Pairs of a name and a value in base64: `filename`, and if wanted `on_conflict` (' +
                ON_CONFLICT.map((one) => `\`${one}\``).join(', ') +
                '), `tags`, `product_sku`, `pack` (a name), `batch`, `size`',
            ),
        }),
      },
      responses: {
        201: { description: 'Send the bytes to the address in `Location`' },
        ...NO_SCOPE,
        413: errorReply('The file is larger than the shop may have'),
        422: errorReply('Every problem'),
        429: errorReply('Too many uploads are open'),
      },
    }),
  },
  '/api/uploads/{id}': {
    head: operation({
      summary: 'Read how much of an upload has arrived',
      requestParams: { path: id, header: z.object({ 'Tus-Resumable': resumable }) },
      responses: {
        200: { description: '`Upload-Offset`, `Upload-Length`, `Upload-Metadata`' },
        ...GONE,
      },
    }),
    patch: operation({
      summary: 'Send bytes of an upload',
      requestParams: {
        path: id,
        header: z.object({
          'Tus-Resumable': resumable,
          'Upload-Offset': offset.describe('Where these bytes begin: the offset from `HEAD`'),
          'Upload-On-Conflict': onConflict
            .optional()
            .describe('Changes the `on_conflict` of the upload'),
          'Upload-Checksum': z
            .string()
            .optional()
            .describe('Algorithm and base64 of these bytes’ checksum: `sha1`, `sha256`, `md5`'),
        }),
      },
      requestBody: {
        required: true,
        content: {
          'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } },
        },
      },
      responses: {
        204: { description: '`Upload-Offset` is the new offset' },
        ...GONE,
        409: errorReply('The upload is not at this offset'),
        413: errorReply('More bytes than were announced'),
        415: errorReply('The bytes are not sent as application/offset+octet-stream'),
        422: errorReply('The name was taken since the upload was created'),
        460: errorReply('The bytes do not match the checksum'),
      },
    }),
    delete: operation({
      summary: 'Cancel an upload',
      requestParams: { path: id, header: z.object({ 'Tus-Resumable': resumable }) },
      responses: { 204: { description: 'Deleted' }, ...GONE },
    }),
  },
}
