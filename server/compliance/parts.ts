// What uninstalling and the platform's privacy demands need of this installation.
import type { Database } from '../db/database.ts'
import type { Logger } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import type { BlobStore } from '../store/store.ts'

export interface ComplianceParts {
  database: Database
  /** All storage locations, by name. */
  stores: ReadonlyMap<string, BlobStore>
  /** Where browsers' uploads wait. */
  folder: { remove(id: string): Promise<void> }
  secrets: Secrets
  clock: () => Date
  log: Logger
}
