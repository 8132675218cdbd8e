// Saved views of lists under a name, for everybody in the shop: of the files with a filter, an order
// and columns, of other lists with their query.
import { say } from '../../../plugins/contract/index.ts'
import { isTaken } from '../../core/db/error-classes.ts'
import { deleteRow } from '../../core/db/delete-row.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { countInTurn } from '../../core/db/shop-maximum.ts'
import { AppError } from '../../core/errors.ts'
import type { FileFilter } from '../../files/filter.ts'
import { totalOfFiles, type FileTotal } from '../../files/list.ts'
import { nameKey } from '../../files/rules.ts'

/** The lists that have views. */
export const VIEW_LISTS = ['files', 'deliveries', 'links', 'operations'] as const
export type ViewList = (typeof VIEW_LISTS)[number]

/** What a view shows. Of another list than the files it is the query alone. */
export interface ViewContent {
  query: string
  filter: FileFilter
  sort: string
  /** Null: those that the browser shows. */
  columns: string[] | null
}

export interface SavedView extends ViewContent {
  /** The bare UUID of the view. */
  id: string
  list: ViewList
  name: string
  created_at: Date
  updated_at: Date
}

/** Of each list. */
export const MAX_VIEWS = 20
const COLUMNS = 'id, list, name, query, filter, sort, columns, created_at, updated_at'

/** The views of a list of the shop, by name. */
export const listViews = (scope: ShopScope, list: ViewList): Promise<SavedView[]> =>
  scope.query<SavedView>(
    `select ${COLUMNS} from saved_views where shop_id = :shop and list = :list order by name_key`,
    { list },
  )

/** Throws `not_found`. */
export async function requireView(scope: ShopScope, id: string): Promise<SavedView> {
  const [view] = await scope.query<SavedView>(
    `select ${COLUMNS} from saved_views where shop_id = :shop and id = :id`,
    { id },
  )
  if (!view) throw new AppError('not_found')
  return view
}

/** How many rows of its list a view shows; null: the caller may not read the list. */
export type ViewRows = FileTotal | null

/**
 * Counts the rows of each view, one after another, to leave the pool to others.
 * @param rowsOf of a list without an index of counts: a page of it is read
 */
export async function countViews(
  scope: ShopScope,
  views: readonly SavedView[],
  rowsOf: (view: SavedView) => Promise<ViewRows>,
): Promise<ReadonlyMap<SavedView, ViewRows>> {
  const counts = new Map<SavedView, ViewRows>()
  for (const view of views)
    counts.set(
      view,
      view.list === 'files' ? await totalOfFiles(scope, view.filter) : await rowsOf(view),
    )
  return counts
}

/** Throws `conflict` if the name is taken, or if the list has the maximum number. */
export async function createView(
  tx: ShopScope,
  { list, name, query, filter, sort, columns }: ViewContent & { list: ViewList; name: string },
): Promise<SavedView> {
  const views = await countInTurn(tx, 'saved_views where shop_id = :shop and list = :list', {
    list,
  })
  const [row] = await tx.query<SavedView>(
    `insert into saved_views (shop_id, list, name, name_key, query, filter, sort, columns)
     select :shop, :list, :name, :key, :query, :filter::jsonb, :sort, :columns::text[]
       where :views::int < :max
     on conflict (shop_id, list, name_key) do nothing returning ${COLUMNS}`,
    {
      list,
      name: name.normalize('NFC'),
      key: nameKey(name),
      query,
      sort,
      columns,
      views,
      max: MAX_VIEWS,
      filter: JSON.stringify(filter),
    },
  )
  if (row) return row
  const same = await tx.query(
    'select from saved_views where shop_id = :shop and list = :list and name_key = :key',
    { list, key: nameKey(name) },
  )
  throw same.length > 0
    ? nameTaken()
    : new AppError('conflict', {
        message: say('A list has at most {most} saved views: delete one first', {
          most: MAX_VIEWS,
        }),
      })
}

/**
 * Changes a view; absent fields stay unchanged. Throws `not_found`, and `conflict` if the name is
 * taken.
 */
export async function changeView(
  scope: ShopScope,
  id: string,
  change: {
    name?: string | undefined
    query?: string | undefined
    filter?: FileFilter | undefined
    sort?: string | undefined
    columns?: string[] | null | undefined
  },
): Promise<SavedView> {
  const { name, query, filter, sort, columns } = change
  try {
    const [row] = await scope.query<SavedView>(
      `update saved_views set name = coalesce(:name, name), name_key = coalesce(:key, name_key),
         query = coalesce(:query, query), filter = coalesce(:filter::jsonb, filter), sort = coalesce(:sort, sort),
         columns = case when :given::boolean then :columns::text[] else columns end,
         updated_at = now()
       where shop_id = :shop and id = :id returning ${COLUMNS}`,
      {
        id,
        query: query ?? null,
        name: name?.normalize('NFC') ?? null,
        key: name === undefined ? null : nameKey(name),
        filter: filter === undefined ? null : JSON.stringify(filter),
        sort: sort ?? null,
        given: columns !== undefined,
        columns: columns ?? null,
      },
    )
    if (row) return row
  } catch (error) {
    throw isTaken(error, 'saved_views_shop_id_list_name_key_key') ? nameTaken() : error
  }
  throw new AppError('not_found')
}

/** Throws `not_found`. */
export async function deleteView(scope: ShopScope, id: string): Promise<void> {
  await deleteRow(scope, 'saved_views', id)
}

const nameTaken = () =>
  new AppError('conflict', { param: 'name', message: say('Another view has this name') })
