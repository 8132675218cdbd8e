// The new names of files, while a person edits the pattern.
import { z } from 'zod'
import { previewNames } from '../rename-preview.ts'
import type { Limits } from '../../../core/configuration/limits.ts'
import type { Engine } from '../../../engine/engine.ts'
import { toPublicId } from '../../../core/ids.ts'
import { problemFields } from '../../../core/texts.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { errorSchema, messageText } from '../../../http/schemas.ts'
import { selectionSchema, sourceOf } from '../../operations/selection.ts'

const namesSchema = z
  .object({
    data: z.array(
      z.object({
        file_id: z.string(),
        before: z.string(),
        after: z.string(),
        problem: z
          .string()
          .nullable()
          .describe('Why it cannot have this name, or keeps its own; null: it can'),
        problem_text: messageText,
      }),
    ),
    total: z.number().int().describe('How many files the selection has'),
  })
  .meta({ id: 'RenamePreview' })

export const renamePreviewRoutes = ({
  engine,
  limits,
}: {
  engine: Engine
  limits: Limits
}): Endpoint[] => [
  endpoint('POST /api/files/rename-preview', {
    summary: 'Preview the new names of the first files of a selection',
    description:
      'Answers immediately and writes nothing. `options` are those of the action `rename-files`. If many files take each other’s names in a chain, it follows the first few: the operation’s own preview (`dry_run`) follows all.',
    tag: 'Files',
    scope: 'files:read',
    body: z
      .strictObject({
        select: selectionSchema(limits),
        options: z.record(z.string(), z.unknown()).describe('Of the action `rename-files`'),
        limit: z.int().min(1).max(50).default(20),
      })
      .meta({ id: 'RenamePreviewRequest' }),
    replies: {
      200: {
        description: 'In the order in which an operation would rename them',
        schema: namesSchema,
      },
      422: {
        description: 'Every problem with the options: `options.pattern` and so on',
        schema: errorSchema,
      },
    },
    handler: async ({ caller, body: { select, options, limit }, signal }) => {
      // oxfmt-ignore
      const { names, total } = await previewNames(engine, caller.scope, { source: sourceOf(select), options, limit, signal })
      return {
        body: {
          data: names.map(({ id, problem, ...name }) => ({
            file_id: toPublicId('file', id),
            ...name,
            ...problemFields(problem),
          })),
          total,
        },
      }
    },
  }),
]
