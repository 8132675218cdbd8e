// POST /api/files/import: import files by URL.
import { z } from 'zod'
import {
  entrySettingFields,
  packName,
  packNames,
  sayPlain,
  sayFixed,
} from '../../../plugins/contract/index.ts'
import { hasEnded } from '../../engine/lifecycle.ts'
import type { Engine } from '../../engine/engine.ts'
import { shownOutcome, type ItemRow } from '../../engine/items.ts'
import type { OperationRow } from '../../engine/types.ts'
import type { Limits } from '../../core/configuration/limits.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import {
  apiKeyOf,
  endpoint,
  type Endpoint,
  linesForm,
  type Reply,
  type Request,
  requireImportScopes,
} from '../../http/endpoint.ts'
import { waitingTime } from '../../http/body.ts'
import { requireReachable, type Reach } from '../../http/auth.ts'
import {
  errorSchema,
  fetchHeaders,
  fetchUrl,
  filename,
  itemError,
  linkUrl,
  onConflict,
  productNameFields,
  sha256,
  tags,
  warning,
} from '../../http/schemas.ts'
import { operationId, operationPath } from '../operations/record.ts'
import {
  importFromApi,
  importLinesFromApi,
  type ApiCaller,
  type ApiImport,
} from '../imports/start.ts'

export const importReply = z
  .object({
    status: z.enum(['success', 'partial', 'failed', 'processing']),
    imported: z.number().int(),
    unchanged: z.number().int().describe('Files that have the bytes already'),
    skipped: z.number().int().describe('Files that were left out, such as those of taken names'),
    failed: z.number().int(),
    files: z
      .array(
        z.object({
          filename: z.string(),
          file_id: z.string().nullable(),
          status: z
            .enum(['imported', 'unchanged', 'unpacked', 'failed', 'skipped', 'queued'])
            .describe('`unchanged`: the file has these bytes, and all that the entry states'),
          product_mapped: z.boolean(),
          error: itemError.optional(),
          warnings: z.array(warning).optional(),
        }),
      )
      .describe('The first 1,000: `/api/operations/{id}/items` has all of them'),
    job_id: z.string(),
  })
  .meta({ id: 'Import' })

const importEntry = z
  .strictObject({
    filename,
    url: fetchUrl.optional().describe('Where the file is fetched; not with `link_url`'),
    link_url: linkUrl
      .optional()
      .describe(
        'Makes the file a link: nothing is fetched, and buyers are sent to this address. Its name gets the ending `.url`',
      ),
    headers: fetchHeaders.optional().describe('Headers of its request, before those of the import'),
    ...productNameFields,
    sha256: sha256.optional(),
    ...entrySettingFields,
    pack: packName
      .nullable()
      .optional()
      .describe('The name of its only pack, created if there is none; null: it is in no pack'),
    packs: packNames.optional().describe('The names of all its packs, instead of `pack`'),
    tags: tags.optional(),
  })
  .refine(({ pack, packs }) => pack === undefined || packs === undefined, {
    path: ['pack'],
    message: 'Send either `pack` or `packs`',
  })
  .refine(({ url, link_url }) => (url === undefined) !== (link_url === undefined), {
    path: ['url'],
    message: sayPlain('Send either url or link_url'),
  })
  .meta({ id: 'ImportEntry' })

/** What an import says about all its entries. */
const importFields = {
  headers: fetchHeaders
    .optional()
    .describe(
      'Headers of the requests for the files, such as `Authorization`. They are sealed, shown nowhere, and sent only to the host of each address: never after a redirect to another one',
    ),
  auto_map: z
    .boolean()
    .optional()
    .describe('Guess products from names and titles; absent: the shop’s setting'),
  notify: z.boolean().optional().describe('Send the import email; absent: the shop’s setting'),
  on_conflict: onConflict
    .default('error')
    .describe(
      '`skip`: leaves out files of taken names; `overwrite` and `new_version` need `files:write` too',
    ),
  dry_run: z
    .boolean()
    .optional()
    .describe('Only a preview until it is confirmed: 202, then follow `Location`'),
  callback_url: fetchUrl.optional().meta({
    description:
      'The job is posted to this address when the import has ended, signed as in Standard Webhooks',
    example: 'https://tools.example.com/stevedore',
  }),
}

const importBody = (limits: Limits) =>
  z
    .strictObject({
      files: z
        .array(importEntry)
        .min(1, sayPlain('At least one file'))
        .max(
          limits.entries_per_import,
          sayFixed('At most {count} files', { count: limits.entries_per_import }),
        ),
      ...importFields,
    })
    .meta({ id: 'ImportRequest' })

