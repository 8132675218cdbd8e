// New names of files while a person edits the pattern, before anything is started.
import { useRead } from '../../shell/client/reads.ts'
import { type Schemas, type Selection } from '../../shell/client/types.ts'

export type RenamePreview = Schemas['RenamePreview']

/**
 * How many new names are shown while the pattern is edited; for more files a preview shows the
 * conflicts.
 */
export const RENAMES_SHOWN = 10

/** `options` null: they are invalid at the moment. Nothing flickers while a person types. */
export const useRenamePreview = (select: Selection, options: Record<string, unknown> | null) =>
  useRead('POST /api/files/rename-preview', {
    body: options && { select, options, limit: RENAMES_SHOWN },
    keep: true,
    retry: false,
  })
