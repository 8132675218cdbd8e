// Operations: history, one operation, its items, and the start of every bulk action and workflow.
import { z } from 'zod'
import { day, flag, sayPlain } from '../../../plugins/contract/index.ts'
import type { Limits } from '../../core/configuration/limits.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import {
  ITEM_STATUSES,
  OPERATION_STATUSES,
  STEP_RESULTS,
  type OperationRow,
} from '../../engine/types.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { momentOf } from '../../files/condition-sql.ts'
import { endOfRange } from '../../files/filter.ts'
import { requirePublicId, toPublicId } from '../../core/ids.ts'
import { publicId } from '../../core/public-id.ts'
import { present } from '../../core/lazy.ts'
import { fromCursor, integer, listPage, text } from '../../http/cursors.ts'
import {
  endpointsOf,
  isApiKey,
  type Caller,
  type Endpoint,
  type Given,
  type Scope,
  requireScopes,
} from '../../http/endpoint.ts'
import { errorSchema, listOf, page } from '../../http/schemas.ts'
import { apiChannel } from '../imports/api-channel.ts'
import { adminChannel } from '../imports/origins.ts'
import type { OperationMoves } from '../feature.ts'
import { judgeBulk, startBulk } from './start.ts'
import { acceptedOperation, operationId, operationRecord, operationSchema } from './record.ts'
import { itemRecord, itemSchema } from './item-record.ts'
import { retriedWorkflow, retryBody, retryRecord, retrySchema, type RetryParts } from './retry.ts'
import { selectedFiles, selectionSchema, sourceOf } from './selection.ts'

const endpoint = endpointsOf({ tag: 'Operations' })

const statuses = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(',') : value),
      z.array(z.enum(values)),
    )
    .describe('One status, or several separated by commas')

const code = z.string().max(100).optional().describe('Only those that failed with this code')

export interface OperationParts {
  engine: Engine
  clock: () => Date
  limits: Limits
}

/**
 * Finds an operation. Throws `not_found`, also for the prefix of the other kind: an import's id is
 * import_…, a bulk operation's op_….
 */
export async function findOperation(
  engine: Engine,
  scope: ShopScope,
  id: string,
): Promise<OperationRow> {
  const operation = await engine.get(scope, requirePublicId(['op', 'import'], id))
  if (!operation || operationId(operation) !== id) throw new AppError('not_found')
  return operation
}

export function operationRoutes(parts: OperationParts & OperationMoves): Endpoint[] {
  return [
    one(parts, '/api/jobs/{id}', 'Read an import job'),
    one(parts, '/api/operations/{id}', 'Read an operation'),
    list(parts),
    items(parts),
    begin(parts),
    ...SIMPLE_MOVES.map((move) => lifecycle(parts, move)),
    retryPlan(parts),
    retry(parts),
    undo(parts),
  ]
}

const one = (
  { engine, clock }: OperationParts,
  path: '/api/jobs/{id}' | '/api/operations/{id}',
  summary: string,
) =>
  endpoint(`GET ${path}`, {
    summary,
    scope: 'operations:read',
    replies: { 200: { description: 'Its current state', schema: operationSchema } },
    handler: async ({ caller, params }) => ({
      body: operationRecord(engine, await findOperation(engine, caller.scope, params.id), clock()),
    }),
  })

