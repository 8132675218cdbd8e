// The document that an operation produced: an export, a list of links.
import { say } from '../../../../plugins/contract/index.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { OperationRow } from '../../../engine/types.ts'
import { AppError } from '../../../core/errors.ts'
import { locateArtifact } from '../../../files/artifacts.ts'
import type { WholeBlobs } from '../../../files/whole-blobs.ts'
import { contentReplies, sendContent } from '../../../http/content.ts'
import { endpoint, type Endpoint, type Scope, requireScopes } from '../../../http/endpoint.ts'
import { findOperation } from '../routes.ts'

export const artifactRoutes = (parts: { engine: Engine; blobs: WholeBlobs }): Endpoint[] => [
  endpoint('GET /api/operations/{id}/artifact', {
    summary: 'Download what an operation produced',
    description:
      'As an attachment; supports `Range` and `If-None-Match`. It also needs the scope of the operation itself: `files:read` for an export, `links:write` for a list of links.',
    tag: 'Operations',
    scope: 'operations:read',
    replies: contentReplies,
    handler: async ({ caller, params, ctx }) => {
      const operation = await findOperation(parts.engine, caller.scope, params.id)
      const found = await locateArtifact(caller.scope, operation.id)
      if (!found)
        throw new AppError('not_found', {
          message: say('This operation produced nothing to be downloaded'),
        })
      requireScopes(caller, scopesOf(operation, parts.engine))
      await sendContent(ctx, parts.blobs, caller.scope.shop, found)
      return null
    },
  }),
]

/** The scopes that a reader of the document needs: those of the steps that may have written it. */
function scopesOf({ workflow }: OperationRow, { plugins }: Engine): Scope[] {
  const steps = workflow.steps.map((step) => plugins.find(({ id }) => id === step.plugin))
  return steps.flatMap((plugin) =>
    plugin?.scope === 'operation' && plugin.kind !== 'notify'
      ? [plugin.permission ?? 'files:write']
      : [],
  )
}
