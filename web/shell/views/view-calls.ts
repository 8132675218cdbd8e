// Saved views of lists: types and calls.
import { useChangeOf } from '../client/change.ts'
import { call } from '../client/client.ts'
import { useRead } from '../client/reads.ts'
import { type Schemas } from '../client/types.ts'

export type SavedView = Schemas['SavedView']
/** What the server takes: of the files a filter, an order and columns, of other lists a query. */
export type ViewContent = Pick<Schemas['SavedViewChange'], 'query' | 'filter' | 'sort' | 'columns'>

export interface ViewsBarProps {
  list: SavedView['list']
  /** The list without a view: its path, and `All files`. */
  path: string
  all: string
  /** The id of the open view, or ''. */
  open: string
  /** Does the list show something else than all? */
  savable: boolean
  /** What the list shows. */
  content: ViewContent
  addressOf: (view: SavedView) => string
  isModified: (view: SavedView) => boolean
  onOpen: (view: SavedView) => void
  onClose: () => void
}

const KEYS = [['views']]
/** Counting the files of all views takes a moment in a large shop. */
const POLL_MS = 60_000

export const useSavedViews = (list: SavedView['list']) =>
  useRead('GET /api/views', { query: { list }, poll: POLL_MS })

export const useSaveView = () =>
  useChangeOf(KEYS, (body: ViewContent & Pick<SavedView, 'list' | 'name'>) =>
    call('POST /api/views', { body }),
  )

export const useChangeView = () =>
  useChangeOf(KEYS, ({ id, ...body }: ViewContent & { id: string; name?: string }) =>
    call('PATCH /api/views/{id}', { path: { id }, body }),
  )

export const useDeleteView = () =>
  useChangeOf(KEYS, (id: string) => call('DELETE /api/views/{id}', { path: { id } }))
