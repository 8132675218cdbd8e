// The library: all downloads of one buyer's address in a shop, on one page, and the merchant's list
// of these buyers.
import type { Database } from '../../core/db/database.ts'
import { sweepLibraries } from './keys.ts'
import { defineFeature } from '../feature.ts'
import { accountLibrary, type AccountParts } from './account.ts'
import { libraryExamples } from './examples.ts'
import { libraryMails } from './library-mail.ts'
import { libraryRequests, type LibraryParts } from './requests.ts'
import { buyerRoutes, type BuyerRouteParts } from './routes.ts'
import { libraryMailTask } from './tasks.ts'

export const libraryFeature = defineFeature({
  name: 'library',
  examples: libraryExamples,
  endpoints: (parts: BuyerRouteParts) => buyerRoutes(parts),
  requests: (parts: LibraryParts & AccountParts) => [libraryRequests(parts), accountLibrary(parts)],
  changesDelivery: true,
  tasks: (parts: { database: Database }) => [libraryMailTask(parts)],
  mails: { 'library-link': libraryMails },
  sweeps: ({ database }: { database: Database }) => ({ libraries: () => sweepLibraries(database) }),
  tables: {
    library_keys: {
      about: 'Keys of libraries',
      columns: ['email'],
      keeps: ['locale'],
      how: 'delete',
    },
    library_visits: { about: 'Visits of libraries', columns: ['email'], how: 'delete' },
  },
})
