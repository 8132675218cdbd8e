// Imports and changes from tables.
import { directAddress, type Sandbox } from '../../../plugins/contract/index.ts'
import type { Limits } from '../../core/configuration/limits.ts'
import type { Database } from '../../core/db/database.ts'
import type { GuardedClient } from '../../ports/guarded-fetch.ts'
import type { Storefront } from '../../storefront/storefront.ts'
import type { Secrets } from '../../core/secrets.ts'
import { checkHeadersPlace } from './check-headers.ts'
import { csvExamples } from './examples.ts'
import { csvCheckTasks } from './check-run.ts'
import { csvRoutes, type CsvParts } from './routes.ts'
import { createSkuCount } from './sku-count.ts'
import { sweepCsvUploads } from './uploads.ts'
import { workbookReader } from './workbook.ts'
import { defineFeature } from '../feature.ts'

interface CsvEndpointParts extends Omit<CsvParts, 'readWorkbook'> {
  sandboxOf: (shop: number) => Sandbox
}

interface CsvTaskParts {
  database: Database
  client: GuardedClient
  storefront: Storefront
  limits: Limits
  secrets: Secrets
}

export const csvFeature = defineFeature({
  name: 'csv',
  examples: csvExamples,
  endpoints: (parts: CsvEndpointParts) =>
    csvRoutes({ ...parts, readWorkbook: workbookReader(parts.sandboxOf) }),
  tasks: ({ database, client, storefront, limits, secrets }: CsvTaskParts) =>
    csvCheckTasks({
      database,
      secrets,
      probe: (url, signal, headers) =>
        client.probe(directAddress(url), signal, headers && { headers }),
      oddSkus: (scope) => createSkuCount(scope, storefront.catalog(scope.shop)),
      limits,
    }),
  sweeps: ({ database }: { database: Database }) => ({
    csv_uploads: () => sweepCsvUploads(database.pool),
  }),
  sealed: [checkHeadersPlace],
  tables: {
    csv_answers: 'answers of the merchant’s own addresses, kept for a day',
    csv_chunks: 'files to import, kept for a day; none of their columns is a buyer’s',
    csv_column_mappings: 'headers of the merchant’s own tables',
    csv_corrections: 'cells of the merchant’s own tables, kept for a day',
    csv_edits: 'cells of the merchant’s own tables, kept for a day',
    csv_problems: 'cells of the merchant’s own tables, kept for a day',
    csv_uploads: 'headers and first rows of the merchant’s own tables, kept for a day',
  },
})