export function importRoutes({ engine, limits, reach }: ImportParts): Endpoint[] {
  return [
    endpoint('POST /api/files/import', {
      summary: 'Import files by URL',
      description:
        'Answers when the import has ended, or with 202 after 30 seconds (`Prefer: wait=N`, `Prefer: respond-async`); then follow `Location`.',
      tag: 'Files',
      scope: 'imports:write',
      body: importBody(limits),
      lines: importLines({ engine, limits, reach }),
      replies: {
        200: { description: 'The import has ended', schema: importReply },
        202: { description: 'The import is still running', schema: importReply },
        422: { description: 'Every problem of every entry', schema: errorSchema },
      },
      handler: ({ body: { files, ...body }, ...request }) =>
        answerImport({ engine, limits, reach }, request, body, (scope, about) =>
          importFromApi(engine, scope, { ...about, files }),
        ),
    }),
  ]
}

interface ImportParts {
  engine: Engine
  limits: Limits
  reach: Reach
}

const importLines = (parts: ImportParts) =>
  linesForm({
    name: 'import',
    about: z.strictObject(importFields),
    line: importEntry,
    most: parts.limits.lines_per_import,
    maxBytes: parts.limits.lines_bytes,
    description: `One \`ImportEntry\` in each line, up to ${parts.limits.lines_per_import.toLocaleString('en')} in one request and ${parts.limits.lines_bytes / 1024 ** 2} MB: one job. The first line may be \`{"import": {…}}\` with the other fields of an \`ImportRequest\`. If a line is invalid, nothing is imported, and each problem has the number of its \`line\`.`,
    handler: ({ body: { about, batches }, ...request }) =>
      answerImport(parts, request, about, (scope, options) =>
        importLinesFromApi(parts.engine, scope, options, batches()),
      ),
  })

const NO_WAIT = { seconds: 0, applied: null }

/** Starts an import, waits as long as the caller wants, and answers with its state. */
async function answerImport(
  { engine, limits, reach }: ImportParts,
  { caller, idempotencyKey, signal, ctx }: Omit<Request<unknown, unknown, unknown>, 'body'>,
  fields: ApiImport,
  start: (scope: ShopScope, about: ApiImport & ApiCaller) => Promise<string>,
): Promise<Reply> {
  requireImportScopes(caller, fields.on_conflict)
  await requireReachable(reach, 'callback_url', fields.callback_url)
  const id = await start(caller.scope, {
    ...fields,
    requestedBy: caller.name,
    idempotencyKey,
    from: { apiKey: apiKeyOf(caller) },
  })
  // A preview ends when it is confirmed.
  const wait = fields.dry_run ? NO_WAIT : waitingTime(ctx, limits.wait_seconds)
  const operation = await engine.waitForEnd(caller.scope, id, wait.seconds * 1000, signal)
  return importAnswer(engine, caller.scope, present(operation, 'The import'), wait.applied)
}

/** The maximum number of items in an answer: as many as a JSON request has. */
const MAX_ANSWERED = 1000

/** Answers with the current state of an import: 202 with its address until it has ended. */
export async function importAnswer(
  engine: Engine,
  scope: ShopScope,
  operation: OperationRow,
  applied: string | null,
): Promise<Reply> {
  const items = await engine.items(scope, operation.id, {
    limit: Math.min(operation.total, MAX_ANSWERED),
  })
  const body = {
    status: statusOf(operation),
    imported: operation.done - operation.present - operation.unchanged,
    unchanged: operation.unchanged,
    skipped: operation.skipped,
    // Items that were not processed are absent too.
    failed: operation.failed + operation.cancelled,
    files: items.map((item) => fileOf(item)),
    job_id: operationId(operation),
  }
  const preference: Record<string, string> = applied ? { 'Preference-Applied': applied } : {}
  if (hasEnded(operation)) return { body, headers: preference }
  return { status: 202, body, headers: { ...preference, Location: operationPath(operation) } }
}

function statusOf(operation: OperationRow): z.output<typeof importReply>['status'] {
  if (!hasEnded(operation)) return 'processing'
  if (operation.status === 'success' || operation.status === 'failed') return operation.status
  return operation.done > 0 ? 'partial' : 'failed'
}

const STATUSES = {
  done: 'imported',
  failed: 'failed',
  cancelled: 'failed',
  skipped: 'skipped',
  pending: 'queued',
  running: 'queued',
} as const

function statusOfItem({ status, after }: ItemRow) {
  if (after?.same_bytes) return 'unchanged'
  return status === 'done' && after?.unpacked !== undefined ? 'unpacked' : STATUSES[status]
}

function fileOf(item: ItemRow): z.output<typeof importReply>['files'][number] {
  const status = statusOfItem(item)
  const { file_id, error } = shownOutcome(item)
  return {
    filename: item.filename,
    file_id: file_id && toPublicId('file', file_id),
    status,
    product_mapped: item.product_mapped,
    ...(error && status !== 'queued' ? { error } : {}),
    ...(item.warnings ? { warnings: item.warnings } : {}),
  }
}
