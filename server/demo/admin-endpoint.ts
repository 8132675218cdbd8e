// The platform's Admin GraphQL endpoint: a query is validated, charged before it runs, and partly
// refunded afterwards.
import {
  defaultFieldResolver,
  execute,
  GraphQLError,
  parse,
  validate,
  type DocumentNode,
  type GraphQLFieldResolver,
} from 'graphql'
import type { DemoShop } from './app.ts'
import { adminSchema, createRoot } from './admin-schema.ts'
import { type Notes } from './admin-views.ts'
import { createBucket } from './bucket.ts'
import { createBulkRunner, type BulkRunner } from './bulk.ts'
import type { DemoCatalog } from './catalog.ts'
import { memoryOrders, type OrderStore } from './orders/store.ts'
import { actualCost, MAX_POINTS, requestedCost } from './cost.ts'

export interface AdminCounts {
  queries: number
  throttled: number
  /** The sum of the actual costs of all queries. */
  points: number
}

export interface AdminEndpoint {
  /** Answers a GraphQL request; the HTTP status is always 200. */
  answer(body: { query?: unknown; variables?: unknown }): Promise<Record<string, unknown>>
  bulk: BulkRunner
  readonly counts: AdminCounts
}

const DOCUMENTS_KEPT = 50

export function createAdminEndpoint(
  catalog: DemoCatalog,
  shop: DemoShop,
  throttle: { bucket: number; restore: number; denied?: readonly string[] },
  orders: OrderStore = memoryOrders(),
  /** Further fields of QueryRoot and Mutation. */
  more: object = {},
): AdminEndpoint {
  const root = { ...createRoot(catalog, shop, orders), ...more }
  const bulk = createBulkRunner((document, contextValue) =>
    execute({ schema: adminSchema, document, rootValue: root, contextValue }),
  )
  const rootValue = { ...root, ...bulk.fields }
  const bucket = createBucket(throttle.bucket, throttle.restore)
  const fieldResolver = denying(throttle.denied ?? [])
  const counts: AdminCounts = { queries: 0, throttled: 0, points: 0 }
  const read = documentReader()
  const costs = (requestedQueryCost: number, actualQueryCost: number | null) => ({
    cost: { requestedQueryCost, actualQueryCost, throttleStatus: bucket.status() },
  })

  const answer: AdminEndpoint['answer'] = async (body) => {
    if (typeof body.query !== 'string') return refused('No query was provided', 'BAD_REQUEST')
    const variables = (body.variables ?? {}) as Record<string, unknown>
    const { document, errors } = read(body.query)
    if (!document) return { errors }
    const requested = requestedCost(adminSchema, document, variables)
    if (requested > MAX_POINTS)
      return refused(
        `Query cost is ${requested}, which exceeds the single query max cost limit (${MAX_POINTS}).`,
        'MAX_COST_EXCEEDED',
        { cost: requested, maxCost: MAX_POINTS },
      )
    if (!bucket.take(requested)) {
      counts.throttled++
      return { ...refused('Throttled', 'THROTTLED'), extensions: costs(requested, null) }
    }
    counts.queries++
    const notes: Notes = { search: [] }
    const result = await execute({
      schema: adminSchema,
      document,
      rootValue,
      contextValue: notes,
      variableValues: variables,
      fieldResolver,
    })
    const actual = result.data
      ? Math.min(actualCost(adminSchema, document, result.data), requested)
      : 0
    bucket.giveBack(requested - actual)
    counts.points += actual
    const found = notes.search.length > 0 ? { search: notes.search } : {}
    return { ...result, extensions: { ...costs(requested, actual), ...found } }
  }
  return { answer, bulk, counts }
}

/** Refuses these fields (`Order.customer`) as the platform does to an app without the scope. */
const denying =
  (denied: readonly string[]): GraphQLFieldResolver<unknown, unknown> =>
  (source, args, context, info) => {
    if (denied.includes(`${info.parentType.name}.${info.fieldName}`))
      throw new GraphQLError(`Access denied for ${info.fieldName} field.`, {
        extensions: { code: 'ACCESS_DENIED' },
      })
    return defaultFieldResolver(source, args, context, info)
  }

/** Parses and validates documents, and caches them: an app sends the same few over and over. */
function documentReader() {
  const known = new Map<
    string,
    { document: DocumentNode | null; errors: readonly GraphQLError[] }
  >()
  return (text: string) => {
    const there = known.get(text)
    if (there) return there
    const fresh = readDocument(text)
    if (known.size >= DOCUMENTS_KEPT) known.clear()
    known.set(text, fresh)
    return fresh
  }
}

function readDocument(text: string): {
  document: DocumentNode | null
  errors: readonly GraphQLError[]
} {
  try {
    const document = parse(text)
    const errors = validate(adminSchema, document)
    return errors.length > 0 ? { document: null, errors } : { document, errors: [] }
  } catch (error) {
    return { document: null, errors: [error as GraphQLError] }
  }
}

const refused = (message: string, code: string, more: object = {}) => ({
  errors: [{ message, extensions: { code, ...more } }],
})
