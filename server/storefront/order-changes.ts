// Mutations of the platform's orders: many orders share one request, and each has its own result.
import { PortError, say, textOf, ownValue } from '../../plugins/contract/index.ts'
import type { AdminRequest } from './admin-api.ts'
import type { GraphqlOperation } from './operations.ts'

/** The result of one change; null: it was made. */
export type MarkResult = PortError | null

/** Sends a mutation; returns what the platform objects to, by the field's alias. */
export type ChangeOrders = (
  operation: GraphqlOperation,
  variables: Record<string, unknown>,
  points: number,
  signal: AbortSignal,
) => Promise<(alias: string) => MarkResult>

interface UserErrors {
  userErrors: { message: string }[]
}

/** @param retryable may the platform make a change later that it objects to now? */
export const orderChanges =
  (request: AdminRequest, retryable: boolean): ChangeOrders =>
  async (operation, variables, points, signal) => {
    const data = await request<Record<string, UserErrors | null>>(
      operation,
      variables,
      points,
      signal,
    )
    return (alias) => {
      const [objection] = ownValue(data, alias)?.userErrors ?? []
      if (!objection) return null
      const message = say('The order: {reason}', { reason: textOf(objection.message) })
      return new PortError('storefront_unavailable', message, retryable)
    }
  }

/** Works on `size` at a time; returns the result of each, in order. */
export async function inGroups<One, Result>(
  all: readonly One[],
  size: number,
  work: (group: readonly One[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let at = 0; at < all.length; at += size)
    results.push(...(await work(all.slice(at, at + size))))
  return results
}
