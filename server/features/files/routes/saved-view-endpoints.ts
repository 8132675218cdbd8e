// Saved views of lists: of the files with a filter, an order and columns, of others with the query of
// their own endpoint.
import { say, sayFixed, sayPlain, type Text, textOf } from '../../../../plugins/contract/index.ts'
import { z } from 'zod'
import { AppError } from '../../../core/errors.ts'
import { requirePublicId, toPublicId } from '../../../core/ids.ts'
import { filterSchema, type FileFilter } from '../../../files/filter.ts'
import { FILE_SORTS } from '../../../files/list.ts'
import { endpointsOf, scopesOf, type Endpoint, type Request } from '../../../http/endpoint.ts'
import { cutPage } from '../../../http/cursors.ts'
import {
  errorSchema,
  givenName,
  listOf,
  timestamp,
  totalIsExact,
  pageOfWhole,
} from '../../../http/schemas.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import {
  type Reference,
  referencesInFilter,
  referencesInQuery,
  requireReferences,
} from '../../workflows/references.ts'
import { validate } from '../../../http/validate.ts'
import {
  changeView,
  countViews,
  createView,
  deleteView,
  listViews,
  MAX_VIEWS,
  requireView,
  type SavedView,
  VIEW_LISTS,
  type ViewContent,
  type ViewList,
  type ViewRows,
} from '../saved-views.ts'
import { DEFAULT_SORT, listQuery, ONCE, queryOf, repeatsParameter } from './list-query.ts'

export interface SavedViewParts {
  /** The endpoint of a list, by its path. */
  listEndpointOf: (path: string) => Endpoint & { query: z.ZodType }
}

const MAX_NAME = 50
/** Rows of other lists than the files that are counted. */
const MAX_ROWS = 100

/** The columns of the page's list, in addition to the name. */
const VIEW_COLUMNS = [
  'size',
  'tags',
  'products',
  'pack',
  'downloads',
  'paid_by',
  'uploaded',
  'visibility',
] as const

const name = givenName.max(
  MAX_NAME,
  sayFixed('A name of a view has at most {count} characters', { count: MAX_NAME }),
)
const filter = filterSchema
  .omit({ deleted: true })
  .describe('As of `GET /api/files`; a view never shows the trash')
const isViewSort = (order: string) => !order.endsWith('pack_position')
const NO_PACK_ORDER = sayPlain('A view is not sorted by the place in a pack')
const sort = z.enum(FILE_SORTS).refine(isViewSort, NO_PACK_ORDER)
const columns = z
  .array(z.enum(VIEW_COLUMNS))
  .refine((all) => new Set(all).size === all.length, sayPlain('Each column once'))
  .nullable()
  .describe('In addition to the name. null: those that the browser shows')

const list = z.enum(VIEW_LISTS).describe('The list that it is a view of')
const QUERY = {
  description:
    'The parameters of the list, as an object or as text like `tags=summer&sort=-downloads`. Of the files: instead of `filter` and `sort`. Of deliveries and links: without addresses of buyers',
}
const FILES_ALONE = 'null: it is a view of another list than the files'

const viewSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    list,
    query: z
      .string()
      .describe('`GET /api/files?…` with it, or that of its list, lists what the view shows'),
    filter: filter.nullable().meta({ description: FILES_ALONE }),
    sort: z.enum(FILE_SORTS).nullable().meta({ description: FILES_ALONE }),
    columns: z.array(z.enum(VIEW_COLUMNS)).nullable(),
    files: z.number().int().nullable().describe(`How many files it shows now. ${FILES_ALONE}`),
    files_is_exact: totalIsExact,
    rows: z
      .number()
      .int()
      .nullable()
      .describe(
        `How many rows of its list it shows now, of other lists than the files counted up to ${MAX_ROWS}. null: the caller may not read the list`,
      ),
    rows_is_exact: z.boolean().describe('false: there are more than that'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'SavedView' })

const endpoint = endpointsOf({ tag: 'Files', scope: 'files:write' })
const saved = { description: 'The view', schema: viewSchema }
const taken = { description: 'Another view has this name', schema: errorSchema }
const refused = { description: 'Every problem', schema: errorSchema }
const idOf = (id: string) => requirePublicId('saved', id)

export const savedViewRoutes = (parts: SavedViewParts): Endpoint[] => [
  all(parts),
  read(parts),
  save(parts),
  change(parts),
  remove(),
]

