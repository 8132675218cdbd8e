// What files would be called: asked while a pattern is being written, before anything is started.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { type Schemas, type Selection } from './types.ts'

export type RenamePreview = Schemas['RenamePreview']
export type Renamed = RenamePreview['data'][number]

/**
 * So many new names are shown while the pattern is typed; for more files a preview shows the
 * conflicts.
 */
export const RENAMES_SHOWN = 10

/**
 * `options` null: they are not right yet. The last answer stays until the next one is here, so that
 * nothing flickers as one types.
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
