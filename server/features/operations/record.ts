// An operation as every answer shows it.
import { z } from 'zod'
import { english, textOf, verbatim, type Step } from '../../../plugins/contract/index.ts'
import { cannotUndo, withEarlier } from '../../engine/steps.ts'
import { asksNow, hasEnded, isDiscarded } from '../../engine/lifecycle.ts'
import { labelOf } from '../../engine/start.ts'
import { OPERATION_STATUSES, type OperationRow } from '../../engine/types.ts'
import type { Engine } from '../../engine/engine.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { toOperationId, toPublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { summaryFields } from '../workflows/describe.ts'
import { branchRecord, branchSchema } from '../workflows/record.ts'
import type { Reply } from '../../http/endpoint.ts'
import { textSchema, timestamp, warning } from '../../http/schemas.ts'
import { becauseOf, becauseSchema } from './because.ts'

const ACTIONS = ['pause', 'resume', 'cancel', 'retry', 'confirm', 'undo'] as const

export const stepSchema = z.object({
  id: z.string(),
  plugin: z.string(),
  title: z.string(),
  summary: z.string(),
  summary_text: textSchema,
  branch: branchSchema.optional(),
})

export const operationSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['import', 'bulk']),
    action: z.string(),
    channel: z.string(),
    label: z
      .string()
      .nullable()
      .describe(
        'The first file of an import and the number of others, or the name of the CSV file; null: neither',
      ),
    label_text: textSchema.nullable(),
    workflow: z.string(),
    workflow_title: z.string(),
    workflow_version: z
      .int()
      .nullable()
      .describe('The version of a workflow of the shop that it runs; null: another workflow'),
    steps: z.array(stepSchema),
    source: z.union([
      z.object({ type: z.literal('entries') }),
      z.object({ type: z.literal('files'), count: z.number().int() }),
      z.object({ type: z.literal('rows'), count: z.number().int() }),
      z.object({ type: z.literal('filter'), filter: z.record(z.string(), z.unknown()) }),
      z.object({ type: z.literal('operation'), id: z.string() }),
    ]),
    status: z.enum(OPERATION_STATUSES),
    preview: z.boolean().describe('It was started as a preview'),
    discarded: z
      .boolean()
      .describe(
        'A preview that was cancelled or expired: no file was changed, and all count as `cancelled`',
      ),
    actions: z
      .array(z.enum(ACTIONS))
      .describe('The moves that are possible now, each the last part of an address'),
    total: z.number().int(),
    done: z.number().int(),
    failed: z.number().int(),
    skipped: z.number().int(),
    unchanged: z
      .number()
      .int()
      .describe('How many of the `done` files were already as wanted, so that nothing was changed'),
    present: z
      .number()
      .int()
      .describe(
        'How many of the `done` files of a sync existed before: it changed them, moved them to the trash or sent them',
      ),
    cancelled: z.number().int(),
    errors: z.number().int(),
    bytes: z.number().int(),
    bytes_saved: z
      .number()
      .int()
      .describe('How many bytes fewer its files have; negative if they have more'),
    percentage: z.number().describe('The share of processed files, without cancelled ones'),
    elapsed_seconds: z
      .number()
      .describe(
        'The duration of the latest round (a retry or a confirmation begins one), without pauses and the wait for confirmation',
      ),
    remaining_seconds: z
      .number()
      .nullable()
      .describe('Null if it cannot be estimated yet, or if more files may still arrive'),
    receiving: z
      .boolean()
      .describe(
        'More files may still arrive, such as the next file of an upload: `total` can grow',
      ),
    requested_by: z.string(),
    because: becauseSchema.describe('What started it'),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    paused_at: timestamp.nullable(),
    undo_until: timestamp.nullable(),
    undoes: z.string().nullable(),
    undone_by: z.string().nullable(),
    cannot_undo: z.array(z.string()).describe('Steps whose effect cannot be undone'),
    intentions: z.array(z.string()).describe('What its last steps would do, in a preview'),
    intention_texts: z.array(textSchema),
    foreseen: z
      .object({
        changed: z.number().int(),
        unchanged: z.number().int(),
        candidates: z.number().int(),
      })
      .nullable()
      .describe(
        'The result of its preview: files that would change, files that would stay unchanged, and files for which a person must choose a product. The first two count in the preview’s `done`, the third in `done` or `skipped`; files that would only be skipped or fail count in `skipped` and `failed` alone. A step that works on the bytes counts each of its files as changed, because its result is only known when it has run. Null: no preview, or it is not ready',
      ),
    stopped: warning.extend({ step: z.string() }).nullable(),
    schedule_id: z.string().nullable(),
    continues: z
      .string()
      .nullable()
      .describe('The part of its workflow before it, which a wait ended'),
    continued_by: z.array(z.string()).describe('The parts of its workflow after it'),
    waits: z
      .object({ until: timestamp, steps: z.array(stepSchema) })
      .nullable()
      .describe(
        'When the next part of its workflow starts on the files that are done, and its steps',
      ),
    again: z
      .object({
        at: timestamp,
        later: z.array(timestamp).describe('The times after it, if files still fail'),
      })
      .nullable()
      .describe(
        'When its failed files are tried again, as the workflow’s `if_not` says. Null: no try waits',
      ),
    asks: z
      .object({
        who: z
          .array(z.string())
          .describe('The addresses of those who may answer; empty: anyone who may run workflows'),
        until: timestamp
          .nullable()
          .describe('When the time to answer is over; null: it does not wait for an answer'),
        no_answer: z.enum(['remind', 'approve', 'reject']),
        starter_may_approve: z.boolean(),
        reminders: z.int().describe('How often they were reminded'),
        answer: z.enum(['approved', 'rejected']).nullable(),
        answered_by: z.string().nullable().describe('Null with an answer: nobody answered in time'),
        answered_at: timestamp.nullable(),
      })
      .nullable()
      .describe(
        'The question that its preview is: it runs when it is approved. Null: it asks nothing',
      ),
    artifact: z
      .object({
        filename: z.string(),
        content_type: z.string(),
        size_bytes: z.number().int(),
        url: z.string(),
      })
      .nullable()
      .describe('The document that it produced, and where to download it'),
    warnings: z.array(warning),
  })
  .meta({ id: 'Operation' })

