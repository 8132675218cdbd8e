// The shop's products in the mirror of its catalog, and the mirror itself.
import { searchText } from '../../../../plugins/contract/index.ts'
import { z } from 'zod'
import {
  requestRefresh,
  readMirror,
  type MirrorState,
} from '../../../storefront/mirror/mirror-lease.ts'
import { searchProducts, type FoundProduct } from '../../../storefront/mirror/search.ts'
import { fromCursor, integer, text, listPage } from '../../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../../http/endpoint.ts'
import { listOf, messageText, page, timestamp } from '../../../http/schemas.ts'

const endpoint = endpointsOf({ tag: 'Products' })

const productSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    image: z.string().nullable(),
    status: z.string().describe('ACTIVE, DRAFT, ARCHIVED or UNLISTED'),
    variants: z.array(z.object({ id: z.string(), title: z.string(), sku: z.string().nullable() })),
    files: z.number().int().describe('How many files are mapped to it'),
  })
  .meta({ id: 'Product' })

const mirrorSchema = z
  .object({
    status: z
      .enum(['never', 'refreshing', 'ready', 'failed'])
      .describe('failed: the last refresh failed, and the list is from an earlier one'),
    products: z.number().int(),
    variants: z.number().int(),
    progress: z.number().int().nullable().describe('Rows read so far by a running refresh'),
    refreshed_at: timestamp.nullable(),
    error: z.string().nullable(),
    error_text: messageText,
    next_refresh_at: timestamp.nullable(),
  })
  .meta({ id: 'CatalogMirror' })

const search = searchText(255)
  .default('')
  .describe('The title has each of these words, or a SKU or barcode begins with it')

export function productRoutes(): Endpoint[] {
  return [
    endpoint('GET /api/products', {
      summary: 'Search the shop’s products by name or SKU',
      description: 'Exact matches first, then prefixes. The list is a mirror of the catalog.',
      scope: 'files:read',
      query: z.strictObject({ ...page, search }),
      replies: { 200: { description: 'A page of products', schema: listOf(productSchema) } },
      handler: async ({ caller, query }) => {
        const after = fromCursor(query.cursor, [integer, text, text])
        const rows = await searchProducts(caller.scope, {
          search: query.search,
          after,
          limit: query.limit + 1,
        })
        return {
          body: listPage(
            rows,
            query.limit,
            (last) => [last.rank, last.title_key, last.id],
            recordOf,
          ),
        }
      },
    }),
    endpoint('GET /api/products/mirror', {
      summary: 'Read the age of the list of products',
      scope: 'files:read',
      replies: { 200: { description: 'The current state', schema: mirrorSchema } },
      handler: async ({ caller }) => ({ body: mirrorRecord(await readMirror(caller.scope)) }),
    }),
    endpoint('POST /api/products/refresh', {
      summary: 'Refresh the list of products',
      description: 'It takes seconds to minutes; a refresh that is already running counts.',
      scope: 'files:write',
      replies: { 202: { description: 'The current state; poll it', schema: mirrorSchema } },
      handler: async ({ caller }) => {
        await requestRefresh(caller.scope)
        return { status: 202, body: mirrorRecord(await readMirror(caller.scope)) }
      },
    }),
  ]
}

const recordOf = ({
  id,
  title,
  image,
  status,
  variants,
  files,
}: FoundProduct): z.output<typeof productSchema> => ({
  id,
  title,
  image,
  status,
  variants,
  files,
})

function mirrorRecord(state: MirrorState | null): z.output<typeof mirrorSchema> {
  return {
    status: statusOf(state),
    products: state?.products ?? 0,
    variants: state?.variants ?? 0,
    progress: state?.refreshing ? state.objects : null,
    refreshed_at: state?.finished_at?.toISOString() ?? null,
    error: state?.error ?? null,
    error_text: state?.error_text ?? undefined,
    next_refresh_at: state?.due_at.toISOString() ?? null,
  }
}

function statusOf(state: MirrorState | null): z.output<typeof mirrorSchema>['status'] {
  // A requested refresh that has not begun counts as running: a worker begins it within seconds.
  if (state?.refreshing || (state && state.due_at.getTime() <= Date.now())) return 'refreshing'
  if (state?.failed_at) return 'failed'
  return state?.finished_at ? 'ready' : 'never'
}
