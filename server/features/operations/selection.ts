// The selection of a bulk call: files by id, or all that a filter selects.
import { sayPlain, sayFixed } from '../../../plugins/contract/index.ts'
import { z } from 'zod'
import type { Limits } from '../../core/configuration/limits.ts'
import type { OperationSource } from '../../engine/freeze.ts'
import { filterSchema } from '../../files/filter.ts'
import type { ErrorDetail } from '../../core/errors.ts'
import { parsePublicId } from '../../core/ids.ts'
import { checked } from '../../http/validate.ts'

const counted = <Ids extends z.ZodType>(ids: z.ZodArray<Ids>, limits: Limits) =>
  ids
    .min(1, sayPlain('At least one file'))
    .max(
      limits.ids_per_call,
      sayFixed('At most {count} files a call; use a filter for more', {
        count: limits.ids_per_call,
      }),
    )
    .meta({ description: 'Ids of files', example: ['file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e'] })

/** Ids of files as in `fileIds`, but a malformed id is kept: it fails like an unknown one. */
export const anyFileIds = (limits: Limits) => counted(z.array(z.string()), limits)

/** Typed ids of files; malformed ones are reported with their places. */
export const fileIds = (limits: Limits) =>
  counted(
    z.array(
      z.string().transform((id, context) => {
        const uuid = parsePublicId('file', id)
        if (uuid !== null) return uuid
        context.addIssue({
          code: 'custom',
          message: sayPlain('This is not the id of a file'),
          params: { code: 'invalid_value' },
        })
        return z.NEVER
      }),
    ),
    limits,
  )

export const selectionSchema = (limits: Limits) =>
  z
    .union([
      z.strictObject({ file_ids: fileIds(limits) }),
      z.strictObject({ filter: filterSchema }),
    ])
    .describe('The files: their ids, or a filter as in `GET /api/files`')

export type Selection = z.output<ReturnType<typeof selectionSchema>>

/** A request's own selection and options. */
interface SelectionInput {
  action?: string | undefined
  select?: Selection | undefined
  options: Readonly<Record<string, unknown>>
}

/** A selection, the other options, and the problems of what names the files. */
interface SelectedFiles {
  /** Null: there are problems. */
  selection: Selection | null
  options: Record<string, unknown>
  problems: readonly ErrorDetail[]
}

/**
 * Returns the selection of a request and its other options. `give-files` may name its files in the
 * options: `file_ids`, or `product_id` for all files of a product.
 */
export function selectedFiles(
  { action, select, options }: SelectionInput,
  limits: Limits,
): SelectedFiles {
  if (select) return { selection: select, options, problems: [] }
  const { file_ids, ...others } = options
  if (action === 'give-files' && file_ids !== undefined) {
    const given = z.object({ options: z.object({ file_ids: fileIds(limits) }) })
    const { data, details } = checked(given, { options: { file_ids } })
    return { selection: data?.options ?? null, options: others, problems: details }
  }
  if (action === 'give-files' && typeof options['product_id'] === 'string') {
    const filter = filterSchema.safeParse({ product: options['product_id'] })
    if (filter.success) return { selection: { filter: filter.data }, options, problems: [] }
  }
  const { details } = checked(z.object({ select: selectionSchema(limits) }), {})
  return { selection: null, options, problems: details }
}

export const sourceOf = (selection: Selection): OperationSource =>
  'file_ids' in selection
    ? { type: 'files', ids: selection.file_ids }
    : { type: 'filter', filter: selection.filter }