export type OperationRecord = z.output<typeof operationSchema>

export const operationId = ({ kind, id }: OperationRow) => toOperationId(kind, id)

export const operationPath = (operation: OperationRow): string =>
  `/api/${operation.kind === 'import' ? 'jobs' : 'operations'}/${operationId(operation)}`

/** The answer to a request that started the operation (a bare UUID). */
export async function acceptedOperation(
  { engine, clock }: { engine: Pick<Engine, 'actions' | 'get' | 'plugins'>; clock: () => Date },
  scope: ShopScope,
  id: string,
): Promise<Reply> {
  const operation = present(await engine.get(scope, id), 'The operation that was started')
  return {
    status: 202,
    body: operationRecord(engine, operation, clock()),
    headers: { Location: operationPath(operation) },
  }
}

export function operationRecord(
  engine: Pick<Engine, 'actions' | 'plugins'>,
  operation: OperationRow,
  now: Date,
): OperationRecord {
  const { workflow, undone_by, schedule_id } = operation
  const label = labelOf(operation)
  return {
    id: operationId(operation),
    kind: operation.kind,
    action: operation.action,
    channel: operation.channel,
    label: label === null ? null : english(label),
    label_text: typeof label === 'string' ? verbatim(label) : label,
    workflow: workflow.id,
    workflow_title: workflow.title,
    workflow_version: workflow.version ?? null,
    steps: stepRecords(workflow.steps, engine.plugins),
    source: sourceOf(operation),
    status: operation.status,
    preview: operation.preview,
    discarded: isDiscarded(operation),
    actions: engine.actions(operation),
    total: operation.total,
    done: operation.done,
    failed: operation.failed,
    skipped: operation.skipped,
    unchanged: operation.unchanged,
    present: operation.present,
    cancelled: operation.cancelled,
    errors: operation.failed,
    bytes: operation.bytes,
    bytes_saved: operation.bytes_saved,
    ...estimateRemaining(operation, now),
    receiving: operation.open,
    requested_by: operation.requested_by,
    because: becauseOf(operation),
    created_at: operation.created_at.toISOString(),
    started_at: operation.started_at?.toISOString() ?? null,
    finished_at: operation.finished_at?.toISOString() ?? null,
    paused_at: operation.paused_at?.toISOString() ?? null,
    undo_until: engine.actions(operation).includes('undo')
      ? present(operation.undo_until, 'The end of undo').toISOString()
      : null,
    undoes: undoneId(operation),
    undone_by: undone_by && toOperationId('bulk', undone_by),
    cannot_undo: cannotUndo(withEarlier(workflow), engine.plugins),
    intentions: operation.intentions.map(english),
    intention_texts: operation.intentions.map(textOf),
    foreseen: operation.preview_counts,
    stopped: operation.stopped,
    schedule_id: schedule_id && toPublicId('schedule', schedule_id),
    ...partsOf(operation, engine.plugins),
    artifact: operation.artifact
      ? { ...operation.artifact, url: `/api/operations/${operationId(operation)}/artifact` }
      : null,
    warnings: operation.warnings.map(({ step: _, ...warning }) => warning),
  }
}

