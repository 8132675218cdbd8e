// What a retry runs: by default the operation's workflow as it is now, because the merchant has
// mended what failed; or the steps of its start. Options that a retry brings, such as the password
// of documents, are in no workflow.
import { z } from 'zod'
import {
  english,
  ownValue,
  say,
  textOf,
  type Step,
  type Workflow,
} from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { parsePublicId } from '../../core/ids.ts'
import { firstOf } from '../../core/lazy.ts'
import { mendingOptions } from '../../core/sensitive.ts'
import type { Engine } from '../../engine/engine.ts'
import type { OperationRow } from '../../engine/types.ts'
import { requireDownloads } from '../../files/quotas.ts'
import { textSchema } from '../../http/schemas.ts'
import { requireWorkflow } from '../workflows/find.ts'
import { asDetail, schemaProblems } from '../workflows/problems.ts'
import { referenceProblems, referencesIn } from '../workflows/references.ts'
import type { OperationMoves } from '../feature.ts'
import { stepRecords, stepSchema } from './record.ts'

export interface RetryParts extends Pick<OperationMoves, 'workflowOfSchedule'> {
  engine: Engine
}

export const retryBody = z
  .strictObject({
    workflow: z
      .enum(['current', 'as_started'])
      .optional()
      .describe(
        '`current`: the steps of the operation’s workflow as they are now; `as_started`: those that it ran before. Absent: the current ones if the failed files can be processed with them, otherwise those before',
      ),
    options: z
      .record(z.string().max(200), z.record(z.string(), z.unknown()))
      .optional()
      .describe(
        'Options for steps, by the id of the step, in addition to those that they have: such as the `password` of documents, which no workflow stores',
      ),
  })
  .default({})
  .meta({ id: 'RetryRequest' })

export type RetryChoice = z.output<typeof retryBody>

/**
 * The operation's workflow as it is now, with the options of its action; steps that the operation
 * alone has, for one that is listed nowhere. Throws `workflow_gone`, `workflow_broken`.
 */
async function workflowNow(
  { engine, workflowOfSchedule }: RetryParts,
  scope: ShopScope,
  operation: OperationRow,
): Promise<Workflow> {
  const { workflow, schedule_id, continues } = operation
  if (continues !== null) return laterPart(engine, scope, operation)
  const scheduled = schedule_id === null ? null : await workflowOfSchedule(scope, schedule_id)
  // The schedule may run something else by now.
  if (scheduled?.id === workflow.id) return scheduled
  if (parsePublicId('workflow', workflow.id) !== null) return ownNow(engine, scope, workflow.id)
  const given = engine.given(scope, operation)
  const builtIn = engine.workflow(workflow.id)
  if (builtIn === null) return given
  // The options of an action and of its message come with each start.
  const startedWith = ({ id, plugin }: Step): Step | undefined =>
    plugin === builtIn.action || plugin === 'notify'
      ? given.steps.find((step) => step.id === id && step.plugin === plugin)
      : undefined
  return { ...builtIn, steps: builtIn.steps.map((step) => startedWith(step) ?? step) }
}

/** The shop's workflow as it is now. Throws `workflow_gone`, `workflow_broken`. */
const ownNow = (engine: Engine, scope: ShopScope, id: string): Promise<Workflow> =>
  requireWorkflow(scope, id, engine).catch((error: unknown) => {
    const gone = error instanceof AppError && error.code === 'not_found'
    throw gone ? new AppError('workflow_gone') : error
  })

/**
 * The steps from the one on with which a later part began, as they are now: those before it have run
 * on its files already. If the workflow has no such step any more, the part's own ones.
 */
async function laterPart(
  engine: Engine,
  scope: ShopScope,
  operation: OperationRow,
): Promise<Workflow> {
  const given = engine.given(scope, operation)
  if (parsePublicId('workflow', given.id) === null) return given
  const now = await ownNow(engine, scope, given.id)
  const at = now.steps.findIndex(({ id }) => id === given.steps[0]?.id)
  return at < 0 ? given : { ...given, parallel: now.parallel, steps: now.steps.slice(at) }
}

/** Why the workflow cannot be used any more; null: this error says something else. */
const unusable = (error: unknown): AppError | null =>
  error instanceof AppError &&
  ['workflow_gone', 'workflow_broken', 'not_found', 'workflow_unfit'].includes(error.code)
    ? error
    : null

async function fittingNow(
  parts: RetryParts,
  scope: ShopScope,
  operation: OperationRow,
): Promise<Workflow> {
  const now = await workflowNow(parts, scope, operation)
  const reasons = parts.engine.misfits(operation, now)
  if (reasons.length > 0)
    throw new AppError('workflow_unfit', {
      details: reasons.map((message) => asDetail({ param: 'workflow', message })),
    })
  return now
}

/**
 * The workflow that a retry runs; null: the operation's own, unchanged. Throws `workflow_gone`,
 * `workflow_broken` or `workflow_unfit` if the current one is asked for and cannot be used, and
 * `validation_failed` with every problem of the options.
 */
