// The specification's two bulk endpoints: PUT /api/files/bulk-update and POST
// /api/files/bulk-delete.
import { z } from 'zod'
import {
  checkAsk,
  downloadPassword,
  sayPlain,
  settingChanges,
  type Step,
  type Workflow,
} from '../../../../plugins/contract/index.ts'
import { hasEnded } from '../../../engine/lifecycle.ts'
import type { OperationRow } from '../../../engine/types.ts'
import { parsePublicId, toPublicId, unknownUuid } from '../../../core/ids.ts'
import { present } from '../../../core/lazy.ts'
import {
  endpointsOf,
  type Caller,
  type Endpoint,
  type Reply,
  type Request,
  type Scope,
  requireScopes,
} from '../../../http/endpoint.ts'
import { waitingTime } from '../../../http/body.ts'
import { errorSchema, tags } from '../../../http/schemas.ts'
import { workflowOfAction, startWorkflow } from '../start.ts'
import { operationId } from '../record.ts'
import { anyFileIds } from '../selection.ts'
import { channelOf, type OperationParts } from '../routes.ts'

const endpoint = endpointsOf({ tag: 'Files' })

/** How long the caller of a small change waits: it is answered within the request. */
const SMALL_WAIT_SECONDS = 120

const errors = z.array(
  z.object({ file_id: z.string().nullable(), code: z.string(), message: z.string() }),
)
const reply = <const Name extends string>(done: Name) =>
  z.object({
    [done]: z.number().int(),
    failed: z.number().int(),
    errors,
    job_id: z.string(),
  } as Record<Name | 'failed', z.ZodNumber> & { errors: typeof errors; job_id: z.ZodString })

export function bulkRoutes(parts: OperationParts): Endpoint[] {
  return [update(parts), remove(parts)]
}

const update = (parts: OperationParts) =>
  endpoint('PUT /api/files/bulk-update', {
    summary: 'Change the settings and tags of files',
    description:
      'Up to 500 files are processed within the request; with more, it waits like an import and answers 202 with the counts so far. Malformed and unknown ids count as `failed`, each with its error.',
    scope: 'files:write',
    body: z
      .strictObject({
        file_ids: anyFileIds(parts.limits),
        updates: z
          .strictObject({
            tags: tags.optional(),
            tags_mode: z.enum(['replace', 'add', 'remove']).default('replace'),
            ...settingChanges,
            password: downloadPassword.optional().meta({
              description: 'The password that their links ask for. It cannot be read again',
              sensitive: true,
            }),
          })
          .refine(
            ({ tags_mode: _, ...updates }) =>
              Object.values(updates).some((value) => value !== undefined),
            {
              message: sayPlain('Name at least one field to change'),
            },
          )
          .refine(({ tags_mode, tags }) => tags_mode === 'replace' || tags?.length !== 0, {
            path: ['tags'],
            message: sayPlain('Name at least one tag to add or remove'),
          })
          .superRefine(checkAsk),
      })
      .meta({ id: 'BulkUpdateRequest' }),
    replies: replies('updated', 'Every file has its result'),
    handler: (request) => {
      const { tags, tags_mode, ...settings } = request.body.updates
      const given = Object.fromEntries(
        Object.entries(settings).filter(([, value]) => value !== undefined),
      )
      const change =
        Object.keys(given).length > 0
          ? workflowOfAction(parts.engine, 'update-settings', given)
          : null
      const tagging = tags
        ? workflowOfAction(parts.engine, 'tag-files', { mode: tags_mode, tags })
        : null
      return run(
        parts,
        request,
        present(joinWorkflows(change, tagging), 'A change'),
        'updated',
        parts.limits.background_update,
      )
    },
  })

const remove = (parts: OperationParts) =>
  endpoint('POST /api/files/bulk-delete', {
    summary: 'Move files to the trash, or purge them',
    description:
      'Up to 100 files are processed within the request; with more, it waits like an import. `backup_first` copies bytes, settings and mappings to the backup location, verifies the copy, and deletes no file whose backup fails. `permanent` needs `files:purge`. Malformed and unknown ids count as `failed`, each with its error.',
    scope: 'files:delete',
    body: z
      .strictObject({
        file_ids: anyFileIds(parts.limits),
        remove_mappings: z.boolean().default(false),
        backup_first: z.boolean().default(false),
        permanent: z.boolean().default(false),
      })
      .meta({ id: 'BulkDeleteRequest' }),
    replies: replies('deleted', 'Every file has its result'),
    handler: (request) => {
      const { remove_mappings, backup_first, permanent } = request.body
      const backup =
        backup_first && permanent ? workflowOfAction(parts.engine, 'back-up-files', {}) : null
      const remove = permanent
        ? workflowOfAction(parts.engine, 'purge-files', {})
        : workflowOfAction(parts.engine, 'delete-files', { remove_mappings, backup_first })
      const workflow = present(joinWorkflows(backup, remove), 'The workflow')
      const { id, title, action: name } = remove
      return run(
        parts,
        request,
        { ...workflow, id, title, action: name },
        'deleted',
        parts.limits.background_delete,
      )
    },
  })

