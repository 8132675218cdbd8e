// What each step of an operation did: how many files it got, what became of them, and its time.
import { z } from 'zod'
import { itemPlugins } from '../../../engine/steps.ts'
import { STEP_RESULTS } from '../../../engine/types.ts'
import { endpointsOf, type Endpoint } from '../../../http/endpoint.ts'
import { stepRecords, stepSchema } from '../record.ts'
import { findOperation, type OperationParts } from '../routes.ts'

const endpoint = endpointsOf({ tag: 'Operations' })

const counts = z
  .object(Object.fromEntries(STEP_RESULTS.map((name) => [name, z.int()])) as CountFields)
  .extend({ files: z.int().describe('Those that the step got') })
type CountFields = Record<(typeof STEP_RESULTS)[number], z.ZodInt>

const runSchema = z
  .object({
    data: z.array(
      stepSchema.extend({
        files: counts
          .nullable()
          .describe(
            'Of files that have ended. `changed`: the step worked on the file; `kept`: it failed, and the file continued unchanged. Null: it works on the whole operation',
          ),
        ms: z.int().nullable().describe('How long it worked, its batches added up'),
      }),
    ),
    write_ms: z.int().describe('How long it took to write the results'),
    kept: z.boolean().describe('false: the results of its files are not kept any more'),
  })
  .meta({ id: 'OperationSteps' })

export const stepRoutes = ({ engine }: OperationParts): Endpoint[] => [
  endpoint('GET /api/operations/{id}/steps', {
    summary: 'Count what each step of an operation did',
    scope: 'operations:read',
    replies: { 200: { description: 'Its steps in order', schema: runSchema } },
    handler: async ({ caller, params }) => {
      const operation = await findOperation(engine, caller.scope, params.id)
      const { workflow, step_ms = [], write_ms = 0, detail, id } = operation
      const onFiles = itemPlugins(workflow, engine.plugins).length
      const results = await engine.stepCounts(caller.scope, id, onFiles)
      let index = 0
      const data = stepRecords(workflow.steps, engine.plugins).map((step) => {
        const plugin = engine.plugins.find((one) => one.id === step.plugin)
        if (!plugin || plugin.scope === 'operation') return { ...step, files: null, ms: null }
        const at = index++
        const own = results[at]
        const files = own && {
          ...own,
          files: Object.values(own).reduce((sum, count) => sum + count, 0),
        }
        return { ...step, files: files ?? null, ms: Number(step_ms[at] ?? 0) }
      })
      return { body: { data, write_ms: Number(write_ms), kept: detail !== 'record' } }
    },
  }),
]
