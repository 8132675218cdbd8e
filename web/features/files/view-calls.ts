// Saved views of the list of files: types and calls.
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { useRead } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type SavedView = Schemas['SavedView']
export type ViewContent = Pick<SavedView, 'filter' | 'sort' | 'columns'>

const KEYS = [['views']]
/** Counting the files of all views takes a moment in a large shop. */
const POLL_MS = 60_000

export const useSavedViews = () => useRead('GET /api/views', { poll: POLL_MS })

export const useSaveView = () =>
  useChangeOf(KEYS, (body: ViewContent & { name: string }) => call('POST /api/views', { body }))

export const useChangeView = () =>
  useChangeOf(KEYS, ({ id, ...body }: Partial<ViewContent> & { id: string; name?: string }) =>
    call('PATCH /api/views/{id}', { path: { id }, body }),
  )

export const useDeleteView = () =>
  useChangeOf(KEYS, (id: string) => call('DELETE /api/views/{id}', { path: { id } }))
