// A trial: a workflow that is not saved is tried on a few files, and nothing is changed or sent.
import { z } from 'zod'
import { say } from '../../../../plugins/contract/index.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../../core/errors.ts'
import { storedMessage, problemFields } from '../../../core/texts.ts'
import { requirePublicId, toPublicId } from '../../../core/ids.ts'
import { firstOf } from '../../../core/lazy.ts'
import { endpoint, type Endpoint, requireScopes } from '../../../http/endpoint.ts'
import { errorSchema, messageText, warning } from '../../../http/schemas.ts'
import { checkWorkflow, type WorkflowBody } from '../../workflows/check.ts'
import { asDetail } from '../../workflows/problems.ts'
import { workflowBody } from '../../workflows/record.ts'
import { referenceProblems, referencesOfSteps } from '../../workflows/references.ts'
import { givenWorkflowProblems } from '../../workflows/workflows.ts'
import { shownChange } from '../item-record.ts'

const MOST_FILES = 10

const changes = z.record(z.string(), z.unknown()).nullable()
const triedFileSchema = z
  .object({
    file_id: z.string(),
    filename: z.string(),
    problem: z
      .string()
      .nullable()
      .describe('Why the file would stay as it is; null: nothing prevents it'),
    problem_text: messageText,
    before: changes.describe('The fields that would change, before'),
    after: changes.describe(
      'The same fields after the change; tags and mappings as {added, removed}. Steps on bytes have really run, so sizes are those of the new bytes',
    ),
    warnings: z.array(warning),
    steps: z
      .array(
        z.object({
          step: z.number().int().describe('The index in `steps`'),
          result: z
            .enum(['done', 'unchanged', 'other_files', 'not_tried', 'kept', 'skipped', 'failed'])
            .describe(
              '`other_files`: its condition excludes the file; `kept`: it failed, and the file continues unchanged',
            ),
          message: z.string().nullable(),
          message_text: messageText,
        }),
      )
      .describe('Up to the step that ends the file; steps on the whole operation are not tried'),
    picture: z
      .object({ content_type: z.string(), base64: z.string() })
      .nullable()
      .describe('The new bytes, if they are an image of at most 256 KB'),
  })
  .meta({ id: 'TriedFile' })

const trialSchema = z.object({ data: z.array(triedFileSchema) }).meta({ id: 'WorkflowTrial' })

export const trialRoutes = ({ engine }: { engine: Engine }): Endpoint[] => [
  endpoint('POST /api/workflows/try', {
    summary: 'Try a workflow on up to ten files without saving it',
    description:
      'Answers after the steps have run. Nothing is changed or sent, and new bytes are thrown away. It is checked as for saving, except its name and channel. It takes up to a minute; files over 50 MB are only planned.',
    tag: 'Workflows',
    scope: 'operations:write',
    body: z
      .strictObject({
        workflow: workflowBody,
        file_ids: z
          .array(z.string())
          .min(1)
          .max(MOST_FILES)
          .optional()
          .describe('Absent: the newest ten files'),
      })
      .meta({ id: 'WorkflowTrialRequest' }),
    feature: 'workflows',
    problems: async ({ caller, body }) =>
      body.workflow
        ? (await givenWorkflowProblems(caller.scope, body.workflow, engine))
            .filter(({ param }) => !ONLY_SAVED.has(param))
            .map(ofWorkflow)
        : [],
    replies: {
      200: { description: 'What would happen to each file', schema: trialSchema },
      422: { description: 'Every problem of the workflow, with its place', schema: errorSchema },
    },
    handler: async ({ caller, body, signal }) => {
      requireScopes(caller, ['files:read'])
      const workflow = await checked(caller.scope, body.workflow, engine)
      const files = body.file_ids
        ? [...new Set(body.file_ids.map((id) => requirePublicId('file', id)))]
        : await newestFiles(caller.scope)
      const tried = await engine.try(caller.scope, { workflow, files, signal })
      const places = new Map(workflow.steps.map(({ id }, at) => [id, at]))
      return {
        body: {
          data: tried.map(({ id, steps, before, after, picture, problem, ...file }) => ({
            ...file,
            ...problemFields(problem),
            file_id: toPublicId('file', id),
            ...shownChange({ before, after }),
            steps: steps.map(({ step, result, message }) => ({
              step: places.get(step) ?? 0,
              result,
              ...(message === null ? { message } : storedMessage(message)),
            })),
            picture: picture && {
              content_type: picture.content_type,
              base64: picture.bytes.toString('base64'),
            },
          })),
        },
      }
    },
  }),
]

/** Fields that only a saved workflow needs. */
const ONLY_SAVED: ReadonlySet<string> = new Set(['name', 'channel'])

const ofWorkflow = (detail: ErrorDetail): ErrorDetail => ({
  ...detail,
  param: `workflow.${detail.param}`,
})

/** The workflow of a draft. Throws `validation_failed` with every problem. */
async function checked(scope: ShopScope, body: WorkflowBody, engine: Engine) {
  const { workflow, problems } = checkWorkflow(body, engine)
  const named = await referenceProblems(scope, referencesOfSteps(workflow.steps, engine.plugins))
  const all = [...problems, ...named].filter(({ param }) => !ONLY_SAVED.has(param))
  if (workflow.kind === 'delivery')
    all.push({
      param: 'kind',
      message: say('A workflow of deliveries needs an order: it cannot be tried'),
    })
  if (all.length === 0) return workflow
  const details = all.map(asDetail).map(ofWorkflow)
  throw new AppError('validation_failed', { param: firstOf(details).param, details })
}

const newestFiles = async (scope: ShopScope): Promise<string[]> =>
  (
    await scope.query<{ id: string }>(
      `select id from files where shop_id = :shop and deleted_at is null
       order by id desc limit ${MOST_FILES}`,
    )
  ).map(({ id }) => id)