export const stepRecords = (steps: readonly Step[], plugins: Engine['plugins']) =>
  steps.map((step) => ({
    id: step.id,
    plugin: step.plugin,
    title: plugins.find(({ id }) => id === step.plugin)?.title ?? step.plugin,
    ...summaryFields(step, plugins),
    ...(step.branch ? { branch: branchRecord(step.branch) } : {}),
  }))

/** The parts of its workflow before and after it, and the wait between them. */
function partsOf(
  operation: OperationRow,
  plugins: Engine['plugins'],
): Pick<OperationRecord, 'continues' | 'continued_by' | 'waits' | 'asks' | 'again'> {
  const { continues, continues_kind, continued_by = [], continue_at, undone_by } = operation
  const { after } = operation.workflow
  const waits =
    continue_at !== null && after !== undefined && undone_by === null && hasEnded(operation)
  return {
    continues: continues && toOperationId(continues_kind ?? 'bulk', continues),
    continued_by: continued_by.map((id) => toOperationId('bulk', id)),
    waits: waits
      ? { until: continue_at.toISOString(), steps: stepRecords(after.steps.slice(1), plugins) }
      : null,
    asks: questionRecord(operation),
    again: againRecord(operation),
  }
}

function againRecord({ again, again_at, undone_by }: OperationRow): OperationRecord['again'] {
  if (again_at === null || again === null || again.run || undone_by !== null) return null
  const later = again.later.map((time) => new Date(time)).filter((time) => time > again_at)
  return { at: again_at.toISOString(), later: later.map((time) => time.toISOString()) }
}

function questionRecord(operation: OperationRow): OperationRecord['asks'] {
  const { question, continue_at } = operation
  if (!question) return null
  const { who, no_answer, starter_may_approve, reminders = 0, answer = null, by = null } = question
  return {
    who: [...who],
    until: asksNow(operation) && continue_at ? continue_at.toISOString() : null,
    no_answer,
    starter_may_approve,
    reminders,
    answer,
    answered_by: by,
    answered_at: question.answered_at ? new Date(question.answered_at).toISOString() : null,
  }
}

/**
 * The public id of the operation that this one undoes, whose prefix follows from that operation's
 * kind.
 */
const undoneId = ({ undoes, undoes_kind }: OperationRow) =>
  undoes && toOperationId(undoes_kind ?? 'bulk', undoes)

function sourceOf(operation: OperationRow): OperationRecord['source'] {
  const { source } = operation
  if (source.type === 'operation')
    return { type: 'operation', id: present(undoneId(operation), 'The undone operation') }
  return source.type === 'entries' ? { type: 'entries' } : source
}

const tenths = (seconds: number) => Math.round(seconds * 10) / 10

function estimateRemaining(operation: OperationRow, now: Date) {
  const {
    total,
    started_at,
    created_at,
    previewed_at,
    finished_at,
    paused_at,
    paused_ms,
    ended_before,
  } = operation
  const worked = operation.done + operation.failed + operation.skipped
  const ended = worked + operation.cancelled
  const until = previewed_at ?? finished_at ?? paused_at ?? now
  const elapsed = Math.max(
    0,
    (until.getTime() - (started_at ?? created_at).getTime() - paused_ms) / 1000,
  )
  // Files of an earlier round do not show this round's speed.
  const remaining =
    ended > ended_before ? (elapsed / (ended - ended_before)) * (total - ended) : null
  return {
    percentage: total === 0 ? 100 : Math.floor((worked / total) * 1000) / 10,
    elapsed_seconds: tenths(elapsed),
    remaining_seconds: hasEnded(operation)
      ? 0
      : ended === total
        ? operation.open
          ? null
          : 0
        : remaining === null
          ? null
          : tenths(remaining),
  }
}
