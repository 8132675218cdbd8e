// A workflow in requests and answers.
import { z } from 'zod'
import type { Workflow } from '../../../plugins/contract/index.ts'
import { cannotUndo } from '../../engine/steps.ts'
import { toPublicId } from '../../core/ids.ts'
import { channelOfBuiltIn } from './channel.ts'
import type { Parts } from './check.ts'
import { summaryFields } from './describe.ts'
import { channelOfTriggers, triggerBody, triggerSchema } from './triggers.ts'
import type { OwnWorkflow } from './workflows.ts'
import { textSchema, timestamp } from '../../http/schemas.ts'

const onFailure = z.enum(['drop', 'keep', 'stop']).meta({
  description:
    'A failed file is left out (drop), continues as it was with a warning (keep), or ends the operation (stop). ' +
    'Absent: keep in an import where the step’s plugin is of kind optimize or act, otherwise drop',
})
const values = z.record(z.string(), z.unknown())

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
        on_failure: onFailure.optional(),
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
        on_failure: onFailure.optional(),
      }),
    ),
    channel: z.string().nullable(),
    enabled: z.boolean(),
    running: z.int().describe('Its runs that have not ended'),
    when: z.array(triggerSchema).describe('What starts it, in addition to scheduled tasks'),
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
}

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
      ...(step.onFailure ? { on_failure: step.onFailure } : {}),
    })),
    channel: own ? channelOfTriggers(own.when) : channelOfBuiltIn(workflow),
    enabled: own?.enabled ?? true,
    running: own?.running ?? 0,
    when: own?.when ?? [],
    cannot_undo: cannotUndo(workflow, plugins),
    version: own?.version || null,
    created_at: own?.created_at.toISOString() ?? null,
    updated_at: own?.updated_at.toISOString() ?? null,
  }
}
