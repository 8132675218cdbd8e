// Uploads, except the tus protocol itself (server/features/upload/tus-route.ts): batches, and which names are taken.
import { z } from 'zod'
import {
  entrySettingFields,
  packName,
  packNames,
  sayPlain,
  sayFixed,
} from '../../../plugins/contract/index.ts'
import { AppError } from '../../core/errors.ts'
import { parsePublicId, requirePublicId, toOperationId, toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { endpointsOf, type Endpoint, requireImportScopes } from '../../http/endpoint.ts'
import { storedMessage } from '../../core/texts.ts'
import {
  errorSchema,
  itemError,
  messageText,
  onConflict,
  productNameFields,
  tags,
  timestamp,
} from '../../http/schemas.ts'
import type { WholeBlobs } from '../../files/whole-blobs.ts'
import { operationPath, operationRecord, operationSchema } from '../operations/record.ts'
import {
  compareOffered,
  computeNamedSums,
  type ComparedFile,
  type ShopFile,
} from './check-uploads.ts'
import {
  changeBatch,
  checkNames,
  continueDirect,
  createBatch,
  noteSeen,
  readBatch,
  readResults,
  startBatch,
  type BatchView,
  type UploadParts,
} from './upload.ts'

const MAX_COUNT = 100_000
const MAX_NAMES = 10_000
const MAX_RESULTS = 200
const MAX_CHECKED = 1000

/** What an import writes to all files of a batch. */
const fileChoices = z.strictObject({
  tags: tags.optional().describe('In addition to the tags of each file'),
  pack: packName.optional().describe('The name of their pack, created if there is none'),
  packs: packNames.optional().describe('The names of several packs, instead of `pack`'),
  ...productNameFields,
  ...entrySettingFields,
})

const batchSchema = z
  .object({
    id: z.string(),
    count: z.number().int().nullable(),
    auto_map: z.boolean().nullable(),
    private: z.boolean(),
    notify: z.boolean().nullable(),
    files: fileChoices.describe('What the import writes to all files'),
    uploading: z.number().int().describe('Files that are being uploaded'),
    received: z.number().int().describe('Complete files that are in no import yet'),
    operation_id: z.string().nullable().describe('The newest import of its files'),
    operation_ids: z
      .array(z.string())
      .describe('All of them, in the order in which they were started'),
    requested_by: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'UploadBatch' })

const batchBody = z
  .strictObject({
    count: z
      .int()
      .min(1, sayPlain('At least one file'))
      .max(MAX_COUNT, sayFixed('At most {count} files', { count: MAX_COUNT }))
      .optional()
      .describe(
        'The number of files: each is imported when it has arrived, and the import ends with the last one',
      ),
    auto_map: z
      .boolean()
      .optional()
      .describe('Guess products from names and titles; absent: the shop’s setting'),
    private: z
      .boolean()
      .optional()
      .describe(
        'No product gets the files, by a mapping rule either: they are made for one buyer (`POST /api/orders/files`)',
      ),
    notify: z.boolean().optional().describe('Send the import email; absent: the shop’s setting'),
    files: fileChoices.optional().describe('What the import writes to all files'),
  })
  .meta({ id: 'UploadBatchRequest' })

const nameSchema = z
  .object({
    filename: z.string(),
    taken: z
      .object({ file_id: z.string(), filename: z.string(), size_bytes: z.number().int() })
      .nullable()
      .describe('The file that has this name'),
    error: z
      .object({ code: z.string(), message: z.string(), message_text: messageText })
      .nullable()
      .describe('Why no file may have this name'),
  })
  .meta({ id: 'CheckedName' })

const resultSchema = z
  .object({
    upload_id: z.string(),
    filename: z.string(),
    status: z.enum(['uploading', 'received', 'importing', 'done', 'failed', 'skipped']),
    operation_id: z.string().nullable(),
    file_id: z.string().nullable().describe('The imported file'),
    products: z.array(z.string()).describe('The titles of its products'),
    error: itemError.nullable(),
  })
  .meta({ id: 'UploadResult' })

const endpoint = endpointsOf({ tag: 'Uploads', scope: 'imports:write' })

export function uploadRoutes({
  uploads,
  blobs,
  clock,
}: {
  uploads: UploadParts
  blobs: Pick<WholeBlobs, 'sums'>
  clock: () => Date
}): Endpoint[] {
  return [
    create(),
    read(),
    change(),
    start(uploads, clock),
    names(),
    check(blobs),
    results(),
    pieces(uploads),
  ]
}

const create = () =>
  endpoint('POST /api/uploads/batches', {
    summary: 'Begin a batch of uploads',
    description:
      'Files uploaded (tus 1.0, /api/uploads) with its id in their metadata as `batch` are imported together.',
    body: batchBody,
    replies: { 201: { description: 'The batch', schema: batchSchema } },
    handler: async ({ caller, body }) => {
      const { count = null, ...options } = body
      const request = {
        ...(options.auto_map === undefined ? {} : { auto_map: options.auto_map }),
        ...(options.private === undefined ? {} : { private: options.private }),
        ...(options.notify === undefined ? {} : { notify: options.notify }),
        ...(options.files === undefined ? {} : { files: options.files }),
      }
      const batch = await createBatch(caller.scope, { count, request, requestedBy: caller.name })
      return { status: 201, body: batchRecord(batch) }
    },
  })

const read = () =>
  endpoint('GET /api/uploads/batches/{id}', {
    summary: 'Read a batch of uploads',
    description:
      'Its import ends five minutes after the last byte and the last of these requests: send one each minute while the uploads pause.',
    replies: { 200: { description: 'The batch', schema: batchSchema } },
    handler: async ({ caller, params }) => {
      const id = requirePublicId('batch', params.id)
      await noteSeen(caller.scope, id)
      const batch = await readBatch(caller.scope, id)
      if (!batch) throw new AppError('not_found')
      return { body: batchRecord(batch) }
    },
  })

const change = () =>
  endpoint('PATCH /api/uploads/batches/{id}', {
    summary: 'Change what the import writes to the files of a batch',
    description:
      'It applies to files that have not arrived yet. Fields that are absent are removed from the choices.',
    body: z.strictObject({ files: fileChoices }).meta({ id: 'UploadBatchChange' }),
    replies: { 200: { description: 'The batch', schema: batchSchema } },
    handler: async ({ caller, params, body }) => {
      const id = requirePublicId('batch', params.id)
      const batch = await changeBatch(caller.scope, id, body.files)
      if (!batch) throw new AppError('not_found')
      return { body: batchRecord(batch) }
    },
  })

const start = ({ engine }: UploadParts, clock: () => Date) =>
  endpoint('POST /api/uploads/batches/{id}/start', {
    summary: 'Import the received files of a batch',
    description:
      'Ends an import that takes in files as they arrive. Files that come later get another import when it is called ' +
      'again. With nothing new it answers as before.',
    replies: {
      202: { description: 'The import', schema: operationSchema },
      409: { description: 'Nothing has been received yet', schema: errorSchema },
    },
    handler: async ({ caller, params }) => {
      const id = await startBatch(engine, caller.scope, requirePublicId('batch', params.id))
      const operation = present(await engine.get(caller.scope, id), 'The operation')
      return {
        status: 202,
        headers: { Location: operationPath(operation) },
        body: operationRecord(engine, operation, clock()),
      }
    },
  })

const names = () =>
  endpoint('POST /api/uploads/check-names', {
    summary: 'Check which names are taken',
    body: z.strictObject({
      filenames: z
        .array(z.string().max(1000))
        .min(1, sayPlain('At least one name'))
        .max(MAX_NAMES, sayFixed('At most {count} names', { count: MAX_NAMES })),
    }),
    replies: {
      200: {
        description: 'One answer for each name, in their order',
        schema: z.object({
          data: z.array(nameSchema),
        }),
      },
    },
    handler: async ({ caller, body }) => {
      const checked = await checkNames(caller.scope, body.filenames)
      const data = checked.map(({ filename, taken, problem }) => ({
        filename,
        taken: taken && {
          file_id: toPublicId('file', taken.id),
          filename: taken.filename,
          size_bytes: taken.size_bytes,
        },
        error: problem && { code: problem.code, ...storedMessage(problem.message) },
      }))
      return { body: { data } }
    },
  })

const shopFile = z.object({ file_id: z.string(), filename: z.string() })

const check = ({ sums }: Pick<WholeBlobs, 'sums'>) =>
  endpoint('POST /api/uploads/check', {
    summary: 'Compare files with those of the shop before they are sent',
    description: 'Files in the trash are left out.',
    body: z
      .strictObject({
        files: z
          .array(
            z.strictObject({
              filename: z.string().min(1).max(1000),
              size_bytes: z.number().int().min(0),
              sha256: z
                .string()
                .regex(/^[0-9a-f]{64}$/, sayPlain('Send 64 hex digits in small letters')),
            }),
          )
          .min(1, sayPlain('At least one file'))
          .max(MAX_CHECKED, sayFixed('At most {count} files', { count: MAX_CHECKED })),
      })
      .meta({ id: 'UploadCheckRequest' }),
    replies: {
      200: {
        description: 'One answer for each file, in their order',
        schema: z.object({
          data: z.array(
            z.object({
              status: z
                .enum(['new', 'unchanged', 'same_bytes_as', 'name_taken'])
                .describe(
                  '`unchanged`: the file of this name has these bytes; `same_bytes_as`: a file of another name has them; `name_taken`: the file of this name has others',
                ),
              file: shopFile.nullable().describe('The file that the status is about'),
              same_bytes_as: shopFile.nullable().describe('A file that has these bytes'),
              reason: z
                .enum(['digest_pending'])
                .optional()
                .describe('A file of this size has no digest yet, so that it may have these bytes'),
            }),
          ),
        }),
      },
    },
    handler: async ({ caller, body }) => {
      await computeNamedSums(caller.scope, sums, body.files)
      const compared = await compareOffered(caller.scope, body.files)
      return { body: { data: compared.map(checkedRecord) } }
    },
  })

function checkedRecord({ named, same, unsure }: ComparedFile) {
  const status =
    same && same.id === named?.id
      ? ('unchanged' as const)
      : named
        ? ('name_taken' as const)
        : same
          ? ('same_bytes_as' as const)
          : ('new' as const)
  const shown = (file: ShopFile | null) =>
    file && { file_id: toPublicId('file', file.id), filename: file.filename }
  return {
    status,
    file: shown(named ?? same),
    same_bytes_as: shown(same),
    ...(unsure ? { reason: 'digest_pending' as const } : {}),
  }
}

const results = () =>
  endpoint('POST /api/uploads/results', {
    summary: 'Read the results of uploads',
    body: z.strictObject({
      upload_ids: z
        .array(z.string())
        .min(1, sayPlain('At least one id'))
        .max(MAX_RESULTS, sayFixed('At most {count} ids', { count: MAX_RESULTS })),
    }),
    replies: {
      200: {
        description: 'One answer for each known upload, in the order of the ids',
        schema: z.object({
          data: z.array(resultSchema),
        }),
      },
    },
    handler: async ({ caller, body }) => {
      const ids = body.upload_ids.flatMap((id) => parsePublicId('upload', id) ?? [])
      const found = new Map(
        (await readResults(caller.scope, ids)).map((result) => [result.id, result]),
      )
      const data = ids.flatMap((id) => {
        const result = found.get(id)
        if (!result) return []
        const { filename, status, operation, error, file, products } = result
        return [
          {
            upload_id: toPublicId('upload', id),
            filename,
            status,
            operation_id: operation && toOperationId('import', operation),
            file_id: file && toPublicId('file', file),
            products,
            error: error && {
              code: error.code,
              message: error.message,
              retryable: error.retryable,
              ...(error.detail ? { detail: error.detail } : {}),
            },
          },
        ]
      })
      return { body: { data } }
    },
  })

const pieceSchema = z
  .object({
    offset: z.number().int().describe('The bytes that have arrived'),
    piece: z
      .object({
        size_bytes: z.number().int(),
        url: z.string().describe('Send exactly these bytes to it by PUT'),
        expires_at: timestamp.describe('Until then the request must begin'),
      })
      .nullable()
      .describe(
        'The next bytes, from the offset on; null: the upload is complete, or its bytes are sent by PATCH',
      ),
  })
  .meta({ id: 'UploadPiece' })

const pieces = (uploads: UploadParts) =>
  endpoint('POST /api/uploads/{id}/pieces', {
    summary: 'Get an address in the bucket for the next bytes of an upload',
    description:
      'For uploads whose replies have the header `Upload-Direct: 1`. Begin the upload with `POST /api/uploads`, then repeat ' +
      'this request and a PUT to the address that it gives. Each request counts the piece that has arrived, and the one ' +
      'after the last piece completes the upload. After an interruption continue in the same way.',
    ofManyOnAPage: true,
    body: z
      .strictObject({
        on_conflict: onConflict.optional().describe('Changes the `on_conflict` of the upload'),
      })
      .meta({ id: 'UploadPieceRequest' }),
    replies: {
      200: { description: 'The upload’s offset and the next piece', schema: pieceSchema },
    },
    handler: async ({ caller, params, body }) => {
      const choice = body.on_conflict ?? null
      if (choice) requireImportScopes(caller, choice)
      const id = requirePublicId('upload', params.id)
      const { offset, piece } = await continueDirect(uploads, caller.scope, id, choice)
      const next = piece && {
        size_bytes: piece.size,
        url: piece.url,
        expires_at: piece.expires.toISOString(),
      }
      return { body: { offset, piece: next } }
    },
  })

const fileChoicesOf = ({
  request: { files: { tags, allowed_referrers, ...files } = {} },
}: BatchView): z.output<typeof fileChoices> => ({
  ...files,
  ...(tags ? { tags: [...tags] } : {}),
  ...(allowed_referrers ? { allowed_referrers: [...allowed_referrers] } : {}),
})

function batchRecord(batch: BatchView): z.output<typeof batchSchema> {
  const operations = batch.operations.map((id) => toOperationId('import', id))
  return {
    id: toPublicId('batch', batch.id),
    count: batch.count,
    auto_map: batch.request.auto_map ?? null,
    private: batch.request.private ?? false,
    notify: batch.request.notify ?? null,
    files: fileChoicesOf(batch),
    uploading: batch.uploading,
    received: batch.received,
    operation_id: operations.at(-1) ?? null,
    operation_ids: operations,
    requested_by: batch.requested_by,
    created_at: batch.created_at.toISOString(),
  }
}
