// A workflow in requests and answers.
import { z } from 'zod'
import type { StepBranch, Workflow } from '../../../plugins/contract/index.ts'
import { MAX_PAUSE_SECONDS, MAX_TRIES } from '../../engine/failure.ts'
import { cannotUndo } from '../../engine/steps.ts'
import { toOperationId, toPublicId } from '../../core/ids.ts'
import { OPERATION_STATUSES } from '../../engine/types.ts'
import { channelOfBuiltIn } from './channel.ts'
import type { Parts } from './check.ts'
import { summaryFields } from './describe.ts'
import { ifNotSchema } from './if-not.ts'
import { channelOfTriggers, triggerBody, triggerSchema } from './triggers.ts'
import type { OwnWorkflow, RunState } from './workflows.ts'
import { textSchema, timestamp } from '../../http/schemas.ts'

const onFailure = z.enum(['drop', 'keep', 'stop']).meta({
  description:
    'A failed file is left out (drop), continues as it was with a warning (keep), or ends the operation (stop). ' +
    'Absent: keep in an import where the step’s plugin is of kind optimize or act, otherwise drop',
})
const values = z.record(z.string(), z.unknown())
const tries = z
  .int()
  .min(1)
  .max(MAX_TRIES)
  .describe(
    'How often a file is tried at most if its failure may be temporary, as when a server does not answer; all its attempts in a run count. Absent: three times, and not after an attempt of more than 20 seconds',
  )
const pause = z
  .int()
  .min(1)
  .max(MAX_PAUSE_SECONDS)
  .describe('Seconds between two tries. Absent: 1, then 5')

const branchFields = {
  id: z.string().min(1).max(60).describe('The same in all its steps'),
  else: z.boolean().default(false).describe('The step is for the files that do not meet `when`'),
}
const branchBody = z
  .strictObject({
    ...branchFields,
    when: values.optional().describe('Stated by the first step of the branch'),
  })
  .describe(
    'The step is one of a branch: steps in a row of which a file takes those without `else` if it meets `when` before the first of them, otherwise those with `else`, which come last',
  )
  .meta({ id: 'StepBranchRequest' })
export const branchSchema = z.object({ ...branchFields, when: values }).meta({ id: 'StepBranch' })

export const branchRecord = ({ id, when, else: otherwise }: StepBranch) => ({
  id,
  when: { ...when },
  else: otherwise === true,
})

// Steps are checked as a whole later, so that every problem is named with its place:
// `steps[2].options.tags`.
export const workflowBody = z
  .strictObject({
    name: z.string(),
    kind: z
      .enum(['import', 'bulk', 'delivery'])
      .describe('A `delivery` workflow runs when an order’s files are delivered to its buyer'),
    parallel: z
      .number()
      .default(1)
      .describe('Batches that may run concurrently; 1: one after another'),
    steps: z.array(
      z.strictObject({
        id: z
          .string()
          .optional()
          .describe('The same as long as the step exists; absent: a new one is created'),
        plugin: z.string().max(100),
        options: values.optional(),
        when: values.nullable().optional().describe('Files that do not meet this skip the step'),
        branch: branchBody.nullable().optional(),
        on_failure: onFailure.optional(),
        tries: tries.optional(),
        pause: pause.optional(),
      }),
    ),
    channel: z
      .string()
      .max(100)
      .nullable()
      .default(null)
      .describe(
        'Every import of this channel runs it (`GET /api/channels` lists them): as a trigger of `when`',
      ),
    enabled: z.boolean().default(true).describe('false: nothing starts it by itself'),
    when: z.array(triggerBody).optional().describe('What starts it; absent: as it is'),
    if_not: ifNotSchema
      .nullable()
      .optional()
      .describe('What follows when runs end with failed files; absent: as it is'),
  })
  .meta({ id: 'WorkflowRequest' })

export const workflowSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    built_in: z.boolean(),
    kind: z.enum(['import', 'bulk', 'delivery']),
    parallel: z.number().int(),
    steps: z.array(
      z.object({
        id: z.string(),
        plugin: z.string(),
        title: z.string(),
        summary: z.string(),
        summary_text: textSchema,
        options: values,
        when: values.optional(),
        branch: branchSchema.optional(),
        on_failure: onFailure.optional(),
        tries: tries.optional(),
        pause: pause.optional(),
      }),
    ),
    channel: z.string().nullable(),
    enabled: z.boolean(),
    running: z.int().describe('Its runs that have not ended'),
    when: z.array(triggerSchema).describe('What starts it, in addition to scheduled tasks'),
    last_run: z
      .object({
        operation_id: z.string(),
        status: z.enum(OPERATION_STATUSES),
        created_at: timestamp,
      })
      .nullable(),
    next_run: timestamp
      .nullable()
      .describe('When a scheduled task of it is due, or a run continues after a wait'),
    waits_for: z
      .array(z.string())
      .nullable()
      .describe(
        'Who may answer what a run asks; empty: anyone who may run workflows. Null: no run asks',
      ),
    if_not: ifNotSchema.nullable().describe('What follows when runs end with failed files'),
    failing_since: timestamp
      .nullable()
      .describe('Since when its runs end with failed files; null: the last one did not'),
    cannot_undo: z.array(z.string()).describe('Steps whose effect cannot be undone'),
    version: z.int().nullable().describe('The number of its last version; null: it has none'),
    created_at: timestamp.nullable(),
    updated_at: timestamp.nullable(),
  })
  .meta({ id: 'Workflow' })

/** What belongs to a workflow of the shop beside its row. */
interface OwnState {
  when: z.output<typeof triggerSchema>[]
  running: number
  runs: RunState | undefined
}

const runFields = (runs: RunState | undefined) => ({
  last_run: runs?.last
    ? {
        operation_id: toOperationId(runs.last.kind, runs.last.id),
        status: runs.last.status,
        created_at: new Date(runs.last.at).toISOString(),
      }
    : null,
  next_run: runs?.next?.toISOString() ?? null,
  waits_for: runs?.who ?? null,
})

/** The record of a workflow. `own`: the shop's row with its triggers; null for a built-in one. */
export function workflowRecord(
  workflow: Workflow,
  own: (OwnWorkflow & OwnState) | null,
  { plugins }: Parts,
): z.output<typeof workflowSchema> {
  return {
    id: own ? toPublicId('workflow', own.id) : workflow.id,
    name: workflow.title,
    built_in: own === null,
    kind: workflow.kind,
    parallel: workflow.parallel,
    steps: workflow.steps.map((step) => ({
      id: step.id,
      plugin: step.plugin,
      title: plugins.find(({ id }) => id === step.plugin)?.title ?? step.plugin,
      ...summaryFields(step, plugins),
      options: step.options ?? {},
      ...(step.when ? { when: { ...step.when } } : {}),
      ...(step.branch ? { branch: branchRecord(step.branch) } : {}),
      ...(step.onFailure ? { on_failure: step.onFailure } : {}),
      ...(step.tries === undefined ? {} : { tries: step.tries }),
      ...(step.pause === undefined ? {} : { pause: step.pause }),
    })),
    channel: own ? channelOfTriggers(own.when) : channelOfBuiltIn(workflow),
    enabled: own?.enabled ?? true,
    running: own?.running ?? 0,
    when: own?.when ?? [],
    ...runFields(own?.runs),
    if_not: own?.if_not ?? null,
    failing_since: own?.failing_since?.toISOString() ?? null,
    cannot_undo: cannotUndo(workflow, plugins),
    version: own?.version || null,
    created_at: own?.created_at.toISOString() ?? null,
    updated_at: own?.updated_at.toISOString() ?? null,
  }
}
