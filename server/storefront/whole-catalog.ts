// The whole catalog of a shop by a bulk query: the platform collects it in the background and gives
// an address with the rows as JSON lines. A variant's line names its product and may precede it.
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { PortError, say, sayPlain, type AnyText } from '../../plugins/contract/index.ts'
import { MUTATION_POINTS, type AdminRequest } from './admin-api.ts'
import { answeredText, unavailableText } from './platform-failures.ts'
import { BULK_OPERATION, RUN_BULK_QUERY, WHOLE_CATALOG, type Transport } from './operations.ts'

export interface ProductRow {
  kind: 'product'
  id: string
  title: string
  handle: string
  /** The product's status: ACTIVE, DRAFT, ARCHIVED or UNLISTED. */
  status: string
  image_url: string | null
  tags: string[]
}

export interface VariantRow {
  kind: 'variant'
  id: string
  product_id: string
  title: string
  sku: string | null
  barcode: string | null
  position: number
}

export type CatalogRow = ProductRow | VariantRow

/** The platform's progress. `gone`: it does not know the operation (any more). */
export type BulkProgress =
  | { status: 'running'; objects: number }
  | { status: 'complete'; url: string | null; objects: number }
  | { status: 'gone' }

/** Every method throws `PortError`. */
export interface WholeCatalog {
  /** Starts the platform's collection; returns the id of its operation. */
  begin(signal: AbortSignal): Promise<string>
  progress(operation: string, signal: AbortSignal): Promise<BulkProgress>
  /** The rows at an address that `progress` gave. */
  rows(url: string, signal: AbortSignal): AsyncIterable<CatalogRow>
}

interface BulkStart {
  bulkOperationRunQuery: {
    bulkOperation: { id: string } | null
    userErrors: { code: string; message: string }[]
  } | null
}
interface State {
  bulkOperation: {
    status: string
    errorCode: string | null
    objectCount: string
    url: string | null
  } | null
}
export interface Line {
  id: string
  title: string
  handle: string
  status: string
  tags: string[]
  featuredMedia: { preview: { image: { url: string } | null } | null } | null
  sku: string | null
  barcode: string | null
  position: number
  __parentId?: string
}

const QUERY_POINTS = 1

export function createWholeCatalog(request: AdminRequest, transport: Transport): WholeCatalog {
  return {
    begin: async (signal) => {
      const variables = { query: WHOLE_CATALOG.text }
      const data = await request<BulkStart>(RUN_BULK_QUERY, variables, MUTATION_POINTS, signal)
      const { bulkOperation, userErrors } = data.bulkOperationRunQuery ?? {
        bulkOperation: null,
        userErrors: [],
      }
      if (bulkOperation) return bulkOperation.id
      throw catalogError(userErrors[0]?.message ?? sayPlain('it did not start the bulk export'))
    },
    progress: async (id, signal) => {
      const { bulkOperation } = await request<State>(BULK_OPERATION, { id }, QUERY_POINTS, signal)
      if (!bulkOperation || bulkOperation.status === 'EXPIRED') return { status: 'gone' }
      const { status, errorCode, objectCount, url } = bulkOperation
      const objects = Number(objectCount)
      if (status === 'COMPLETED') return { status: 'complete', url, objects }
      if (status === 'CREATED' || status === 'RUNNING') return { status: 'running', objects }
      const ended = errorCode ? `${status} (${errorCode})` : status
      throw catalogError(say('the bulk export ended as {status}', { status: ended }))
    },
    rows: (url, signal) => readRows(url, transport, signal),
  }
}

const catalogError = (reason: AnyText, cause?: unknown) =>
  new PortError('storefront_unavailable', unavailableText(reason), true, { cause })

async function* readRows(
  url: string,
  transport: Transport,
  signal: AbortSignal,
): AsyncGenerator<CatalogRow> {
  // The address contains its own key: without TLS it could be read on the way.
  if (URL.parse(url)?.protocol !== 'https:')
    throw catalogError(sayPlain('it returned no safe address'))
  try {
    const response = await transport(url, { redirect: 'error', signal })
    if (!response.ok || !response.body) throw catalogError(answeredText(response.status))
    const lines = createInterface({
      input: Readable.fromWeb(response.body as never),
      crlfDelay: Infinity,
    })
    for await (const line of lines) if (line !== '') yield rowOf(JSON.parse(line) as Line)
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof PortError ? error : catalogError(sayPlain('its answer broke off'), error)
  }
}

export function rowOf(line: Line): CatalogRow {
  const { id, title } = line
  if (line.__parentId !== undefined)
    return {
      kind: 'variant',
      id,
      product_id: line.__parentId,
      title,
      sku: line.sku,
      barcode: line.barcode,
      position: line.position,
    }
  const image_url = line.featuredMedia?.preview?.image?.url ?? null
  return {
    kind: 'product',
    id,
    title,
    handle: line.handle,
    status: line.status,
    image_url,
    tags: line.tags,
  }
}
