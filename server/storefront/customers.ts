// The customers of a shop on the platform, which needs the scope `read_customers`.
import type { AdminRequest, PlatformPage } from './admin-api.ts'
import { CHANGED_CUSTOMERS, CUSTOMER_EMAIL, CUSTOMERS_BY_ID } from './operations.ts'

export interface PlatformCustomer {
  id: string
  tags: readonly string[]
  updated_at: Date
}

/** Every method throws `PortError`. */
export interface LiveCustomers {
  /** Those that exist, of at most `CUSTOMERS_PER_QUERY` ids. */
  read(ids: readonly string[], signal: AbortSignal): Promise<readonly PlatformCustomer[]>
  /** The customer's address; null: there is none, or no such customer. */
  email(id: string, signal: AbortSignal): Promise<string | null>
  /** Customers that changed since then, oldest change first. */
  changedSince(
    since: Date,
    signal: AbortSignal,
  ): AsyncIterable<readonly Omit<PlatformCustomer, 'tags'>[]>
}

export const CUSTOMERS_PER_QUERY = 100

interface CustomerNode {
  id: string
  tags: string[]
  updatedAt: string
}
interface CustomersPage {
  customers: PlatformPage<Omit<CustomerNode, 'tags'>>
}

export const createCustomers = (request: AdminRequest): LiveCustomers => ({
  read: async (ids, signal) => {
    const { nodes } = await request<{ nodes: (Partial<CustomerNode> | null)[] }>(
      CUSTOMERS_BY_ID,
      { ids },
      CUSTOMERS_PER_QUERY,
      signal,
    )
    // A node of another type has none of the fields.
    return nodes.flatMap((node) =>
      node?.id === undefined
        ? []
        : [{ id: node.id, tags: node.tags ?? [], updated_at: new Date(node.updatedAt ?? 0) }],
    )
  },
  email: async (id, signal) => {
    const { customer } = await request<{
      customer: { defaultEmailAddress: { emailAddress: string } | null } | null
    }>(CUSTOMER_EMAIL, { id }, 2, signal)
    return customer?.defaultEmailAddress?.emailAddress ?? null
  },
  changedSince: async function* (since, signal) {
    const query = `updated_at:>='${since.toISOString()}'`
    let after: string | null = null
    do {
      const { customers }: CustomersPage = await request<CustomersPage>(
        CHANGED_CUSTOMERS,
        { query, first: CUSTOMERS_PER_QUERY, after },
        CUSTOMERS_PER_QUERY + 2,
        signal,
      )
      yield customers.nodes.map(({ id, updatedAt }) => ({ id, updated_at: new Date(updatedAt) }))
      after = customers.pageInfo.hasNextPage ? customers.pageInfo.endCursor : null
    } while (after !== null)
  },
})
