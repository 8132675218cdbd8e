// One address to which the platform's automation (Flow) posts, and the parts of its handler.
import type { Database } from '../../core/db/database.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { Storefront } from '../../storefront/storefront.ts'

export interface FlowParts {
  database: Pick<Database, 'knex' | 'pool'>
  storefront: Pick<Storefront, 'isSigned'>
  secrets: Secrets
  clock: () => Date
  log: Logger
}

/** One address to which the platform posts. */
export interface FlowAddress {
  path: string
  /** Runs in one transaction. Throws `AppError`, whose problems the workflow's run shows. */
  handle(tx: ShopScope, body: Record<string, unknown>, parts: FlowParts): Promise<object>
}
