// A file's versions: an import can add one, and each can be restored.
import { z } from 'zod'
import { sayPlain, numeric } from '../../../../plugins/contract/index.ts'
import type { Limits } from '../../../core/configuration/limits.ts'
import type { Engine } from '../../../engine/engine.ts'
import { AppError } from '../../../core/errors.ts'
import { readFile } from '../../../files/list.ts'
import { requireHarmless } from '../../../files/quarantine.ts'
import {
  listVersions,
  locateVersion,
  restoreVersion,
  type VersionRow,
} from '../../../files/versions.ts'
import { parsePublicId, requirePublicId } from '../../../core/ids.ts'
import { present } from '../../../core/lazy.ts'
import { contentReplies, orRefusal, sendContent } from '../../../http/content.ts'
import { fromCursor, integer, listPage } from '../../../http/cursors.ts'
import { endpointsOf, type Endpoint, requireImportScopes } from '../../../http/endpoint.ts'
import { waitingTime } from '../../../http/body.ts'
import {
  errorSchema,
  fetchUrl,
  linkUrl,
  listOf,
  shortPage,
  timestamp,
} from '../../../http/schemas.ts'
import { importAnswer, importReply } from '../../api/routes.ts'
import { replaceFromUpload, replaceFromUrl } from '../replace.ts'
import { fileRecord, fileView, fileSchema } from '../record.ts'
import type { FileRouteParts } from '../routes.ts'

const endpoint = endpointsOf({ tag: 'Versions' })

const versionSchema = z
  .object({
    number: z.number().int(),
    filename: z.string().describe('The file’s name when these bytes arrived'),
    size_bytes: z.number().int(),
    content_type: z.string(),
    link_url: z
      .string()
      .nullable()
      .describe('The address that buyers of a link are sent to; null: it is no link'),
    location: z.string(),
    current: z.boolean(),
    created_at: timestamp,
    expires_at: timestamp.nullable().describe('When it is removed, unless it is restored'),
  })
  .meta({ id: 'Version' })

const byNumber = z.strictObject({
  id: z.string(),
  n: numeric(
    z
      .number()
      .int()
      .min(1)
      .max(2 ** 31 - 1),
  ),
})

export interface VersionRouteParts extends FileRouteParts {
  engine: Engine
  limits: Limits
}

export const versionRoutes = (parts: VersionRouteParts): Endpoint[] => [
  list(),
  replace(parts),
  restore(parts),
  content(parts),
]

const list = () =>
  endpoint('GET /api/files/{id}/versions', {
    summary: 'List a file’s versions, newest first',
    scope: 'files:read',
    query: z.strictObject(shortPage),
    replies: { 200: { description: 'A page of versions', schema: listOf(versionSchema) } },
    handler: async ({ caller, params, query: { limit, cursor } }) => {
      const before = fromCursor(cursor, [integer])?.[0] ?? null
      const rows = await listVersions(caller.scope, requirePublicId('file', params.id), {
        before,
        limit: limit + 1,
      })
      // Version 1 is the last one unless it was removed: a page after it is empty.
      if (rows.length === 0 && before === null) throw new AppError('not_found')
      return { body: listPage(rows, limit, (last) => [last.number], recordOf) }
    },
  })

const recordOf = (row: VersionRow): z.output<typeof versionSchema> => ({
  ...row,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
})

const replace = ({ engine, limits }: VersionRouteParts) =>
  endpoint('POST /api/files/{id}/versions', {
    summary: 'Replace a file: its links deliver the new bytes',
    description:
      'From an address, or with a complete upload that is in no import yet; a link gets another `link_url`. It is an import of one file, and answers like one. It also needs `files:write`.',
    scope: 'imports:write',
    body: z
      .strictObject({
        url: fetchUrl.optional(),
        link_url: linkUrl.optional().describe('The next address of a link'),
        upload_id: z.string().max(100).optional(),
      })
      .refine((given) => Object.values(given).filter((one) => one !== undefined).length === 1, {
        path: ['url'],
        message: sayPlain('Send one of url, link_url and upload_id'),
      })
      .meta({ id: 'VersionRequest' }),
    replies: {
      200: { description: 'The import has ended', schema: importReply },
      202: { description: 'The import is still running', schema: importReply },
      409: { description: 'The upload cannot be used: the message says why', schema: errorSchema },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller, params, body, idempotencyKey, signal, ctx }) => {
      requireImportScopes(caller, 'new_version')
      const file = requirePublicId('file', params.id)
      const by = { name: caller.name, idempotencyKey }
      const id =
        body.url === undefined && body.link_url === undefined
          ? await replaceFromUpload(
              engine,
              caller.scope,
              file,
              parsePublicId('upload', present(body.upload_id, 'upload_id')),
              by,
            )
          : await replaceFromUrl(engine, caller.scope, file, body, by)
      const wait = waitingTime(ctx, limits.wait_seconds)
      const operation = await engine.waitForEnd(caller.scope, id, wait.seconds * 1000, signal)
      return importAnswer(engine, caller.scope, present(operation, 'The import'), wait.applied)
    },
  })

const restore = ({ baseUrl, blobs, clock }: VersionRouteParts) =>
  endpoint('POST /api/files/{id}/versions/{n}/restore', {
    summary: 'Restore a version',
    description:
      'Its links deliver these bytes. If a conversion had changed the extension, the file gets that of the version back.',
    scope: 'files:write',
    params: byNumber,
    replies: {
      200: { description: 'The current state of the file', schema: fileSchema },
      409: {
        description: 'The name is taken, or an operation is using the file',
        schema: errorSchema,
      },
    },
    handler: async ({ caller, params }) => {
      const id = requirePublicId('file', params.id)
      const version = await locateVersion(caller.scope, id, params.n)
      // Links would deliver nothing of a damaged one.
      if (version) await orRefusal(blobs.ensure({ ...version, shop: caller.scope.shop }))
      await restoreVersion(caller.scope, id, params.n)
      const row = await readFile(caller.scope, id, clock())
      if (!row) throw new AppError('not_found')
      return { body: fileRecord(row, await fileView(caller.scope, baseUrl)) }
    },
  })

const content = ({ blobs }: VersionRouteParts) =>
  endpoint('GET /api/files/{id}/versions/{n}/content', {
    summary: 'Download a version’s bytes',
    description: 'Not counted as a download. Supports `Range` and `If-None-Match`.',
    scope: 'files:read',
    params: byNumber,
    replies: contentReplies,
    handler: async ({ caller, params, ctx }) => {
      const found = await locateVersion(caller.scope, requirePublicId('file', params.id), params.n)
      if (!found) throw new AppError('not_found')
      requireHarmless(found)
      await sendContent(ctx, blobs, caller.scope.shop, found)
      return null
    },
  })