export async function retriedWorkflow(
  parts: RetryParts,
  scope: ShopScope,
  operation: OperationRow,
  { workflow: choice, options = {} }: RetryChoice,
): Promise<Workflow | null> {
  const { engine } = parts
  const asked = Object.keys(options).length > 0
  const isUndo = operation.undoes !== null
  const now =
    choice === 'as_started' || (isUndo && choice === undefined)
      ? null
      : await fittingNow(parts, scope, operation).catch((error: unknown) => {
          if (choice === undefined && unusable(error)) return null
          throw error
        })
  if (now === null && !asked) return null
  const workflow = withGiven(now ?? engine.given(scope, operation), options)
  const problems = await optionProblems(engine, scope, workflow, options)
  if (problems.length > 0)
    throw new AppError('validation_failed', {
      param: firstOf(problems).param,
      details: problems,
    })
  if (!(await engine.differs(scope, operation, workflow))) return null
  if (workflow.steps.some(({ plugin }) => plugin === 'create-links')) await requireDownloads(scope)
  return workflow
}

type GivenOptions = NonNullable<RetryChoice['options']>

const withGiven = (workflow: Workflow, options: GivenOptions): Workflow => ({
  ...workflow,
  steps: workflow.steps.map((step) => {
    const given = ownValue(options, step.id)
    return given ? { ...step, options: { ...step.options, ...given } } : step
  }),
})

async function optionProblems(
  { plugins }: Engine,
  scope: ShopScope,
  { steps }: Workflow,
  options: GivenOptions,
): Promise<ErrorDetail[]> {
  const unknown = Object.keys(options).filter((id) => !steps.some((step) => step.id === id))
  const given = steps.filter(({ id }) => ownValue(options, id) !== undefined)
  const problems = given.flatMap((step) => {
    const plugin = plugins.find(({ id }) => id === step.plugin)
    return plugin ? schemaProblems(plugin.options, step.options ?? {}, `options.${step.id}`) : []
  })
  const references = given.flatMap(({ id, plugin }) =>
    referencesIn(
      plugins.find((one) => one.id === plugin),
      ownValue(options, id) ?? {},
      `options.${id}`,
    ),
  )
  return [
    ...unknown.map((id) => ({
      param: `options.${id}`,
      message: say('The workflow has no step {id}', { id }),
    })),
    ...problems,
    ...(await referenceProblems(scope, references)),
  ].map(asDetail)
}

export const retrySchema = z
  .object({
    changed: z
      .boolean()
      .describe(
        'The workflow, or a setting of the shop that it uses, was changed since the operation started: a retry can run either',
      ),
    steps: z
      .array(stepSchema)
      .nullable()
      .describe('The steps of the workflow as it is now; null: it cannot be used'),
    problem: z
      .object({ code: z.string(), message: z.string(), message_text: textSchema })
      .nullable()
      .describe('Why the workflow as it is now cannot be used'),
    reasons: z.array(textSchema).describe('Every reason for the problem'),
    mending: z
      .array(
        z.object({
          step: z.string(),
          step_title: z.string(),
          option: z.string(),
          option_title: z.string(),
        }),
      )
      .describe(
        'Secret options of its steps that may mend the failures, such as the password of encrypted documents: send them in `options`',
      ),
  })
  .meta({ id: 'Retry' })

/** What a retry of the operation could run. */
export async function retryRecord(
  parts: RetryParts,
  scope: ShopScope,
  operation: OperationRow,
): Promise<z.output<typeof retrySchema>> {
  const { engine } = parts
  const isUndo = operation.undoes !== null
  const found = isUndo
    ? { now: null, problem: null }
    : await fittingNow(parts, scope, operation).then(
        (now) => ({ now, problem: null }),
        (error: unknown) => {
          const problem = unusable(error)
          if (!problem) throw error
          return { now: null, problem }
        },
      )
  const { now, problem } = found
  const changed = now !== null && (await engine.differs(scope, operation, now))
  return {
    changed,
    steps: now && stepRecords(now.steps, engine.plugins),
    problem: problem && {
      code: problem.code,
      message: english(problem.text),
      message_text: problem.text,
    },
    reasons: problem?.details.map(({ message }) => textOf(message)) ?? [],
    mending: isUndo ? [] : await mendingOf(engine, scope, operation, now),
  }
}

/** The secret options that the codes of the operation's failures ask for. */
async function mendingOf(
  { plugins }: Engine,
  scope: ShopScope,
  { id, workflow }: OperationRow,
  now: Workflow | null,
) {
  const options = (now ?? workflow).steps.flatMap((step) => {
    const plugin = plugins.find((one) => one.id === step.plugin)
    return plugin ? mendingOptions(plugin).map((option) => ({ step, plugin, option })) : []
  })
  if (options.length === 0) return []
  const rows = await scope.query<{ code: string }>(
    `select distinct error ->> 'code' as code from items
     where shop_id = :shop and operation_id = :id and status = 'failed'
       and error ->> 'code' = any(:codes)`,
    { id, codes: options.map(({ option }) => option.mends) },
  )
  const codes = new Set(rows.map(({ code }) => code))
  return options
    .filter(({ option }) => codes.has(option.mends))
    .map(({ step, plugin, option }) => ({
      step: step.id,
      step_title: plugin.title,
      option: option.name,
      option_title: option.title,
    }))
}
