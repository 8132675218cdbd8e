// Saved views of the list of files: a filter, an order and columns under a name, for everybody in
// the shop.
import { say } from '../../../plugins/contract.ts'
import { isTaken } from '../../core/db/error-classes.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import type { FileFilter } from '../../files/filter.ts'
import { totalOfFiles, type FileTotal } from '../../files/list.ts'
import { nameKey } from '../../files/rules.ts'

/** What a view shows. */
export interface ViewContent {
  filter: FileFilter
  sort: string
  /** Null: those that the browser shows. */
  columns: string[] | null
}

export interface SavedView extends ViewContent {
  /** The bare UUID of the view. */
  id: string
  name: string
  created_at: Date
  updated_at: Date
}

export const MAX_VIEWS = 20
const COLUMNS = 'id, name, filter, sort, columns, created_at, updated_at'

/** The views of the shop, by name. */
export const listViews = (scope: ShopScope): Promise<SavedView[]> =>
  scope.query<SavedView>(
    `select ${COLUMNS} from saved_views where shop_id = :shop order by name_key`,
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

/** How many files each view shows, counted one after another, to leave the pool to others. */
export async function countViews(
  scope: ShopScope,
  views: readonly SavedView[],
): Promise<ReadonlyMap<SavedView, FileTotal>> {
  const counts = new Map<SavedView, FileTotal>()
  for (const view of views) counts.set(view, await totalOfFiles(scope, view.filter))
  return counts
}

/** Throws `conflict` if the name is taken, or if the shop has the maximum number. */
export async function createView(
  tx: ShopScope,
  { name, filter, sort, columns }: ViewContent & { name: string },
): Promise<SavedView> {
  // Two that save at the same time take turns, so that the number is exact.
  await tx.query('select from shops where id = :shop for no key update')
  const { views } = await tx.one<{ views: number }>(
    'select count(*) as views from saved_views where shop_id = :shop',
  )
  const [row] = await tx.query<SavedView>(
    `insert into saved_views (shop_id, name, name_key, filter, sort, columns)
     select :shop, :name, :key, :filter::jsonb, :sort, :columns::text[]
       where :views::int < :max
     on conflict (shop_id, name_key) do nothing returning ${COLUMNS}`,
    {
      ...{ name: name.normalize('NFC'), key: nameKey(name), sort, columns, views, max: MAX_VIEWS },
      filter: JSON.stringify(filter),
    },
  )
  if (row) return row
  const same = await tx.query('select from saved_views where shop_id = :shop and name_key = :key', {
    key: nameKey(name),
  })
  throw same.length > 0
    ? nameTaken()
    : new AppError('conflict', {
        message: say('A shop has at most {most} saved views: delete one first', {
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
    filter?: FileFilter | undefined
    sort?: string | undefined
    columns?: string[] | null | undefined
  },
): Promise<SavedView> {
  const { name, filter, sort, columns } = change
  try {
    const [row] = await scope.query<SavedView>(
      `update saved_views set name = coalesce(:name, name), name_key = coalesce(:key, name_key),
         filter = coalesce(:filter::jsonb, filter), sort = coalesce(:sort, sort),
         columns = case when :given::boolean then :columns::text[] else columns end,
         updated_at = now()
       where shop_id = :shop and id = :id returning ${COLUMNS}`,
      {
        id,
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
    throw isTaken(error, 'saved_views_shop_id_name_key_key') ? nameTaken() : error
  }
  throw new AppError('not_found')
}

/** Throws `not_found`. */
export async function deleteView(scope: ShopScope, id: string): Promise<void> {
  const gone = await scope.query(
    'delete from saved_views where shop_id = :shop and id = :id returning 1',
    { id },
  )
  if (gone.length === 0) throw new AppError('not_found')
}

const nameTaken = () =>
  new AppError('conflict', { param: 'name', message: say('Another view has this name') })
