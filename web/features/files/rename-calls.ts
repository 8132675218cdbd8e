// New names of files while a person edits the pattern, before anything is started.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../shell/client/client.ts'
import { type Schemas, type Selection } from '../../shell/client/types.ts'

export type RenamePreview = Schemas['RenamePreview']
export type RenamedFile = RenamePreview['data'][number]

/**
 * How many new names are shown while the pattern is edited; for more files a preview shows the
 * conflicts.
 */
export const RENAMES_SHOWN = 10

/**
 * `options` null: they are invalid at the moment. The last answer stays until the next one arrives,
 * so that nothing flickers while a person types.
 */
export const useRenamePreview = (select: Selection, options: Record<string, unknown> | null) =>
  useQuery({
    queryKey: ['rename-preview', select, options],
    queryFn: ({ signal }) =>
      call<RenamePreview>('/api/files/rename-preview', {
        method: 'POST',
        body: { select, options, limit: RENAMES_SHOWN },
        signal,
      }),
    enabled: options !== null,
    placeholderData: keepPreviousData,
    retry: false,
  })
