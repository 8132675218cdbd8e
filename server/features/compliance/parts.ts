// The dependencies of uninstalling and of privacy requests.
import type { Database } from '../../core/db/database.ts'
import type { Logger } from '../../core/log.ts'
import type { BuyerPlaces } from '../feature.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { BlobStore } from '../../core/store/store.ts'

export interface ComplianceParts {
  database: Database
  /** What happens to each table with data about buyers. */
  places: BuyerPlaces
  /** All storage locations, by name. */
  stores: ReadonlyMap<string, BlobStore>
  /** The folder of unfinished uploads. */
  folder: { remove(id: string): Promise<void> }
  secrets: Secrets
  clock: () => Date
  log: Logger
}