const all = (parts: SavedViewParts) =>
  endpoint('GET /api/views', {
    summary: 'List saved views of a list, by name',
    scope: 'files:read',
    query: z.strictObject({ ...pageOfWhole, list: list.default('files') }),
    replies: { 200: { description: 'All views', schema: listOf(viewSchema) } },
    handler: async (request) => {
      const views = await listViews(request.caller.scope, request.query.list)
      const { data, next_cursor } = cutPage(views, request.query, ({ id }) => id)
      return { body: { data: await counted(parts, request, data), next_cursor } }
    },
  })

const read = (parts: SavedViewParts) =>
  endpoint('GET /api/views/{id}', {
    summary: 'Read a saved view',
    scope: 'files:read',
    replies: { 200: saved },
    handler: async (request) => {
      const { caller, params } = request
      return answer(parts, request, await requireView(caller.scope, idOf(params.id)))
    },
  })

interface ViewGiven {
  query?: string | Record<string, unknown> | undefined
  filter?: FileFilter | undefined
  sort?: string | undefined
  columns?: string[] | null | undefined
}

const ONE_FORM = {
  path: ['query'],
  message: sayPlain('Send either `query`, or `filter` and `sort`'),
}
const hasOneForm = ({ query, filter, sort }: ViewGiven) =>
  query === undefined || (filter === undefined && sort === undefined)

const query = z
  .union(
    [z.string().max(10_000), z.record(z.string().max(50), z.unknown())],
    sayPlain('Send a query, like `tags=summer`'),
  )
  .optional()
  .meta(QUERY)

const filesQuery = listQuery
  .refine(({ filter }) => filter.deleted === undefined, {
    path: ['deleted'],
    message: sayPlain('A view never shows the trash'),
  })
  .refine(({ sort }) => isViewSort(sort), { path: ['sort'], message: NO_PACK_ORDER })

/** The ids in a view: the shop must have what they name. */
const referencesOf = ({ query, filter }: Partial<ViewContent>, given: ViewGiven): Reference[] => [
  ...referencesInFilter({ ...filter }, given.query === undefined ? 'filter' : 'query'),
  ...referencesInQuery(Object.fromEntries(new URLSearchParams(query)), 'query'),
]

/** What a view shows, as the request states it. Throws `validation_failed`. */
async function contentOf(
  parts: SavedViewParts,
  scope: ShopScope,
  list: ViewList,
  given: ViewGiven,
): Promise<Partial<ViewContent>> {
  const content = statedContent(parts, list, given)
  await requireReferences(scope, referencesOf(content, given))
  return content
}

function statedContent(
  { listEndpointOf }: SavedViewParts,
  list: ViewList,
  { query, filter, sort, columns }: ViewGiven,
): Partial<ViewContent> {
  if (list === 'files') {
    const given =
      query === undefined ? undefined : validate(z.object({ query: filesQuery }), { query }).query
    return {
      ...((given?.filter ?? filter) && { filter: given?.filter ?? filter }),
      ...((given?.sort ?? sort) && { sort: given?.sort ?? sort }),
      ...(columns !== undefined && { columns }),
    }
  }
  for (const [param, value] of Object.entries({ filter, sort, columns }))
    if (value !== undefined && value !== null) throw refusal(param, ONLY_QUERY)
  if (query === undefined) return {}
  const given = typeof query === 'string' ? [...new URLSearchParams(query)] : Object.entries(query)
  if (repeatsParameter(given)) throw refusal('query', textOf(ONCE))
  const parameters = Object.fromEntries(given)
  for (const name of ['limit', 'cursor'] as const)
    if (name in parameters) throw refusal(`query.${name}`, NO_PAGE)
  validate(z.object({ query: listEndpointOf(`/api/${list}`).query }), { query: parameters })
  const address = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (list !== 'operations' && String(value).includes('@'))
      throw refusal(`query.${name}`, NO_ADDRESS)
    address.set(name, String(value))
  }
  return { query: address.toString() }
}

const ONLY_QUERY = say('Views of other lists than the files have a query alone')
const NO_PAGE = say('A view begins with the first page')
/** A view is shown to everybody, and is not deleted with the data of a customer. */
const NO_ADDRESS = say('A view has no addresses of buyers')

const refusal = (param: string, message: Text) =>
  new AppError('validation_failed', { param, details: [{ param, code: 'invalid_value', message }] })

