// One file: reading and changing it, its bytes, its downloads and its public address.
import { z } from 'zod'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { listDownloads } from '../downloads/model/history.ts'
import { editFile, fieldsEdit } from '../../files/edit.ts'
import { locateFile, readFile } from '../../files/list.ts'
import { requireHarmless } from '../../files/quarantine.ts'
import { rotateAddress } from '../../files/public-addresses.ts'
import { parsePublicId, requirePublicId, toPublicId } from '../../core/ids.ts'
import type { WholeBlobs } from '../../files/whole-blobs.ts'
import { contentReplies, sendContent } from '../../http/content.ts'
import { fromCursor, listPage, uuid } from '../../http/cursors.ts'
import { endpointsOf, isApiKey, type Endpoint } from '../../http/endpoint.ts'
import { waitingTime } from '../../http/body.ts'
import { lacksFfmpeg, type ReadPreview } from '../previews/previews.ts'
import { readSample, SAMPLE_PROBLEMS, type SampleProblem } from '../samples/model.ts'
import { fileRecord, fileView, fileSchema } from './record.ts'
import {
  checkAsk,
  MAX_NAMED_PACKS,
  say,
  sayFixed,
  sayPlain,
  settingChanges,
} from '../../../plugins/contract/index.ts'
import { askFields, withAskTerm } from '../links/model/ask-terms.ts'
import { cleanName } from '../../files/rules.ts'
import { errorSchema, filename, listOf, page, tags, timestamp } from '../../http/schemas.ts'

const endpoint = endpointsOf({ tag: 'Files' })

const packId = z.string().transform((id, context) => {
  const uuid = parsePublicId('pack', id)
  if (uuid !== null) return uuid
  context.addIssue({
    code: 'custom',
    message: sayPlain('This is not the id of a pack'),
    params: { code: 'invalid_value' },
  })
  return z.NEVER
})

export interface FileRouteParts {
  blobs: WholeBlobs
  baseUrl: string
  clock: () => Date
  readPreview: ReadPreview
}

export const fileRoutes = (parts: FileRouteParts): Endpoint[] => [
  read(parts),
  change(parts),
  content(parts),
  preview(parts),
  downloads(),
  publicAddress(parts),
]

const sampleSchema = z
  .object({
    url: z.url().nullable().describe('null while it is being made, or if it cannot be'),
    size_bytes: z.number().int().nullable(),
    problem: z
      .object({
        code: z.enum(Object.keys(SAMPLE_PROBLEMS) as SampleProblem[]),
        message: z.string(),
      })
      .nullable()
      .describe('Why it cannot be made'),
  })
  .meta({ id: 'FileSample', description: 'What everyone may read or hear of the file' })

const whole = fileSchema.extend({
  sample: sampleSchema.nullable(),
  links_active: z.number().int(),
  storage: z
    .object({
      location: z.string(),
      copies: z
        .array(z.string())
        .describe('Other storage locations with a copy of the current version'),
      backed_up_at: timestamp.nullable().describe('When it was last backed up'),
    })
    .meta({ id: 'FileStorage', description: 'Where the bytes are' }),
})

async function wholeFile({ baseUrl, clock }: FileRouteParts, scope: ShopScope, id: string) {
  const row = await readFile(scope, id, clock())
  if (!row) throw new AppError('not_found')
  const { links_active, storage } = row
  const backed_up_at = storage.backed_up_at && new Date(storage.backed_up_at).toISOString()
  const found = await readSample(scope, id)
  const sample = found && {
    url: found.path === null ? null : baseUrl + found.path,
    size_bytes: found.size_bytes,
    problem: found.reason && { code: found.reason, message: SAMPLE_PROBLEMS[found.reason] },
  }
  return {
    ...fileRecord(row, await fileView(scope, baseUrl)),
    links_active,
    sample,
    storage: { ...storage, backed_up_at },
  }
}

const read = (parts: FileRouteParts) =>
  endpoint('GET /api/files/{id}', {
    summary: 'Read a file',
    description:
      'A request with an API key waits up to 10 seconds for the SHA-256 digest of new bytes, or as long as `Prefer: wait=N` says. After that it is null until it is computed.',
    scope: 'files:read',
    replies: { 200: { description: 'The file', schema: whole } },
    handler: async ({ caller, params, ctx }) => {
      const id = requirePublicId('file', params.id)
      const body = await wholeFile(parts, caller.scope, id)
      const { seconds, applied } = waitingTime(ctx, isApiKey(caller) ? PROGRAM_WAIT_SECONDS : 0)
      if (applied) ctx.set('Preference-Applied', applied)
      if (body.sha256 !== null) return { body }
      const found = await locateFile(caller.scope, id)
      const { shop } = caller.scope
      const sha256 = found && (await parts.blobs.sums.within({ ...found, shop }, seconds * 1000))
      return { body: { ...body, sha256 } }
    },
  })