const replies = <const Name extends string>(done: Name, description: string) => ({
  200: { description, schema: reply(done) },
  202: {
    description: 'It is still running; follow `Location`',
    schema: reply(done).extend({ status: z.literal('processing') }),
  },
  422: { description: 'Every problem', schema: errorSchema },
})

/**
 * Joins two workflows: the second one's steps after the first one's; the steps on the whole
 * operation stay last.
 */
function joinWorkflows(first: Workflow | null, second: Workflow | null): Workflow | null {
  if (!first || !second) return first ?? second
  const isLast = ({ plugin }: Step) => plugin === 'notify'
  const steps = [...first.steps, ...second.steps].filter((step) => !isLast(step))
  const last = first.steps.filter(isLast)
  return { ...first, steps: [...steps.map((step) => ({ ...step, id: step.plugin })), ...last] }
}

async function run(
  { engine, limits }: OperationParts,
  { caller, body, idempotencyKey, signal, ctx }: Request<unknown, unknown, { file_ids: string[] }>,
  workflow: Workflow,
  done: 'updated' | 'deleted',
  background: number,
): Promise<Reply> {
  const malformed = new Map<string, string>()
  const ids = body.file_ids.map(
    (given) => parsePublicId('file', given) ?? replacementId(given, malformed),
  )
  const id = await startWorkflow(engine, caller.scope, workflow, {
    source: { type: 'files', ids },
    dryRun: false,
    requestedBy: caller.name,
    channel: channelOf(caller),
    idempotencyKey,
    permit: (scopes) => requireScopes(caller, scopes as Scope[]),
  })
  const small = body.file_ids.length <= background
  const wait = waitingTime(ctx, small ? SMALL_WAIT_SECONDS : limits.wait_seconds)
  const operation = present(
    await engine.waitForEnd(caller.scope, id, wait.seconds * 1000, signal),
    'The operation',
  )
  return answer({ engine, caller, operation, done, malformed, applied: wait.applied })
}

/** Maximum length of a malformed id that the answer repeats. */
const MAX_REPEATED = 100

/** A malformed id is treated like an unknown one; `malformed` stores what was given. */
function replacementId(given: string, malformed: Map<string, string>): string {
  const uuid = unknownUuid(given)
  malformed.set(uuid, given.slice(0, MAX_REPEATED))
  return uuid
}

async function answer(given: {
  engine: OperationParts['engine']
  caller: Caller
  operation: OperationRow
  done: 'updated' | 'deleted'
  /** The malformed ids, by the UUIDs that replace them. */
  malformed: ReadonlyMap<string, string>
  applied: string | null
}): Promise<Reply> {
  const { engine, caller, operation, done, malformed, applied } = given
  const refused = ['failed', 'skipped', 'cancelled'] as const
  const items =
    operation.done === operation.total
      ? []
      : await engine.items(caller.scope, operation.id, {
          statuses: refused,
          limit: operation.total,
        })
  const headers: Record<string, string> = applied ? { 'Preference-Applied': applied } : {}
  const body = {
    [done]: operation.done,
    failed: operation.failed + operation.skipped + operation.cancelled,
    errors: items.map(({ file_id, error }) => {
      const { code, message } = present(error, 'The error of a refused file')
      const wrong = malformed.get(file_id ?? '')
      if (wrong !== undefined)
        return { file_id: wrong, code, message: sayPlain('This is not the id of a file') }
      return { file_id: file_id && toPublicId('file', file_id), code, message }
    }),
    job_id: operationId(operation),
  }
  if (hasEnded(operation)) return { body, headers }
  return {
    status: 202,
    body: { ...body, status: 'processing' },
    headers: { ...headers, Location: `/api/jobs/${body.job_id}` },
  }
}