const list = ({ engine, clock }: OperationParts) =>
  endpoint('GET /api/operations', {
    summary: 'List operations, newest first',
    scope: 'operations:read',
    query: z.strictObject({
      ...page,
      status: z.enum(OPERATION_STATUSES).optional(),
      kind: z.enum(['import', 'bulk']).optional(),
      action: z.string().max(100).optional(),
      channel: z.string().max(100).optional(),
      requested_by: z.string().max(255).optional(),
      from: day.optional(),
      to: day
        .optional()
        .describe('A time, which is not included, or a day in the shop’s time zone, which is'),
      schedule_id: publicId('schedule', 'a schedule').optional(),
      workflow: z.string().max(100).optional().describe('The workflow that they run'),
      waiting: flag
        .optional()
        .describe(
          '`true`: only those whose workflow continues after a wait or an answer, or tries failed files again',
        ),
      error: code,
      search: z.string().max(255).optional().describe('Its title, action or channel contains this'),
    }),
    replies: { 200: { description: 'A page of operations', schema: listOf(operationSchema) } },
    handler: async ({ caller, query }) => {
      const { cursor, limit, schedule_id, from, to, waiting, ...filter } = query
      const [since, until] = [
        await momentOf(caller.scope, from),
        await endOfRange(caller.scope, to),
      ]
      const before = fromCursor(cursor, [text])?.[0]
      const rows = await engine.list(caller.scope, {
        ...filter,
        limit: limit + 1,
        ...(waiting ? { waiting } : {}),
        ...(since ? { from: since } : {}),
        ...(until ? { to: until } : {}),
        ...(schedule_id ? { schedule: requirePublicId('schedule', schedule_id) } : {}),
        ...(before ? { before: requirePublicId('op', before) } : {}),
      })
      return {
        body: listPage(
          rows,
          limit,
          ({ id }) => [toPublicId('op', id)],
          (row) => operationRecord(engine, row, clock()),
        ),
      }
    },
  })

const itemList = listOf(itemSchema).extend({
  warned: z
    .number()
    .int()
    .nullable()
    .describe(
      'How many of the operation’s items have a warning, regardless of the filter; null while it runs',
    ),
})

const items = ({ engine }: OperationParts) =>
  endpoint('GET /api/operations/{id}/items', {
    summary: 'List an operation’s items in order, each with its result',
    scope: 'operations:read',
    query: z.strictObject({
      ...page,
      status: statuses(ITEM_STATUSES).optional(),
      search: z.string().max(255).optional().describe('The name contains this'),
      error: code,
      warned: flag.optional().describe('`true`: only items with a warning'),
      step: z.string().max(100).optional().describe('The id of a step: with `step_result`'),
      step_result: z.enum(STEP_RESULTS).optional().describe('Only items that ended so at `step`'),
    }),
    replies: { 200: { description: 'A page of items', schema: itemList } },
    handler: async ({ caller, params, query }) => {
      const operation = await findOperation(engine, caller.scope, params.id)
      const after = fromCursor(query.cursor, [integer])?.[0]
      const rows = await engine.items(caller.scope, operation.id, {
        limit: query.limit + 1,
        ...(query.status ? { statuses: query.status } : {}),
        ...(query.search ? { search: query.search } : {}),
        ...(query.error ? { error: query.error } : {}),
        ...(query.warned ? { warned: true } : {}),
        ...(query.step && query.step_result
          ? { step: { index: stepIndex(engine, operation, query.step), result: query.step_result } }
          : {}),
        ...(after === undefined ? {} : { after }),
      })
      const warned = await engine.warnedItems(caller.scope, operation)
      return {
        body: { ...listPage(rows, query.limit, (last) => [last.position], itemRecord), warned },
      }
    },
  })

/** The index of a step among those on files; -1: there is none. */
const stepIndex = ({ plugins }: Engine, { workflow }: OperationRow, id: string): number =>
  workflow.steps
    .filter((step) => plugins.find((one) => one.id === step.plugin)?.scope !== 'operation')
    .findIndex((step) => step.id === id)

const bulkBody = (limits: Limits) =>
  z
    .strictObject({
      action: z.string().max(100).optional(),
      workflow: z.string().max(100).optional(),
      select: selectionSchema(limits)
        .optional()
        .describe('Required, unless the options of `give-files` name its files'),
      options: z.record(z.string(), z.unknown()).default({}).describe('The action’s'),
      dry_run: z.boolean().default(false),
    })
    .refine(({ action, workflow }) => (action === undefined) !== (workflow === undefined), {
      path: ['action'],
      message: sayPlain('Send either an action or a workflow'),
    })
    .meta({ id: 'OperationRequest' })