const save = (parts: SavedViewParts) =>
  endpoint('POST /api/views', {
    summary: 'Save a view of a list',
    description: `Everybody in the shop sees it. Each list has at most ${MAX_VIEWS}.`,
    atomic: true,
    body: z
      .strictObject({
        name,
        list: list.default('files'),
        query,
        filter: filter.optional(),
        sort: sort.optional(),
        columns: columns.optional(),
      })
      .refine(hasOneForm, ONE_FORM)
      .meta({ id: 'SavedViewRequest' }),
    replies: { 201: saved, 409: taken, 422: refused },
    handler: async (request) => {
      const { caller, body } = request
      const { list, name } = body
      const content = {
        query: '',
        filter: {},
        sort: DEFAULT_SORT,
        columns: null,
        ...(await contentOf(parts, caller.scope, list, body)),
      }
      const view = await caller.scope.transaction((tx) =>
        createView(tx, { list, name, ...content }),
      )
      return { status: 201, ...(await answer(parts, request, view)) }
    },
  })

const change = (parts: SavedViewParts) =>
  endpoint('PATCH /api/views/{id}', {
    summary: 'Rename a saved view, or replace what it shows',
    body: z
      .strictObject({
        name: name.optional(),
        query,
        filter: filter.optional(),
        sort: sort.optional(),
        columns: columns.optional(),
      })
      .refine(hasOneForm, ONE_FORM)
      .meta({ id: 'SavedViewChange' }),
    replies: { 200: saved, 409: taken, 422: refused },
    handler: async (request) => {
      const { caller, params, body } = request
      const { scope } = caller
      const id = idOf(params.id)
      const { list } = await requireView(scope, id)
      const content = await contentOf(parts, scope, list, body)
      const view = await changeView(scope, id, { name: body.name, ...content })
      return answer(parts, request, view)
    },
  })

const remove = () =>
  endpoint('DELETE /api/views/{id}', {
    summary: 'Delete a saved view; its files stay',
    replies: { 204: { description: 'Deleted', schema: null } },
    handler: async ({ caller, params }) => {
      await deleteView(caller.scope, idOf(params.id))
      return { status: 204, body: null }
    },
  })

type Asked = Pick<Request<unknown, unknown, unknown>, 'caller' | 'signal' | 'ctx'>

async function counted(parts: SavedViewParts, asked: Asked, views: readonly SavedView[]) {
  const counts = await countViews(asked.caller.scope, views, (view) => rowsOf(parts, asked, view))
  return [...counts].map(([view, rows]) => recordOf(view, rows))
}

const answer = async (parts: SavedViewParts, asked: Asked, view: SavedView) => {
  const [body] = await counted(parts, asked, [view])
  return { body }
}

/** Reads a page of the view’s list, as its endpoint answers: the count is what the list shows. */
async function rowsOf(
  { listEndpointOf }: SavedViewParts,
  { caller, signal, ctx }: Asked,
  { list, query }: SavedView,
): Promise<ViewRows> {
  const endpoint = listEndpointOf(`/api/${list}`)
  if (!scopesOf(endpoint).some((scope) => caller.scopes.has(scope))) return null
  const parsed = endpoint.query.safeParse({
    ...Object.fromEntries(new URLSearchParams(query)),
    limit: MAX_ROWS,
  })
  // An upgrade has removed a parameter.
  if (!parsed.success) return null
  const request = { params: {}, query: parsed.data, body: undefined, idempotencyKey: undefined }
  const reply = await endpoint.handler({ ...request, caller, signal, ctx }).catch((error) => {
    // What the view names was deleted.
    if (error instanceof AppError && error.code === 'not_found') return { body: NO_ROWS }
    throw error
  })
  const { data, next_cursor } = (reply?.body ?? NO_ROWS) as typeof NO_ROWS
  return { total: data.length, isExact: next_cursor === null }
}

const NO_ROWS: { data: readonly unknown[]; next_cursor: string | null } = {
  data: [],
  next_cursor: null,
}

const recordOf = (
  { id, list, name, query, filter, sort, columns, created_at, updated_at }: SavedView,
  rows: ViewRows,
) => ({
  id: toPublicId('saved', id),
  name,
  list,
  ...(list === 'files'
    ? { query: queryOf({ filter, sort }), filter, sort, columns }
    : { query, filter: null, sort: null, columns: null }),
  files: list === 'files' ? (rows?.total ?? null) : null,
  files_is_exact: list === 'files' ? (rows?.isExact ?? true) : true,
  rows: rows?.total ?? null,
  rows_is_exact: rows?.isExact ?? true,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
})
