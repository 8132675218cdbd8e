// Workflows of deliveries: stamps and licence keys. Their tasks are with the orders.
import { preparationExamples } from './examples.ts'
import { licenceKeyRoutes } from './key-routes.ts'
import { licenceListRoutes } from './routes.ts'
import { licencePaths, licenceVerification, type VerificationParts } from './verification.ts'
import type { Secrets } from '../../core/secrets.ts'
import { sealedBytes } from '../../core/sealed-place.ts'
import { licencePlace } from './licence-lists.ts'
import { defineFeature } from '../feature.ts'

export const preparationFeature = defineFeature({
  name: 'preparation',
  examples: preparationExamples,
  endpoints: (parts: { secrets: Secrets }) => [
    ...licenceListRoutes(parts),
    ...licenceKeyRoutes(parts),
  ],
  requests: (parts: VerificationParts) => licenceVerification(parts),
  requestPaths: licencePaths,
  sealed: sealedBytes('licence_keys', ['sealed'], licencePlace),
  tables: {
    delivery_runs: {
      about: 'Prepared deliveries',
      columns: ['about', 'messages', 'reason', 'reason_values'],
      keeps: ['code', 'workflow'],
      how: 'link',
    },
    prepared_files: {
      about: 'Own copies',
      columns: [],
      keeps: ['location', 'content_type', 'reason'],
      how: 'link',
    },
    licence_keys: 'sealed keys',
    licence_lists: 'names that the merchant gave',
    licence_activations: {
      about: 'Activations of licence keys',
      columns: ['instance', 'address'],
      how: 'delete',
    },
  },
})