const begin = (parts: OperationParts) =>
  endpoint('POST /api/operations', {
    summary: 'Start a bulk action or a workflow',
    description:
      'Starts every bulk action: `action` is a plugin’s id, `workflow` a workflow’s. With `dry_run` it is only a preview until it is confirmed. An empty filter means all files; `purge-files` accepts it only as a preview.',
    scope: 'operations:write',
    body: bulkBody(parts.limits),
    replies: {
      202: { description: 'The operation; follow `Location`', schema: operationSchema },
      422: { description: 'Every problem', schema: errorSchema },
    },
    problems: ({ caller, body }) => givenProblems(parts, caller.scope, body),
    // Documents list the downloads of files and links.
    readsCounts: ({ action }) =>
      action === undefined ||
      parts.engine.plugins.some(
        (plugin) => plugin.id === action && plugin.scope === 'operation' && plugin.document,
      ),
    handler: async ({ caller, body, idempotencyKey }) => {
      const { selection, options, problems } = selectedFiles(body, parts.limits)
      const { action, workflow } = body
      const id = await startBulk(parts.engine, caller.scope, {
        action,
        workflow,
        options,
        known: problems,
        source: selection && sourceOf(selection),
        dryRun: body.dry_run,
        requestedBy: caller.name,
        channel: channelOf(caller),
        idempotencyKey,
        permit: (scopes) => requireScopes(caller, scopes as Scope[]),
      })
      return acceptedOperation(parts, caller.scope, id)
    },
  })

/**
 * The problems of the well-formed fields of a request. A filter with a malformed condition selects
 * other files, so what depends on a filter is not judged.
 */
async function givenProblems(
  { engine, limits }: OperationParts,
  scope: ShopScope,
  { action, workflow, select, options = {} }: Given<z.output<ReturnType<typeof bulkBody>>>,
): Promise<ErrorDetail[]> {
  const ids = select && 'file_ids' in select ? select.file_ids : undefined
  const whole = ids?.every((id) => id !== undefined) ? { file_ids: [...ids] } : null
  const known = select ? null : selectedFiles({ action, options }, limits)
  const selection = select ? whole : (known?.selection ?? null)
  const { problems } = await judgeBulk(engine, scope, {
    action,
    workflow,
    options: known?.options ?? options,
    dryRun: undefined,
    source: selection && sourceOf(selection),
  }).catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === 'workflow_broken')) throw error
    return { problems: [{ param: 'workflow', code: error.code, message: error.text }] }
  })
  return [...(known?.problems ?? []), ...problems]
}

/** The channel of a caller: session tokens are people in the page, keys are programs. */
export const channelOf = (caller: Caller): string =>
  isApiKey(caller) ? apiChannel.id : adminChannel.id

/** The moves without a body. */
const SIMPLE_MOVES = ['pause', 'resume', 'cancel', 'confirm'] as const
type SimpleMove = (typeof SIMPLE_MOVES)[number]

const MOVES: Record<SimpleMove, string> = {
  pause: 'Pause an operation: running work is interrupted immediately, finished work stays',
  resume: 'Resume a paused operation',
  cancel: 'Cancel an operation, or discard a preview: what is done stays',
  confirm: 'Confirm a preview, which makes its changes; files that changed since are skipped',
}
const MORE: Partial<Record<SimpleMove, string>> = {
  confirm:
    'A cloud sync reads the folder again first. If it would then delete or replace other files than the preview, it is a preview again.',
}

