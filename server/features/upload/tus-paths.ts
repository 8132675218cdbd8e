// The tus part of /api/uploads in the OpenAPI document. It has no endpoints of ours: a tus server
// answers it (server/features/upload/tus-route.ts).
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { z } from 'zod'
import { ANY_OTHER_ERROR, errorReply } from '../../http/schemas.ts'
import { TUS_VERSION } from './tus.ts'

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

const operation = (given: Omit<ZodOpenApiOperationObject, 'tags'>): ZodOpenApiOperationObject => ({
  ...given,
  responses: { ...given.responses, default: ANY_OTHER_ERROR },
  description:
    `${given.description ?? ''}\n\ntus 1.0: any tus client works. Scope: \`imports:write\`.`.trim(),
  tags: ['Uploads'],
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
              'Pairs of a name and a value in base64: `filename`, and if wanted `on_conflict` (`error`, `rename`, `overwrite`, `new_version`), `tags`, `batch`, `size`',
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
          'Upload-On-Conflict': z
            .enum(['error', 'rename', 'overwrite', 'new_version'])
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