const change = (parts: FileRouteParts) =>
  endpoint('PATCH /api/files/{id}', {
    summary: 'Change a file',
    description:
      'Absent fields stay unchanged. `pack_ids` are all packs of the file, `pack_id` its only one (null: none); it gets their products, and loses those that no pack of it has. To add it to a pack that stays beside others, use the action `move-to-pack`.',
    scope: 'files:write',
    body: z
      .strictObject({
        filename: filename.overwrite(cleanName).optional(),
        tags: tags.optional(),
        ...settingChanges,
        password: askFields.password,
        pack_id: packId.nullable().optional(),
        pack_ids: z
          .array(packId)
          .max(MAX_NAMED_PACKS, sayFixed('At most {count} packs', { count: MAX_NAMED_PACKS }))
          .optional(),
      })
      .superRefine(checkAsk)
      .refine(({ pack_id, pack_ids }) => pack_id === undefined || pack_ids === undefined, {
        path: ['pack_id'],
        message: 'Send either `pack_id` or `pack_ids`',
      })
      .meta({ id: 'FileChange' }),
    edits:
      ({ pack, packs, ask_for: asked }) =>
      (field) => {
        if (field === 'pack_ids') return (packs as { id: string }[]).map(({ id }) => id)
        return field === 'pack_id' ? ((pack as { id: string } | null)?.id ?? null) : asked
      },
    replies: {
      200: { description: 'The current state of the file', schema: whole },
      409: {
        description: 'The name is taken, or an operation is using the file',
        schema: errorSchema,
      },
      422: { description: 'Every problem', schema: errorSchema },
    },
    handler: async ({ caller, params, body }) => {
      const id = requirePublicId('file', params.id)
      await editFile(caller.scope, id, fieldsEdit(await withAskTerm(caller.scope, body)))
      return { body: await wholeFile(parts, caller.scope, id) }
    },
  })

const content = ({ blobs }: FileRouteParts) =>
  endpoint('GET /api/files/{id}/content', {
    summary: 'Download a file’s current bytes',
    description: 'Not counted as a download. Supports `Range` and `If-None-Match`.',
    scope: 'files:read',
    replies: contentReplies,
    handler: async ({ caller, params, ctx }) => {
      const found = await locateFile(caller.scope, requirePublicId('file', params.id))
      if (!found) throw new AppError('not_found')
      requireHarmless(found)
      await sendContent(ctx, blobs, caller.scope.shop, found)
      return null
    },
  })

/** A program often asks only once, and has no page whose parts delay each other. */
const PROGRAM_WAIT_SECONDS = 10

const preview = ({ readPreview }: FileRouteParts) =>
  endpoint('GET /api/files/{id}/preview', {
    summary: 'A small picture of a file',
    ofManyOnAPage: true,
    description:
      'Of an image, the first page of a PDF document, the cover of an audio file or, where ffmpeg is installed, a frame of a video. WebP, at most 160 pixels wide and high. Made when it is first asked for: a request with an API key waits up to 10 seconds for it, or as long as `Prefer: wait=N` says; the page asks again.',
    scope: 'files:read',
    replies: {
      200: { description: 'The picture', schema: null },
      404: {
        description:
          'It is being made (`being_made`: ask again after `Retry-After`), or there is none: the file is of another kind, cannot be opened, or is a video and ffmpeg is not installed (`ffmpeg_missing`)',
        schema: errorSchema,
      },
    },
    handler: async ({ caller, params, ctx }) => {
      const id = requirePublicId('file', params.id)
      const { seconds, applied } = waitingTime(ctx, isApiKey(caller) ? PROGRAM_WAIT_SECONDS : NaN)
      if (applied) ctx.set('Preference-Applied', applied)
      const found = await readPreview(
        caller.scope,
        id,
        Number.isNaN(seconds) ? undefined : seconds * 1000,
      )
      if (found === 'pending')
        throw new AppError('being_made', {
          message: say('The picture is being made: ask again in a moment'),
          retryAfter: 2,
        })
      if (!found)
        throw new AppError((await lacksFfmpeg(caller.scope, id)) ? 'ffmpeg_missing' : 'not_found')
      ctx.set('Cache-Control', 'private, max-age=86400')
      ctx.set('X-Content-Type-Options', 'nosniff')
      ctx.set('ETag', `"${found.hash}-160"`)
      ctx.type = 'image/webp'
      ctx.body = found.image
      return null
    },
  })

const downloads = () =>
  endpoint('GET /api/files/{id}/downloads', {
    summary: 'List a file’s downloads, newest first',
    description: 'Only recorded ones: none while `download_tracking` is off.',
    scope: 'files:read',
    query: z.strictObject(page),
    replies: {
      200: {
        description: 'A page of downloads',
        schema: listOf(
          z.object({
            at: timestamp,
            link_id: z.string().nullable().describe('null: through its public address'),
            address: z.string(),
            agent: z.string(),
          }),
        ),
      },
    },
    handler: async ({ caller, params, query: { limit, cursor } }) => {
      const before = fromCursor(cursor, [uuid])?.[0] ?? null
      const rows = await listDownloads(caller.scope, requirePublicId('file', params.id), {
        before,
        limit: limit + 1,
      })
      if (!rows) throw new AppError('not_found')
      return {
        body: listPage(
          rows,
          limit,
          (last) => [last.id],
          ({ at, link_id, address, agent }) => ({
            at: at.toISOString(),
            address,
            agent,
            link_id: link_id && toPublicId('link', link_id),
          }),
        ),
      }
    },
  })

const publicAddress = (parts: FileRouteParts) =>
  endpoint('POST /api/files/{id}/public-address', {
    summary: 'Replace the address of a public file',
    description:
      'The old address stops working immediately. A private file has none: make it public first.',
    scope: 'files:write',
    replies: {
      200: { description: 'The file, with its new `public_url`', schema: whole },
      409: { description: 'The file is private', schema: errorSchema },
    },
    handler: async ({ caller, params }) => {
      const id = requirePublicId('file', params.id)
      const token = await rotateAddress(caller.scope, id)
      const file = await wholeFile(parts, caller.scope, id)
      if (token === null)
        throw new AppError('conflict', { message: say('A private file has no public address') })
      return { body: file }
    },
  })