const lifecycle = (
  { engine, clock, confirmSync }: OperationParts & Pick<OperationMoves, 'confirmSync'>,
  move: SimpleMove,
) =>
  endpoint(`POST /api/operations/{id}/${move}`, {
    summary: MOVES[move],
    ...(MORE[move] ? { description: MORE[move] } : {}),
    scope: 'operations:write',
    replies: {
      200: { description: 'Its current state', schema: operationSchema },
      409: { description: 'Its state does not allow this', schema: errorSchema },
    },
    handler: async ({ caller, params }) => {
      const operation = await findOperation(engine, caller.scope, params.id)
      requireScopes(caller, (await engine.permissions(caller.scope, operation, move)) as Scope[])
      const { id, request } = operation
      if (move === 'confirm' && request.sync !== undefined)
        await confirmSync(caller.scope, { sync: request.sync, operation: id })
      else await engine.move(caller.scope, id, move)
      return {
        body: operationRecord(
          engine,
          present(await engine.get(caller.scope, operation.id), 'The operation'),
          clock(),
        ),
      }
    },
  })

const retryPlan = (parts: RetryParts) =>
  endpoint('GET /api/operations/{id}/retry', {
    summary: 'Read what a retry of an operation could run',
    scope: 'operations:read',
    replies: { 200: { description: 'What was changed since', schema: retrySchema } },
    handler: async ({ caller: { scope }, params }) => ({
      body: await retryRecord(parts, scope, await findOperation(parts.engine, scope, params.id)),
    }),
  })

const retry = (parts: OperationParts & RetryParts) =>
  endpoint('POST /api/operations/{id}/retry', {
    summary:
      'Retry the failed items of an operation, and those that were not started when it was cancelled',
    description:
      'Runs the workflow as it is now, so that what was mended in it, or in the settings of the shop that it uses, applies; `as_started` repeats the steps as they were. Files that are done keep their changes, and an undo restores all of them.',
    scope: 'operations:write',
    body: retryBody,
    replies: {
      200: { description: 'Its current state', schema: operationSchema },
      409: {
        description: 'Its state, or the workflow as it is now, does not allow this',
        schema: errorSchema,
      },
      422: { description: 'Every problem of the options', schema: errorSchema },
    },
    handler: async ({ caller, params, body }) => {
      const { engine, clock } = parts
      const { scope } = caller
      const operation = await findOperation(engine, scope, params.id)
      const workflow = engine.actions(operation).includes('retry')
        ? await retriedWorkflow(parts, scope, operation, body)
        : null
      const retried = workflow ? { ...operation, workflow } : operation
      requireScopes(caller, (await engine.permissions(scope, retried, 'retry')) as Scope[])
      if (workflow) await engine.retryWith(scope, operation.id, workflow)
      else await engine.move(scope, operation.id, 'retry')
      return {
        body: operationRecord(
          engine,
          present(await engine.get(scope, operation.id), 'The operation'),
          clock(),
        ),
      }
    },
  })

const undo = (parts: OperationParts) =>
  endpoint('POST /api/operations/{id}/undo', {
    summary: 'Undo an operation, within 7 days',
    description:
      'Starts a separate operation, which skips files that were changed since, with the reason. It needs the scopes of the operation, and `files:delete` if files that it created go to the trash. If an undo was cancelled or failed in part, `retry` continues it.',
    scope: 'operations:write',
    body: z
      .strictObject({
        dry_run: z.boolean().optional().describe('Only a preview until it is confirmed'),
      })
      .default({})
      .meta({ id: 'UndoRequest' }),
    replies: {
      202: { description: 'The operation that undoes; follow `Location`', schema: operationSchema },
      409: { description: 'It cannot be undone (any more)', schema: errorSchema },
    },
    handler: async ({ caller, params, body: { dry_run: dryRun } }) => {
      const { engine } = parts
      const operation = await findOperation(engine, caller.scope, params.id)
      requireScopes(caller, (await engine.permissions(caller.scope, operation, 'undo')) as Scope[])
      const channel = channelOf(caller)
      const undo = await engine.undo(caller.scope, operation.id, caller.name, channel, dryRun)
      return acceptedOperation(parts, caller.scope, undo)
    },
  })
