// The versions of a workflow: listed with what each one changed, read, and restored.
import { z } from 'zod'
import { type Engine } from '../../../engine/engine.ts'
import { AppError } from '../../../core/errors.ts'
import { requirePublicId } from '../../../core/ids.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { cutPage } from '../../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../../http/endpoint.ts'
import { listOf, pageOfWhole, textSchema, timestamp } from '../../../http/schemas.ts'
import type { Parts, WorkflowBody } from '../check.ts'
import { summaryFields } from '../describe.ts'
import { differenceRecord, differenceSchema, workflowDifferences } from '../difference.ts'
import { toldWorkflows } from '../names.ts'
import {
  KEPT_VERSIONS,
  listWorkflowVersions,
  readVersion,
  type WorkflowVersion,
} from '../versions.ts'
import { readWorkflow } from '../workflows.ts'

const endpoint = endpointsOf({ tag: 'Workflows', scope: 'operations:read' })

const versionFields = {
  version: z.int().describe('From 1'),
  created_at: timestamp,
  by: z.string().describe('The name of the person or the key'),
  restored: z.int().nullable().describe('The version that was restored; null: it was saved'),
}
const differences = z.array(differenceSchema)

const versionSchema = z
  .object({
    ...versionFields,
    differences: differences.describe(
      'To the version before; empty for the first one, and if that is not kept',
    ),
  })
  .meta({ id: 'WorkflowVersion' })

const stepSchema = z.object({
  plugin: z.string(),
  title: z.string(),
  summary: z.string(),
  summary_text: textSchema,
})

const wholeVersion = z
  .object({
    ...versionFields,
    steps: z.array(stepSchema),
    body: z.record(z.string(), z.unknown()).describe('The request that saves it'),
    differences: differences.describe('From this version to the workflow as it is now'),
  })
  .meta({ id: 'WholeWorkflowVersion' })

export const workflowVersionRoutes = (parts: Parts & { move: Engine['move'] }): Endpoint[] => [
  endpoint('GET /api/workflows/{id}/versions', {
    summary: 'List the versions of a workflow, newest first',
    description: `Each save that changes something is a version. The last ${KEPT_VERSIONS} are kept.`,
    query: z.strictObject(pageOfWhole),
    replies: { 200: { description: 'All of them', schema: listOf(versionSchema) } },
    handler: async ({ caller, params, query }) => {
      const id = await ownWorkflowId(caller.scope, params.id)
      const versions = await listWorkflowVersions(caller.scope, id)
      const told = await toldWorkflows(
        caller.scope,
        versions.map(({ body }) => body),
        parts.plugins,
      )
      const rows = versions.map((version, at) => {
        const [now, before] = [told[at], told[at + 1]]
        const changes = now && before ? workflowDifferences(before, now, parts.plugins) : []
        return { ...fieldsOf(version), differences: changes.map(differenceRecord) }
      })
      return { body: cutPage(rows, query, ({ version }) => String(version)) }
    },
  }),
  endpoint('GET /api/workflows/{id}/versions/{version}', {
    summary: 'Read a version of a workflow',
    replies: { 200: { description: 'The version', schema: wholeVersion } },
    handler: async ({ caller, params }) => {
      const id = await ownWorkflowId(caller.scope, params.id)
      const version = await requireVersion(caller.scope, id, Number(params.version))
      const [newest] = await listWorkflowVersions(caller.scope, id)
      const bodies = [version.body, newest?.body ?? version.body]
      const [then, now] = await toldWorkflows(caller.scope, bodies, parts.plugins)
      const changes = then && now ? workflowDifferences(then, now, parts.plugins) : []
      return {
        body: {
          ...fieldsOf(version),
          steps: stepsOf(version.body, parts),
          body: version.body,
          differences: changes.map(differenceRecord),
        },
      }
    },
  }),
]

const fieldsOf = ({ version, created_at, made_by, restored }: WorkflowVersion) => ({
  version,
  created_at: created_at.toISOString(),
  by: made_by,
  restored,
})

const stepsOf = ({ steps }: WorkflowBody, { plugins }: Parts) =>
  steps.map(({ id = '', plugin, options = {} }) => ({
    plugin,
    title: plugins.find((one) => one.id === plugin)?.title ?? plugin,
    ...summaryFields({ id, plugin, options }, plugins),
  }))

/** Throws `not_found`: built-in workflows have no versions. */
async function ownWorkflowId(scope: ShopScope, id: string): Promise<string> {
  const uuid = requirePublicId('workflow', id)
  if (!(await readWorkflow(scope, uuid))) throw new AppError('not_found')
  return uuid
}

const MAX_VERSION = 2 ** 31 - 1

/** Throws `not_found`. */
export async function requireVersion(
  scope: ShopScope,
  workflow: string,
  version: number,
): Promise<WorkflowVersion> {
  const isNumber = Number.isInteger(version) && version > 0 && version <= MAX_VERSION
  const found = isNumber ? await readVersion(scope, workflow, version) : null
  if (!found) throw new AppError('not_found')
  return found
}
