// Saved views of the list of files.
import { sayPlain } from '../../../../plugins/contract.ts'
import { z } from 'zod'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { requirePublicId, toPublicId } from '../../../core/ids.ts'
import { filterSchema, type FileFilter } from '../../../files/filter.ts'
import { FILE_SORTS, totalOfFiles, type FileTotal } from '../../../files/list.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { errorSchema, givenName, listOf, timestamp, totalIsExact } from '../../../http/schemas.ts'
import {
  changeView,
  countViews,
  createView,
  deleteView,
  listViews,
  MAX_VIEWS,
  requireView,
  type SavedView,
} from '../saved-views.ts'
import { DEFAULT_SORT, listQuery, queryOf } from './list-query.ts'

const MAX_NAME = 50

/** The columns of the page's list, in addition to the name. */
const VIEW_COLUMNS = [
  'size',
  'tags',
  'products',
  'pack',
  'downloads',
  'uploaded',
  'visibility',
] as const

const name = givenName.refine(
  (text) => text.length <= MAX_NAME,
  `A name of a view has at most ${MAX_NAME} characters`,
)
const filter = filterSchema
  .omit({ deleted: true })
  .meta({ description: 'As of `GET /api/files`; a view never shows the trash' })
const isViewSort = (order: string) => !order.endsWith('pack_position')
const NO_PACK_ORDER = sayPlain('A view is not sorted by the place in a pack')
const sort = z.enum(FILE_SORTS).refine(isViewSort, NO_PACK_ORDER)
const columns = z
  .array(z.enum(VIEW_COLUMNS))
  .refine((all) => new Set(all).size === all.length, sayPlain('Each column once'))
  .nullable()
  .meta({ description: 'In addition to the name. null: those that the browser shows' })

const list = z.literal('files').meta({ description: 'The list that it is a view of' })
const QUERY = {
  description:
    'Instead of `filter` and `sort`: the parameters of `GET /api/files`, as an object or as text like `tags=summer&sort=-downloads`',
}

const viewSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    list,
    query: z.string().meta({ description: '`GET /api/files?…` with it lists what the view shows' }),
    filter,
    sort: z.enum(FILE_SORTS),
    columns: z.array(z.enum(VIEW_COLUMNS)).nullable(),
    files: z.number().int().meta({ description: 'How many files it shows now' }),
    files_is_exact: totalIsExact,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'SavedView' })

const byId = z.strictObject({ id: z.string() })
const about = { tag: 'Files', scope: 'files:write' } as const
const saved = { description: 'The view', schema: viewSchema }
const taken = { description: 'Another view has this name', schema: errorSchema }
const refused = { description: 'Every problem', schema: errorSchema }
const idOf = (id: string) => requirePublicId('saved', id)

export const savedViewRoutes = (): Endpoint[] => [all(), read(), save(), change(), remove()]

const all = () =>
  endpoint({
    ...about,
    method: 'get',
    path: '/api/views',
    summary: 'List saved views of the files, by name',
    scope: 'files:read',
    replies: { 200: { description: 'All views', schema: listOf(viewSchema) } },
    handler: async ({ caller }) => {
      const counts = await countViews(caller.scope, await listViews(caller.scope))
      const data = [...counts].map(([view, files]) => recordOf(view, files))
      return { body: { data, next_cursor: null } }
    },
  })

const read = () =>
  endpoint({
    ...about,
    method: 'get',
    path: '/api/views/{id}',
    summary: 'Read a saved view',
    scope: 'files:read',
    params: byId,
    replies: { 200: saved },
    handler: async ({ caller, params }) => ({
      body: await counted(caller.scope, await requireView(caller.scope, idOf(params.id))),
    }),
  })

/** What the view shows, in either form: the schema refuses both in one request. */
const contentOf = ({ query, filter, sort }: ViewGiven) => ({
  filter: query?.filter ?? filter,
  sort: query?.sort ?? sort,
})

interface ViewGiven {
  query?: { filter: FileFilter; sort: string } | undefined
  filter?: FileFilter | undefined
  sort?: string | undefined
}

const ONE_FORM = {
  path: ['query'],
  message: sayPlain('Send either `query`, or `filter` and `sort`'),
}
const hasOneForm = ({ query, filter, sort }: ViewGiven) =>
  query === undefined || (filter === undefined && sort === undefined)

const query = listQuery
  .refine(({ filter }) => filter.deleted === undefined, {
    path: ['deleted'],
    message: sayPlain('A view never shows the trash'),
  })
  .refine(({ sort }) => isViewSort(sort), { path: ['sort'], message: NO_PACK_ORDER })
  .optional()
  .meta(QUERY)

const save = () =>
  endpoint({
    ...about,
    method: 'post',
    path: '/api/views',
    summary: 'Save a view of the files',
    description: `Everybody in the shop sees it. A shop has at most ${MAX_VIEWS}.`,
    atomic: true,
    body: z
      .strictObject({
        name,
        list: list.default('files'),
        ...{ query, filter: filter.optional(), sort: sort.optional() },
        columns: columns.default(null),
      })
      .refine(hasOneForm, ONE_FORM)
      .meta({ id: 'SavedViewRequest' }),
    replies: { 201: saved, 409: taken, 422: refused },
    handler: async ({ caller, body }) => {
      const { filter = {}, sort = DEFAULT_SORT } = contentOf(body)
      const { name, columns } = body
      const view = await caller.scope.transaction((tx) =>
        createView(tx, { name, filter, sort, columns }),
      )
      return { status: 201, body: await counted(caller.scope, view) }
    },
  })

const change = () =>
  endpoint({
    ...about,
    method: 'patch',
    path: '/api/views/{id}',
    summary: 'Rename a saved view, or replace what it shows',
    params: byId,
    body: z
      .strictObject({
        name: name.optional(),
        ...{ query, filter: filter.optional(), sort: sort.optional() },
        columns: columns.optional(),
      })
      .refine(hasOneForm, ONE_FORM)
      .meta({ id: 'SavedViewChange' }),
    replies: { 200: saved, 409: taken, 422: refused },
    handler: async ({ caller: { scope }, params, body }) => {
      const { name, columns } = body
      const view = await changeView(scope, idOf(params.id), { name, columns, ...contentOf(body) })
      return { body: await counted(scope, view) }
    },
  })

const remove = () =>
  endpoint({
    ...about,
    method: 'delete',
    path: '/api/views/{id}',
    summary: 'Delete a saved view; its files stay',
    params: byId,
    replies: { 204: { description: 'Deleted', schema: null } },
    handler: async ({ caller, params }) => {
      await deleteView(caller.scope, idOf(params.id))
      return { status: 204, body: null }
    },
  })

const counted = async (scope: ShopScope, view: SavedView) =>
  recordOf(view, await totalOfFiles(scope, view.filter))

const recordOf = (
  { id, name, filter, sort, columns, created_at, updated_at }: SavedView,
  { total, isExact }: FileTotal,
) => ({
  ...{ id: toPublicId('saved', id), name, list: 'files', query: queryOf({ filter, sort }) },
  ...{ filter, sort, columns },
  files: total,
  files_is_exact: isExact,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
})
