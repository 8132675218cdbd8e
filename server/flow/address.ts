// One address that the platform's automation (Flow) posts to, and what its handler gets.
import type { Database } from '../db/database.ts'
import type { ShopScope } from '../db/for-shop.ts'
import type { Logger } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import type { Storefront } from '../storefront/storefront.ts'

export interface FlowParts {
  database: Pick<Database, 'knex' | 'pool'>
  storefront: Pick<Storefront, 'isSigned'>
  secrets: Secrets
  clock: () => Date
  log: Logger
}

/** One address that the platform posts to. */
export interface FlowAddress {
  path: string
  /** In one transaction. Throws `AppError`: the workflow's run then shows the problems. */
  handle(tx: ShopScope, body: Record<string, unknown>, parts: FlowParts): Promise<object>
}
